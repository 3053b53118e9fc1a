/** Import: rows that are joined, grouped or given by a mapping file. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import type { DemoRecord } from '#demo'
import { createStore } from '#store'
import { openSandbox } from '../support/command.ts'
import { recordsOf } from '../support/page.ts'

const place = openSandbox()
after(() => place.close())

const seen = 'createdAt: first-seen, updatedAt: last-changed'

const order = `      orderNumber: PO_NO
      supplierId: { ref: { collection: suppliers, key: [VENDOR] } }
      kind: { value: bulk }
      status: { column: STATUS, values: { A: confirmed, B: cancelled } }
      revisionNumber: { value: 0 }
      createdAt: first-seen
      updatedAt: last-changed`

/** Headers with their lines and their vendor, lines in groups, and a warehouse that no file has. */
const mapping = `version: 1
brand: halden
formats: { date: dd.MM.yyyy, decimal: ',', group: '.' }
collections:
  partners:
    - from: 'vendor*.csv'
      id: { key: [NO] }
      fields: &partner { slug: { column: NAME, apply: [slug] }, name: NAME, relationship.id: { key: [NO] }, relationship.status: { value: active }, ${seen} }
    - from: { given: [{ NO: V0001, NAME: Eigene Fertigung }] }
      id: { key: [NO] }
      fields: *partner
  suppliers:
    from: 'vendor*.csv'
    id: { key: [NO] }
    fields: { partnerId: { ref: { collection: partners, key: [NO] } }, code: NO, name: NAME, kind: { value: finished_goods }, status: { value: approved }, ${seen} }
  tags:
    from: { given: [{ code: 007, name: Größe XL }, { code: O'Neill, name: 倉庫 }] }
    id: { key: [code] }
    fields: { code: code, name: name, ${seen} }
  orders:
    from: 'po_header*.csv'
    join:
      - { name: lines, files: 'po_line*.csv', on: { PO_NO: PO } }
      - { name: vendor, files: 'vendor*.csv', on: { VENDOR: NO } }
      - { name: country, given: [{ LAND: Türkei, PLACE: Izmir }, { LAND: Portugal, PLACE: Porto }], on: { vendor.LAND: LAND } }
    where: { vendor.BLOCKED: { not: X } }
    id: { key: [PO_NO] }
    fields:
${order}
      currency: { rows: first, in: lines, of: CUR }
      orderDate: ORDERED
      requestedDeliveryDate: { rows: max, in: lines, of: DUE }
      totalQuantity: { rows: sum, in: lines, of: QTY }
      totalAmount: { rows: sum, in: lines, of: AMOUNT, default: 0 }
      incotermPlace: { column: country.PLACE }
      memo: { join: [vendor.NAME, vendor.LAND], with: ', ' }
`

const vendors = `NO;NAME;LAND;BLOCKED
V0042;Moda Têxtil, Lda.;Portugal;
V0043;Gölz & Söhne;Deutschland;
V0044;Eski Fabrika;Türkei;X
`

const headers = `PO_NO;VENDOR;ORDERED;STATUS
PO-1;V0042;14.03.2026;A
PO-2;V0043;15.03.2026;A
PO-3;V0044;15.03.2026;A
`

const lines = `PO;LINE;QTY;AMOUNT;CUR;DUE
PO-1;10;1.100;1.234,50;EUR;01.05.2026
PO-2;10;5;0,10;EUR;
PO-1;20;20;0,005;;12.06.2026
PO-9;10;5;9;EUR;
`

const stored = async (path: string): Promise<readonly DemoRecord[]> => {
  const database = openDatabase(place.databaseUrl)
  try {
    const store = await createStore(catalog, database)
    const resource = resourceAt(catalog, path)
    const request = { resource, brand: 'halden', limit: 100, after: null, include: [] }
    return recordsOf(await store.list({ ...request, filters: new Map() }))
  } finally {
    await database.close()
  }
}

const ordersByNumber = async (): Promise<{ readonly [number: string]: DemoRecord }> =>
  Object.fromEntries((await stored('orders')).map((each) => [String(each['orderNumber']), each]))

const run = (files: { readonly [name: string]: string }, ...args: readonly string[]) => {
  place.put(files)
  return place.run(['import', '--map', 'brand.map.yaml', '--no-check', ...args])
}

