/** Commands that propose and check mapping files. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseMapping } from '#mapping'
import { openSandbox } from '../support/command.ts'

const place = openSandbox()
after(() => place.close())

const latin1 = (text: string) => Buffer.from(text, 'latin1')

before(() => {
  place.put({
    'de/Kreditoren_20260314.csv': latin1(
      'Kreditor;Name;Land;Währung;Status\n100042;Moda Têxtil;PT;EUR;A\n100043;Gölz;DE;EUR;I\n',
    ),
    'de/Artikel.csv':
      'Artikelnummer;Bezeichnung;EAN;Gewicht_netto\nTSH-M;T-Shirt M;4006381333931;0,250\nTSH-L;T-Shirt L;;0,260\n',
    'de/Bestellungen.csv':
      'Bestellnummer;Lieferantennummer;Bestelldatum;Liefertermin;Betrag;Währung;Status\nPO-1;100042;14.03.2026;30.06.2026;1.234,50;EUR;O\nPO-2;100043;15.03.2026;01.07.2026;99,00;EUR;C\n',
    'de/Bestellpositionen.csv':
      'Bestellnummer;Position;Artikelnummer;Menge;Einzelpreis\nPO-1;10;TSH-M;100,000;9,90\nPO-1;20;TSH-L;20,000;12,22\nPO-2;10;TSH-M;5,000;19,80\n',
    'us/po_lines.csv':
      'PO Number,Line,Vendor No,Order Date,Item,Qty,Unit Price\nP1,1,V1,03/14/2026,A-1,"1,200",2.50\nP1,2,V1,03/14/2026,A-2,12,3.10\nP2,1,V2,03/15/2026,A-1,7,2.50\n',
  })
})

const propose = async (folder: string) => {
  const { code, stdout, stderr } = await place.run(['map', 'init', folder, '--brand', 'halden'])
  assert.equal(code, 0, stderr)
  const mapping = await parseMapping({ file: 'proposed', text: stdout })
  return { text: stdout, mapping }
}

describe('map init', () => {
  it('proposes a valid mapping for German exports', async () => {
    const { text, mapping } = await propose('de')
    assert.equal(mapping.brand, 'halden')
    assert.deepEqual(
      new Set(mapping.collections.map(({ collection }) => collection)),
      new Set([
        ...['partners', 'suppliers', 'parent-products', 'product-options'],
        ...['skus', 'orders', 'order-items'],
      ]),
    )
    for (const line of [
      /^formats: \{ date: dd\.MM\.yyyy, decimal: ',', group: '\.' \} {2}# certain/m,
      /^ {4}from: \{ files: 'Kreditoren_\*\.csv', encoding: windows-1252 \} {2}# certain/m,
      /^ {4}id: \{ key: \[Bestellnummer, Position\] \} {2}# certain: 3 of 3/m,
      /^ +supplierId: +\{ ref: \{ collection: suppliers, key: \[Lieferantennummer\] \} \} {2}# certain/m,
      /^ +skuId: +\{ ref: \{ collection: skus, key: \[Artikelnummer\] \} \} {2}# certain/m,
      /^ +orderDate: +Bestelldatum {2}# likely/m,
      /^ +requestedDeliveryDate: +Liefertermin/m,
      /^ +qty: +Menge {2}# certain/m,
      /^ +gtin: +EAN {2}# likely/m,
      /^ +netWeightKg: +Gewicht_netto {2}# likely: .*unit/m,
      /^ +kind: +\{ open: \[\{ value: bulk \}, \{ value: reorder \}\] \} {2}# open/m,
      /^ +totalQuantity: +\{ rows: sum, in: lines, of: Menge \} {2}# certain/m,
      /^ +status: +\{ open: \[\{ column: Status, values: \{ A: approved, I: inactive \} \}, .*# open/m,
    ]) {
      assert.match(text, line)
    }
  })

  it('proposes the orders that a file of order lines has, too', async () => {
    const { text, mapping } = await propose('us')
    const orders = mapping.collections.find(({ collection }) => collection === 'orders')
    assert.deepEqual(orders?.group, ['PO Number'])
    assert.match(text, /^formats: \{ date: MM\/dd\/yyyy, group: ',' \} {2}# certain/m)
    assert.match(text, /^ {4}id: \{ key: \[PO Number, Line\] \} {2}# certain/m)
    assert.match(text, /^ +orderDate: +Order Date {2}#/m)
    assert.match(
      text,
      /^ +supplierId: +\{ ref: \{ collection: suppliers, key: \[Vendor No\] \} \} {2}# likely/m,
    )
  })

  it('makes a mapping that imports the files it was made for', async () => {
    await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
    const { code } = await place.run([
      'map',
      'init',
      'de',
      '--brand',
      'halden',
      '--out',
      'de.map.yaml',
    ])
    assert.equal(code, 0)
    const imported = await place.run([
      'import',
      '--map',
      'de.map.yaml',
      'de',
      '--no-check',
      '--allow-open',
    ])
    assert.equal(imported.code, 0, imported.stderr)
    assert.match(imported.stdout, /order-items +3 +3/)
  })

  it('reads the decimal sign from texts, units in brackets, and what lines are of', async () => {
    const examples = fileURLToPath(new URL('../../examples/erp-files', import.meta.url))
    const folder = join(place.folder, 'erp')
    mkdirSync(folder)
    const put = (from: string, to: string) => copyFileSync(join(examples, from), join(folder, to))
    for (const name of ['vendors.csv', 'items.csv', 'purchase_orders.csv']) put(name, name)
    put('po_lines.xlsx', 'Positionen.xlsx')
    const { text } = await propose('erp')
    for (const line of [
      // The prices in the workbook are numbers: its cells do not say how numbers are written.
      /^formats: \{ date: dd\.MM\.yyyy, decimal: ',', group: '\.' \} {2}# certain/m,
      /^ +unitPrice: +\{ column: Unit Price, decimal: '\.' \} {2}# likely/m,
      /^ +leadTimeDays: +\{ column: 'Lead Time \(Weeks\)', unit: weeks \} {2}# likely/m,
      /^ {2}order-items: .*\n {4}from: \{ files: Positionen\.xlsx \}.*\n {4}id: \{ key: \[PO No\., Line No\.\] \} {2}# certain/m,
    ]) {
      assert.match(text, line)
    }
  })

  it('does not overwrite a file', async () => {
    place.put({ 'mine.map.yaml': 'mine' })
    const { code, stderr } = await place.run(['map', 'init', 'de', '--out', 'mine.map.yaml'])
    assert.equal(code, 1)
    assert.match(stderr, /mine.map.yaml exists already/)
    assert.equal(readFileSync(join(place.folder, 'mine.map.yaml'), 'utf8'), 'mine')
  })

  it('says so when it recognises nothing', async () => {
    place.put({ 'x/zz.csv': 'q,w\n1,2\n' })
    const { code, stderr } = await place.run(['map', 'init', 'x'])
    assert.equal(code, 1)
    assert.match(stderr, /No collection could be recognised in zz.csv/)
  })
})

const tags = `version: 1
brand: halden
collections:
  tags:
    from: 'tags*.csv'
    where: { OUT: { empty: true } }
    id: { key: [NO] }
    fields:
      name: { column: NAME, apply: [upper] }
      uiColor: COLOR
      createdAt: { column: AT, timestamp: yyyyMMdd }
      updatedAt: last-changed
`

describe('map check', () => {
  before(() => {
    place.put({
      'tags.map.yaml': tags,
      'tags.csv':
        'NO,NAME,AT,OUT,EXTRA,COLOR\n1,a,20260314,,x,\n2,b,20260314,1,x,\n3,c,14.03.2026,,x,\n',
      'good/tags.csv': 'NO,NAME,AT,OUT,EXTRA,COLOR\n1,a,20260314,,x,\n',
    })
  })

  it('shows rows before and after, what is not used and every problem', async () => {
    const { code, stdout } = await place.run(['map', 'check', 'tags.map.yaml', 'tags.csv'])
    assert.equal(code, 1)
    for (const line of [
      'tags.csv → tags (tags.map.yaml:4)',
      '  3 rows: 1 record, 1 left out, 1 with problems',
      '  5 of 6 fields are mapped; always empty: uiColor',
      '  null: code',
      '    name       A                                     ← NAME a',
      '    createdAt  2026-03-14T00:00:00.000Z              ← AT 20260314',
      'tags.csv: no collection uses the columns EXTRA',
      'error: tags.csv:4 NO "3": column AT (14.03.2026) tags.map.yaml:11 /createdAt is not of the form yyyyMMdd',
      '1 problem in 1 row.',
    ]) {
      assert.ok(stdout.split('\n').includes(line), `${line}\n${stdout}`)
    }
  })

  it('leaves rows out that keep does not choose', async () => {
    const keep = (rule: string) => `version: 1
brand: halden
collections:
  tags:
    from: { files: tags.csv }
${rule}    id: { key: [NO] }
    fields:
      name: NAME
      createdAt: first-seen
      updatedAt: last-changed
`
    place.put({
      'keep.map.yaml': keep('    keep: last\n'),
      'all.map.yaml': keep(''),
      'keep/tags.csv': 'NO,NAME\n1,Old\n1,New\n2,Other\n',
    })
    const checked = await place.run(['map', 'check', 'keep.map.yaml', 'keep'])
    assert.equal(checked.code, 0, checked.stdout)
    assert.match(checked.stdout, /^ {2}3 rows: 2 records, 1 left out$/m)
    const all = await place.run(['map', 'check', 'all.map.yaml', 'keep'])
    assert.equal(all.code, 1)
    assert.match(all.stdout, /has the same identity as line 2/)
  })

  it('prints the same as JSON', async () => {
    const { code, stdout } = await place.run(['map', 'check', 'tags.map.yaml', 'good', '--json'])
    assert.equal(code, 0)
    const { sources, errors, unusedColumns } = JSON.parse(stdout)
    assert.equal(errors, 0)
    assert.deepEqual(unusedColumns, { 'good/tags.csv': ['EXTRA'] })
    const [source] = sources
    assert.equal(source.records, 1)
    assert.deepEqual(source.samples[0].before, {
      ...{ NO: '1', NAME: 'a', AT: '20260314', OUT: null, EXTRA: 'x', COLOR: null },
    })
    assert.equal(source.samples[0].after.name, 'A')
  })
})
