/** The words in names of tables and columns, which proposals of mappings compare. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wordsOf } from '../../src/mapping/propose/words.ts'

const meanings: { readonly [what: string]: { readonly [name: string]: string } } = {
  'joined words': {
    orderqty: 'order quantity',
    purchaseorderheader: 'order header',
    purchaseorderdetail: 'order line',
    productnumber: 'style number',
    revisionnumber: 'revision number',
    receivedqty: 'received quantity',
    linetotal: 'line total',
    modifieddate: 'updated date',
    preferredvendorstatus: 'preferred supplier status',
    businessentityid: 'business entity number',
    onorderqty: 'on order quantity',
    daystomanufacture: 'days to manufacture',
    workorder: 'work order',
    salesorderheader: 'sales order header',
  },
  'German names': {
    Lieferantennummer: 'supplier number',
    Bestelldatum: 'order date',
    Bestellpositionen: 'order line',
    Wareneingangsdatum: 'receipt date',
    Artikelbezeichnung: 'sku name',
    Mindestbestellmenge: 'moq',
    Zahlungsbedingungen: 'payment term',
    Warengruppe: 'category',
    Währung: 'currency',
    Kundennummer: 'customer number',
    Straße: 'street',
    Lieferzeit: 'lead time',
    'verfügbarer Bestand': 'available stock',
  },
  'words that contain others by chance': {
    deadline: 'deadline',
    website: 'website',
    online: 'online',
    production: 'production',
    reorder_level: 'reorder level',
    monkey: 'monkey',
    piano: 'piano',
    paid: 'paid',
  },
  'capitals and digits': {
    PONumber: 'order number',
    SKUCode: 'sku number',
    vendorNo: 'supplier number',
    VENDOR_NO: 'supplier number',
    addressLine2: 'street line 2',
    ADDRESS2: 'street 2',
    name1: 'name',
  },
  'other scripts': { 产品编号: '产品编号', 'Артикул №': 'артикул number' },
}

describe('wordsOf', () => {
  for (const [what, names] of Object.entries(meanings)) {
    it(`knows ${what}`, () => {
      for (const [name, words] of Object.entries(names))
        assert.equal(wordsOf(name).join(' '), words, name)
    })
  }

  it('divides a long name without meaning within milliseconds', () => {
    const started = performance.now()
    for (const name of ['order'.repeat(10_000), 'x'.repeat(50_000), 'ordernodateqty'.repeat(4)])
      assert.ok(wordsOf(name).length > 0)
    assert.ok(performance.now() - started < 1_000)
  })

  it('takes names of members of objects for words', () => {
    assert.deepEqual(wordsOf('constructor'), ['constructor'])
    assert.deepEqual(wordsOf('__proto__'), ['proto'])
  })
})