before(async () => {
  await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
})

const files = {
  'brand.map.yaml': mapping,
  'erp/vendors.csv': vendors,
  'erp/po_header.csv': headers,
  'erp/po_line.csv': lines,
}

describe('an import of joined rows', () => {
  it('makes values of all lines of an order, and of its one vendor', async () => {
    const { code, stderr } = await run(files, 'erp')
    assert.equal(code, 0, stderr)
    const orders = await ordersByNumber()
    assert.deepEqual(Object.keys(orders).sort(), ['PO-1', 'PO-2'])
    const { totalQuantity, totalAmount, currency, memo, incotermPlace, requestedDeliveryDate } =
      orders['PO-1'] ?? {}
    assert.deepEqual(
      { totalQuantity, totalAmount, currency, memo, incotermPlace, requestedDeliveryDate },
      {
        totalQuantity: 1120,
        totalAmount: '1234.505',
        currency: 'EUR',
        memo: 'Moda Têxtil, Lda., Portugal',
        incotermPlace: 'Porto',
        requestedDeliveryDate: '2026-06-12',
      },
    )
    assert.equal(orders['PO-2']?.['incotermPlace'], null)
    assert.equal(orders['PO-2']?.['totalAmount'], '0.10')
  })

  it('stores the rows that the mapping has itself', async () => {
    const tags = await stored('tags')
    assert.deepEqual(
      tags.map(({ code, name }) => [code, name]).sort(),
      [
        ['007', 'Größe XL'],
        ["O'Neill", '倉庫'],
      ].sort(),
    )
    assert.equal((await stored('partners')).length, 4)
  })

  it('changes nothing when it is repeated, and keeps what other files have', async () => {
    const { code, stdout } = await run(files, '--replace', '--json', 'erp')
    assert.equal(code, 0)
    for (const { added, changed, removed } of JSON.parse(stdout).collections) {
      assert.deepEqual([added, changed, removed], [0, 0, 0])
    }
    const alone = await run(
      files,
      '--replace',
      '--json',
      'erp/po_header.csv',
      'erp/po_line.csv',
      'erp/vendors.csv',
    )
    assert.equal(alone.code, 0, alone.stderr)
    assert.equal((await stored('partners')).length, 4)
  })

  it('does not replace a collection by given rows alone', async () => {
    const text = mapping
      .replace(/ {2}orders:[\s\S]*/, '')
      .replace("'vendor*.csv'\n    id", "'suppliers.csv'\n    id")
    const { code, stdout, stderr } = await run(
      { 'brand.map.yaml': text, 'suppliers.csv': vendors },
      '--replace',
      '--json',
      'suppliers.csv',
    )
    assert.equal(code, 0, stderr)
    const collections = JSON.parse(stdout).collections.map(
      (each: { collection: string }) => each.collection,
    )
    assert.deepEqual(collections.sort(), ['suppliers', 'tags'])
    assert.equal((await stored('partners')).length, 4)
  })

  it('counts the lines of a file once that is named twice', async () => {
    const { code, stderr } = await run(files, 'erp', 'erp/po_line.csv', './erp/../erp/po_line.csv')
    assert.equal(code, 0, stderr)
    assert.equal((await ordersByNumber())['PO-1']?.['totalQuantity'], 1120)
  })

  it('says which file is missing', async () => {
    const { code, stderr } = await run(files, 'erp/po_header.csv', 'erp/vendors.csv')
    assert.equal(code, 1)
    assert.match(
      stderr,
      /brand\.map\.yaml:23 joins lines to orders, and no file matches po_line\*\.csv: import the files together/,
    )
  })

  it('says which column the joined file lacks', async () => {
    const other = { ...files, 'erp/po_line.csv': lines.replaceAll('AMOUNT', 'SUM') }
    const { code, stderr } = await run(other, 'erp')
    assert.equal(code, 1)
    assert.match(
      stderr,
      /po_header\.csv needs the rows of erp\/po_line\.csv, which does not have the columns that the mapping uses:\n {2}no column "AMOUNT" \(brand\.map\.yaml:\d+\)/,
    )
  })

  for (const [name, wrong, expected] of [
    [
      'a line without a number',
      { 'erp/po_line.csv': lines.replace(';20;20;', ';20;TT;').replace('TT', 'zwei') },
      /po_header\.csv:2 .*PO_NO "PO-1": column sum of lines\.QTY.*has a row "zwei" that .*\(line 4 of erp\/po_line\.csv\)/,
    ],
    [
      'a line without a value',
      { 'erp/po_line.csv': lines.replace(';20;20;', ';20;TT;').replace('TT', '') },
      /po_header\.csv:2 .*sum of lines\.QTY.*is empty: its sum is not known.*\(line 4 of erp\/po_line\.csv\)/,
    ],
    [
      'an order without lines',
      { 'erp/po_line.csv': lines.replaceAll('PO-1', 'PO-7') },
      /po_header\.csv:2 .*sum of lines\.QTY.*is empty, and totalQuantity must have a value/,
    ],
    [
      'a vendor that is there twice',
      { 'erp/vendors.csv': `${vendors}V0042;Moda Textil;Portugal;\n` },
      /po_header\.csv:2 .*has 2 rows in vendor: line 2 of erp\/vendors\.csv and line 5 of erp\/vendors\.csv/,
    ],
    [
      'a line that cannot be read, which may belong to any order',
      { 'erp/po_line.csv': `${lines}PO-1;30;1\n` },
      /needs the rows of erp\/po_line\.csv, which cannot be used to join its rows as lines: its line 6 has 3 cells/,
    ],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const before = await ordersByNumber()
      const { code, stdout, stderr } = await run({ ...files, ...wrong }, 'erp')
      assert.equal(code, 1)
      assert.match(`${stdout}${stderr}`, expected)
      assert.deepEqual(await ordersByNumber(), before)
    })
  }

  it('reads a large file of lines in a thread', async () => {
    const count = 120_000
    const many = Array.from({ length: count }, (_, index) => `PO-1;${index};1;0,01;EUR;01.05.2026`)
    const large = { ...files, 'erp/po_line.csv': `${lines}${many.join('\n')}\n` }
    const { code, stderr } = await run(large, 'erp')
    assert.equal(code, 0, stderr)
    const orders = await ordersByNumber()
    assert.equal(orders['PO-1']?.['totalQuantity'], 121120)
    assert.equal(orders['PO-1']?.['totalAmount'], '2434.505')
  })
})

