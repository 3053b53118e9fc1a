/** What is proposed for tables of databases and files. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CivilTime, parseMapping } from '#mapping'
import { trader } from '../support/northwind-shape.ts'
import { databaseTable, fileTable, proposalOf } from '../support/sample-tables.ts'

const parsed = (text: string) => parseMapping({ file: 'proposed', text })

describe('a proposal for a trader that sells', () => {
  const text = proposalOf(trader, `\${ERP_URL}`)

  it('is a valid mapping, and leaves sales out with a sentence', async () => {
    const { collections } = await parsed(text)
    const names = collections.map(({ collection }) => collection)
    assert.ok(!names.includes('orders') && !names.includes('order-items'))
    assert.ok(names.includes('categories') && names.includes('skus'))
    assert.match(text, /^# Left out: customers, orders, order_details\. They are about sales/m)
  })

  it('takes country names for names, and has a confidence on every line', () => {
    assert.match(text, /countryCode: +\{ column: country, code: country \} {2}# certain: 3 of 3/)
    assert.match(text, /categoryId: .*key: \[category_id\].*# certain: foreign key to categories/)
    const lines = text.split('\n').filter((line) => /^ {4,}\S.*: \S/.test(line))
    for (const line of lines) assert.match(line, / # (certain|likely|open)|columns without/, line)
  })
})

describe('a proposal for files', () => {
  it('makes one location for each warehouse, and keeps the stock and its day', async () => {
    const day = new CivilTime('2026-11-17')
    const text = proposalOf([
      fileTable('bestand.parquet', 'Artikel;Lager;Bestand;Stichtag', [
        ['A-1', 'HAM', 12, day],
        ['A-1', 'MUC', 3, day],
        ['A-2', 'HAM', 0, day],
      ]),
    ])
    await parsed(text)
    assert.match(text, /id: \{ key: \[Lager\] \}/)
    assert.match(text, /id: \{ key: \[Artikel, Lager\] \} {2}# certain/)
    assert.match(text, /onHandQuantity: +Bestand {2}# certain/)
    assert.match(text, /asOf: +Stichtag {2}# certain/)
  })

  it('says that a key is open if no column is distinct', async () => {
    const text = proposalOf([
      fileTable('vendors.csv', 'Vendor;Name;Country', ['V1;Gölz;DE', 'V1;Moda Têxtil;PT']),
    ])
    await parsed(text)
    assert.match(text, /id: \{ open: \[\{ key: \[/)
  })

  it('survives hostile names of columns', async () => {
    const text = proposalOf([
      fileTable('vendors.csv', "Vendor No;Name\n# x: [;Country: '{", ['V1;Gölz;DE', 'V2;東京;JP']),
    ])
    await parsed(text)
  })
})

it('adds up several stock rows of one item at one place', async () => {
  const text = proposalOf(
    [
      databaseTable('items', {
        columns: { id: 'whole', name: 'text' },
        key: ['id'],
        rows: [[1, 'Chemise']],
      }),
      databaseTable('warehouses', {
        columns: { id: 'whole', name: 'text' },
        key: ['id'],
        rows: [[7, "Zone d'expédition"]],
      }),
      databaseTable('stock_items', {
        columns: { id: 'whole', item_id: 'whole', warehouse_id: 'whole', quantity: 'whole' },
        key: ['id'],
        to: { item_id: 'items.id', warehouse_id: 'warehouses.id' },
        rows: [
          [1, 1, 7, 5],
          [2, 1, 7, 6],
        ],
      }),
    ],
    `\${ERP_URL}`,
  )
  await parsed(text)
  assert.match(text, /group: \[item_id, warehouse_id\]/)
  assert.match(text, /onHandQuantity: +\{ rows: sum, of: quantity \}/)
})