describe('a row in quarantine whose record is made of several rows', () => {
  const quarantine = ['--on-error', 'quarantine', '--max-bad-rows', '100']
  const bad = {
    ...files,
    'erp/po_header.csv': headers
      .replace('14.03.2026;A', '14.03.2026;Z')
      .replace('V0043;15', 'V0043;16'),
    'erp/po_line.csv': lines.replace('1.100', '2.000'),
  }

  it('is corrected as it was made, without the other files', async () => {
    const { code, stderr } = await run(bad, ...quarantine, 'erp')
    assert.equal(code, 0, stderr)
    const { stderr: said } = await place.run([
      'intake',
      'rows',
      '--brand',
      'halden',
      '--write',
      'fix',
    ])
    const file = join(place.folder, 'fix/po_header.corrections.csv')
    const text = readFileSync(file, 'utf8')
    assert.match(text, /selvedge_rows/, said)
    assert.match(text, /2020/)
    writeFileSync(file, text.replace(',Z,', ',B,').replace(';Z;', ';B;'))
    const fixed = await run({}, 'fix/po_header.corrections.csv')
    assert.equal(fixed.code, 0, fixed.stderr)
    const { status, totalQuantity } = (await ordersByNumber())['PO-1'] ?? {}
    assert.deepEqual([status, totalQuantity], ['cancelled', 2020])
  })

  it('is not tried again with a mapping that joins other rows', async () => {
    const text = {
      'erp/po_line.csv': lines.replace('1.100', '7.000'),
      'erp/po_header.csv': bad['erp/po_header.csv'],
    }
    assert.equal((await run({ ...files, ...text }, ...quarantine, 'erp')).code, 0)
    const before = (await ordersByNumber())['PO-1']
    const other = mapping
      .replace('A: confirmed', 'A: confirmed, Z: draft')
      .replace('on: { PO_NO: PO }', 'on: { PO_NO: LINE }')
    const vendor = ['erp/vendors.csv']
    const { code, stderr } = await run({ 'brand.map.yaml': other }, ...quarantine, ...vendor)
    assert.equal(code, 0, stderr)
    assert.deepEqual((await ordersByNumber())['PO-1'], before)
  })

  it('is tried again with a mapping that takes it', async () => {
    const text = {
      'erp/po_line.csv': lines.replace('1.100', '3.000'),
      'erp/po_header.csv': bad['erp/po_header.csv'],
    }
    assert.equal((await run({ ...files, ...text }, ...quarantine, 'erp')).code, 0)
    const { code, stderr } = await run(
      { 'brand.map.yaml': mapping.replace('A: confirmed', 'A: confirmed, Z: draft') },
      ...quarantine,
      'erp/vendors.csv',
    )
    assert.equal(code, 0, stderr)
    const { status, totalQuantity } = (await ordersByNumber())['PO-1'] ?? {}
    assert.deepEqual([status, totalQuantity], ['draft', 3020])
  })
})

describe('a value of several rows', () => {
  it('sums products, and is rounded to the currency of the record', async () => {
    const own = mapping.replace(
      '{ rows: sum, in: lines, of: AMOUNT, default: 0 }',
      '{ rows: sum, in: lines, of: { product: [QTY, AMOUNT] }, multiply: 2, round: currency }',
    )
    assert.notEqual(own, mapping)
    const { code, stderr } = await run({ ...files, 'brand.map.yaml': own }, 'erp')
    assert.equal(code, 0, stderr)
    const orders = await ordersByNumber()
    assert.equal(orders['PO-1']?.['totalAmount'], '2715900.20')
    assert.equal(orders['PO-2']?.['totalAmount'], '1.00')
  })
})

describe('an import of grouped rows', () => {
  const grouped = mapping.replace(
    / {2}orders:[\s\S]*/,
    `  orders:
    from: 'lines*.csv'
    join: { name: price, files: 'prices.csv', on: { ITEM: ITEM } }
    group: [PO]
    where: { STATE: { not: X } }
    id: { key: [PO] }
    fields:
${order.replaceAll('PO_NO', 'PO')}
      currency: { value: EUR }
      orderDate: { rows: min, of: ORDERED }
      totalQuantity: { rows: sum, of: QTY }
      totalAmount: { rows: sum, of: price.PRICE }
      memo: { rows: first, of: NOTE }
  order-items:
    from: 'lines*.csv'
    id: { key: [PO, LINE] }
    fields: { orderId: { ref: PO }, qty: QTY, unitPrice: { value: 1 }, ${seen} }
`,
  )
  const rows = `PO;LINE;VENDOR;STATUS;ORDERED;ITEM;QTY;NOTE;STATE
G-2;1;V0042;A;02.01.2026;T-Shirt;5;;O
G-1;1;V0042;A;03.01.2026;Hose;1;;O
G-2;2;V0042;A;01.01.2026;Hose;7;Größe L;O
G-2;3;V0042;A;01.01.2020;Hose;1000;no;X
`
  const own = {
    'brand.map.yaml': grouped,
    'g/vendors.csv': vendors,
    'g/lines.csv': rows,
    'g/prices.csv': 'ITEM;PRICE\nHose;19,90\nT-Shirt;9,95\n',
  }

  it('makes one record of the rows with equal columns', async () => {
    const { code, stderr } = await run(own, 'g')
    assert.equal(code, 0, stderr)
    const { 'G-2': order } = await ordersByNumber()
    const { totalQuantity, totalAmount, orderDate, memo } = order ?? {}
    assert.deepEqual(
      { totalQuantity, totalAmount, orderDate, memo },
      { totalQuantity: 12, totalAmount: '29.85', orderDate: '2026-01-01', memo: 'Größe L' },
    )
  })

  it('refuses a group that two files have parts of, also equal ones', async () => {
    const [header = '', line = ''] = rows.split('\n')
    const part = `${header}\n${line.replace('G-2', 'G-9')}\n`
    const other = part.replace('G-9;1', 'G-9;2')
    const { code, stdout, stderr } = await run(
      { ...own, 'g/lines.csv': part, 'g/lines-2.csv': other },
      'g',
    )
    assert.equal(code, 1)
    assert.match(`${stdout}${stderr}`, /lines\.csv.*G-9.* has the same identity as/)
    assert.equal((await ordersByNumber())['G-9'], undefined)
  })

  it('refuses a group with different values outside of rows', async () => {
    const { code, stdout, stderr } = await run(
      { ...own, 'g/lines.csv': rows.replace('2;V0042;A;01', '2;V0042;B;01') },
      'g',
    )
    assert.equal(code, 1)
    assert.match(
      `${stdout}${stderr}`,
      /lines\.csv:2 .*PO "G-2": column STATUS.*differs within the group: "A" in line 2 of g\/lines\.csv, "B" in line 4 of g\/lines\.csv/,
    )
  })

  it('is corrected as a group, and its lines as lines', async () => {
    const { code, stderr } = await run(
      {
        ...own,
        'g/lines.csv': rows.replace(
          'G-1;1;V0042;A;03.01.2026;Hose;1;',
          'G-1;1;V0042;Q;03.01.2026;Hose;x;',
        ),
      },
      ...['--on-error', 'quarantine', '--max-bad-rows', '100'],
      'g',
    )
    assert.equal(code, 0, stderr)
    const written = await place.run(['intake', 'rows', '--brand', 'halden', '--write', 'fixg'])
    assert.equal(written.code, 0, written.stderr)
    const names = ['lines.corrections.csv', 'lines.corrections-2.csv']
    const texts = names.map((name) => readFileSync(join(place.folder, 'fixg', name), 'utf8'))
    const isGrouped = (text: string) => text.includes('selvedge_rows')
    assert.deepEqual(texts.map(isGrouped).sort(), [false, true])
    const unchanged = await run({}, 'fixg')
    assert.equal(unchanged.code, 1)
    assert.match(`${unchanged.stdout}${unchanged.stderr}`, /sum of QTY .*has a row "x" that/)
    const corrected = texts.map((text) =>
      isGrouped(text)
        ? text
            .replace(/"?#problem: .*?\(line 3 of g\/lines\.csv\)"?/, '1')
            .replace(/(?<=[;,])Q(?=[;,])/, 'A')
        : text.replace(/(?<=[;,])x(?=[;,])/, '1'),
    )
    place.put(Object.fromEntries(names.map((name, at) => [`fixg/${name}`, corrected[at] ?? ''])))
    const fixed = await run({}, 'fixg')
    assert.equal(fixed.code, 0, `${fixed.stdout}${fixed.stderr}`)
    assert.equal((await ordersByNumber())['G-1']?.['totalQuantity'], 1)
  })
})

describe('a watched folder with joined files', () => {
  const watch = () =>
    place.run([
      'watch',
      'inbox',
      '--map',
      'brand.map.yaml',
      '--once',
      '--settle',
      '0s',
      '--no-check',
    ])
  const dropped = {
    'inbox/vendors.csv': vendors,
    'inbox/po_header.csv': headers.replaceAll('PO-', 'W-'),
    'inbox/po_line.csv': lines.replaceAll('PO-', 'W-'),
  }

  it('joins those of one set, also one that was imported before', async () => {
    place.put({ 'brand.map.yaml': mapping, ...dropped })
    const { code, stdout, stderr } = await watch()
    assert.equal(code, 0, `${stdout}${stderr}`)
    assert.match(stdout, /po_line\.csv: imported: tags 2 unchanged\. Moved to processed/)
    assert.equal((await ordersByNumber())['W-1']?.['totalQuantity'], 1_120)
  })

  it('imports a file again if only the joined rows are others', async () => {
    const line = dropped['inbox/po_line.csv'].replace('1.100', '9.000')
    place.put({ ...dropped, 'inbox/po_line.csv': line })
    const { code, stdout, stderr } = await watch()
    assert.equal(code, 0, `${stdout}${stderr}`)
    assert.equal((await ordersByNumber())['W-1']?.['totalQuantity'], 9_020)
  })

  it('refuses a file without those that are joined to it, and names the pattern', async () => {
    place.put({ 'inbox/po_header.csv': `${dropped['inbox/po_header.csv']}\n` })
    const { code, stdout } = await watch()
    assert.equal(code, 1)
    assert.match(stdout, /po_header\.csv: not imported: .*no file matches po_line\*\.csv/)
  })
})
