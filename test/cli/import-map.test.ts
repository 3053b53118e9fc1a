/** Import: files of another system, by a mapping file. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { catalog, resourceAt, valueAt } from '#contract'
import { openDatabase } from '#database'
import type { DemoRecord } from '#demo'
import type { CollectionResult } from '#ingest'
import { createStore } from '#store'
import { naturalId } from '../../src/mapping/natural-id.ts'
import { openSandbox } from '../support/command.ts'
import { recordsOf } from '../support/page.ts'
import { textCell, textRow, workbookOf } from '../support/workbook.ts'

const place = openSandbox()
after(() => place.close())

const seen = 'createdAt: first-seen\n      updatedAt: last-changed'

const mapping = `version: 1
brand: halden
timezone: Europe/Berlin
formats: { date: dd.MM.yyyy, decimal: ',', group: '.' }
collections:
  partners:
    from: 'vendors*.csv'
    id: { key: [VENDOR_NO] }
    fields:
      slug: { column: NAME, apply: [slug] }
      name: NAME
      relationship.id: { key: [VENDOR_NO] }
      relationship.status: { value: active }
      ${seen}
  suppliers:
    from: { files: 'vendors*.csv' }
    id: { key: [VENDOR_NO] }
    fields:
      partnerId: { ref: { collection: partners, key: [VENDOR_NO] } }
      code: VENDOR_NO
      name: NAME
      kind: { value: finished_goods }
      status: { column: STATUS, values: { A: approved, I: inactive } }
      ${seen}
  orders:
    from: 'po_lines*'
    distinct: true
    id: { key: [PO_NO] }
    fields:
      orderNumber: PO_NO
      supplierId: { ref: { collection: suppliers, key: [VENDOR_NO] } }
      kind: { value: bulk }
      status: { value: sent }
      revisionNumber: { value: 0 }
      currency: { value: EUR }
      orderDate: ORD_DT
      totalQuantity: PO_QTY
      totalAmount: PO_AMT
      ${seen}
  order-items:
    from: 'po_lines*'
    where: { LINE_STATUS: { not: [X] } }
    id: { key: [PO_NO, LINE_NO] }
    fields:
      orderId: { ref: PO_NO }
      qty: QTY
      unitPrice: PRICE
      itemDescription: { join: [ITEM, COLOR], with: ', ' }
      ${seen}
`

const vendors = `VENDOR_NO;NAME;STATUS
V0042;Moda Têxtil, Lda.;A
V0043;Gölz & Söhne;I
`

const lines = `PO_NO;LINE_NO;VENDOR_NO;ORD_DT;PO_QTY;PO_AMT;LINE_STATUS;ITEM;COLOR;QTY;PRICE
PO-5512;10;V0042;14.03.2026;120,000;1.234,50;O;T-Shirt;rot;100;9,90
PO-5513;10;V0043;15.03.2026;5;99,00-;O;Hose;;5;19,80
PO-5512;20;V0042;14.03.2026;120,000;1.234,50;O;T-Shirt;blau;20;12,225
PO-5512;30;V0042;14.03.2026;120,000;1.234,50;X;T-Shirt;grün;1;1
`

const run = async (files: { readonly [name: string]: string }, args: readonly string[]) => {
  place.put(files)
  return place.run(['import', '--map', 'brand.map.yaml', ...args])
}

const stored = async (path: string): Promise<readonly DemoRecord[]> => {
  const database = openDatabase(place.databaseUrl)
  try {
    const store = await createStore(catalog, database)
    const resource = resourceAt(catalog, path)
    const request = {
      resource,
      brand: 'halden',
      filters: new Map(),
      limit: 100,
      after: null,
      include: [],
    }
    return recordsOf(await store.list(request))
  } finally {
    await database.close()
  }
}

before(async () => {
  await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
})

describe('an import by a mapping file', () => {
  it('makes the records of several collections out of the files of a folder', async () => {
    const files = {
      'erp/vendors_2026.csv': vendors,
      'erp/po_lines.csv': lines,
      'erp/readme.txt': 'x',
      'brand.map.yaml': mapping,
    }
    const { code, stderr, stdout } = await run(files, ['erp', '--json', '--no-check'])
    assert.equal(code, 0, stderr)
    const { collections, passedOver, warnings } = JSON.parse(stdout)
    assert.deepEqual(passedOver, ['erp/readme.txt'])
    assert.equal(warnings, 0)
    assert.deepEqual(
      collections.map(({ collection, read, added, refused }: CollectionResult) => [
        collection,
        read,
        added,
        refused,
      ]),
      [
        ['partners', 2, 2, 0],
        ['suppliers', 2, 2, 0],
        ['orders', 2, 2, 0],
        ['order-items', 3, 3, 0],
      ],
    )
    const orders = await stored('orders')
    const order = orders.find((each) => valueAt(each, 'orderNumber') === 'PO-5512')
    assert.ok(order)
    assert.equal(order['id'], naturalId('halden', 'orders', ['PO-5512']))
    assert.equal(order['supplierId'], naturalId('halden', 'suppliers', ['V0042']))
    assert.equal(order['orderDate'], '2026-03-14')
    assert.equal(order['totalQuantity'], 120)
    assert.equal(order['totalAmount'], '1234.50')
    assert.equal(order['memo'], null)
    const items = await stored('order-items')
    const item = items.find(
      (each) => each['id'] === naturalId('halden', 'order-items', ['PO-5512', '20']),
    )
    assert.equal(item?.['orderId'], order['id'])
    assert.equal(item?.['unitPrice'], '12.225')
    assert.equal(item?.['itemDescription'], 'T-Shirt, blau')
    const [partner] = (await stored('partners')).filter(
      (each) => each['slug'] === 'moda-textil-lda',
    )
    assert.equal(partner?.['name'], 'Moda Têxtil, Lda.')
  })

  it('takes rows of JSON and of standard input, too', async () => {
    const objects = [{ VENDOR_NO: 'V0044', NAME: 'Tessuti', STATUS: 'A' }]
    const json = await run(
      {
        'vendors.json': JSON.stringify(objects),
        'brand.map.yaml': mapping.replaceAll('vendors*.csv', 'vendors*'),
      },
      ['vendors.json', '--no-check'],
    )
    assert.equal(json.code, 0, json.stderr)
    const input = await place.run(
      ['import', '--map', 'brand.map.yaml', '-', '--collection', 'suppliers', '--no-check'],
      vendors.replace('V0042;Moda Têxtil, Lda.;A\n', ''),
    )
    assert.equal(input.code, 0, input.stderr)
    assert.match(input.stdout, /suppliers +1 +0/)
  })

  it('names file, line, key, column and the line of the mapping of every problem', async () => {
    const bad = `PO_NO;LINE_NO;VENDOR_NO;ORD_DT;PO_QTY;PO_AMT;LINE_STATUS;ITEM;COLOR;QTY;PRICE
PO-1;10;V0042;31.02.2026;1;1;O;T-Shirt;rot;1.5;9,90
PO-2;;V0042;14.03.2026;1;1;O;T-Shirt;rot;1;9,90
`
    const { code, stderr } = await run({ 'po_lines.csv': bad, 'brand.map.yaml': mapping }, [
      'po_lines.csv',
    ])
    assert.equal(code, 1)
    const errors = stderr.split('\n').filter((line) => line.startsWith('error'))
    assert.deepEqual(errors, [
      'error: po_lines.csv:2 PO_NO "PO-1": column ORD_DT (31.02.2026) brand.map.yaml:38 /orderDate is not a day of the calendar (dd.MM.yyyy)',
      'error: po_lines.csv:2 PO_NO "PO-1", LINE_NO "10": column QTY (1.5) brand.map.yaml:49 /qty has "." where no group of three digits ends: check which sign is the decimal sign',
      'error: po_lines.csv:3 PO_NO "PO-2", LINE_NO (empty): column PO_NO, LINE_NO (PO-2 / ) brand.map.yaml:46 /id has only a part of the key',
    ])
  })

  it('names the columns and the key of a reference whose record does not exist', async () => {
    const { code, stderr } = await run(
      { 'po_lines.csv': lines.replaceAll('V0042', 'V9999'), 'brand.map.yaml': mapping },
      ['po_lines.csv'],
    )
    assert.equal(code, 1)
    const id = naturalId('halden', 'suppliers', ['V9999'])
    assert.match(
      stderr,
      new RegExp(
        `po_lines.csv:2 PO_NO "PO-5512": column VENDOR_NO \\(V9999, id ${id}\\) brand.map.yaml:33 /supplierId refers to a record of suppliers that is neither in this import nor stored`,
      ),
    )
  })

  it('refuses different rows with one key, and reports identical ones once', async () => {
    const row = 'V0050;Alfa;A\n'
    const files = {
      'vendors.csv': `${vendors}${row}${row}V0051;Beta;A\n${row}`,
      'brand.map.yaml': mapping,
    }
    const same = await run(files, ['vendors.csv', '--collection', 'partners', '--no-check'])
    assert.equal(same.code, 0, same.stderr)
    const warnings = same.stderr.split('\n').filter((line) => line.startsWith('warning'))
    assert.equal(warnings.length, 1, same.stderr)
    assert.match(
      warnings.join(),
      /gives the same record as line 4 of vendors.csv, .*: 2 rows, first at line 5, VENDOR_NO "V0050"/,
    )
    const other = { 'vendors.csv': `${vendors}${row}V0050;Alpha;A\n`, 'brand.map.yaml': mapping }
    const different = await run(other, ['vendors.csv', '--collection', 'partners', '--no-check'])
    assert.equal(different.code, 1)
    assert.match(
      different.stderr,
      /vendors.csv:5 VENDOR_NO "V0050": .*has the same identity as line 4 of vendors.csv, and differs in name \(column NAME\): "Alpha" here, "Alfa" there/,
    )
  })

  for (const [name, map, args, expected] of [
    [
      'a file that no pattern matches',
      mapping,
      ['other.csv'],
      /other.csv matches none of the patterns of brand.map.yaml: vendors\*.csv, po_lines\*/,
    ],
    [
      'a folder without a file that matches',
      mapping,
      ['empty'],
      /empty has no file that matches one of the patterns/,
    ],
    [
      'a file without the columns of the mapping',
      mapping,
      ['vendors.csv'],
      /vendors.csv does not have the columns that the mapping uses:\n {2}no column "VENDOR_NO" \(brand.map.yaml:8\); did you mean "VENDORNO"\?/,
    ],
    [
      'another brand than that of the file',
      mapping,
      ['vendors.csv', '--brand', 'aldermoor'],
      /brand.map.yaml is for the brand halden/,
    ],
    [
      'no brand at all',
      mapping.replace('brand: halden\n', ''),
      ['vendors.csv'],
      /use either --brand <slug> or --shared/,
    ],
    [
      'a mapping file with problems',
      mapping.replace('code: VENDOR_NO', 'cod: VENDOR_NO'),
      ['vendors.csv'],
      /brand.map.yaml:21 "cod" is not a field of suppliers; did you mean code\?/,
    ],
  ] as const) {
    it(`is refused for ${name}`, async () => {
      const files = {
        'brand.map.yaml': map,
        'other.csv': 'A\n1\n',
        'empty/x.txt': '',
        'vendors.csv': vendors.replace('VENDOR_NO', 'VENDORNO'),
      }
      const { code, stderr } = await run(files, args)
      assert.notEqual(code, 0)
      assert.match(stderr, expected)
    })
  }

  it('names a mapping file that does not exist', async () => {
    const { code, stderr } = await place.run(['import', '--map', 'none.yaml', 'vendors.csv'])
    assert.equal(code, 1)
    assert.match(stderr, /There is no mapping file none.yaml/)
  })

  it('names many rows with a missing reference', async () => {
    const [header = '', row = ''] = lines.split('\n')
    const rows = Array.from({ length: 1_010 }, (_, index) =>
      row.replace('PO-5512', `PO-${index}`).replace('V0042', `X${index}`),
    )
    const files = { 'po_lines.csv': [header, ...rows].join('\n'), 'brand.map.yaml': mapping }
    const { code } = await run(files, ['po_lines.csv', '--report', 'problems.ndjson'])
    assert.equal(code, 1)
    const values = readFileSync(join(place.folder, 'problems.ndjson'), 'utf8')
      .split('\n')
      .filter((text) => text.includes('/supplierId'))
      .map((text) => JSON.parse(text).value)
    const idAt = (index: number) => naturalId('halden', 'suppliers', [`X${index}`])
    assert.equal(values.length, 1_010)
    for (const index of [0, 1_009]) assert.equal(values[index], `X${index}, id ${idAt(index)}`)
  })

  it('minds an error of a formula only in a column that the mapping uses', async () => {
    const workbook = (number: string, status: string, margin: string) =>
      workbookOf({
        sheets: {
          Vendors: [
            textRow(1, 'VENDOR_NO', 'NAME', 'STATUS', 'MARGIN'),
            `<row r="2">${textCell('A2', number)}${textCell('B2', `Vendor ${number}`)}${status}${margin}</row>`,
          ].join(''),
        },
      })
    const failed = (cell: string) => `<c r="${cell}" t="e"><f>1/0</f><v>#DIV/0!</v></c>`
    const place = openSandbox()
    try {
      await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
      place.put({
        'brand.map.yaml': mapping.replaceAll('vendors*.csv', 'vendors*.xlsx'),
        'vendors-1.xlsx': await workbook('V0050', textCell('C2', 'A'), failed('D2')),
        'vendors-2.xlsx': await workbook('V0051', failed('C2'), textCell('D2', '1')),
      })
      const run = (file: string) =>
        place.run(['import', '--map', 'brand.map.yaml', file, '--no-check'])
      const unused = await run('vendors-1.xlsx')
      assert.equal(unused.code, 0, unused.stderr)
      const used = await run('vendors-2.xlsx')
      assert.equal(used.code, 1)
      assert.match(
        used.stderr,
        /^error: vendors-2\.xlsx:2 \(#DIV\/0!\) \S+ column STATUS contains a formula error$/m,
      )
    } finally {
      place.close()
    }
  })
})

describe('import --map of files with a trailer', () => {
  const tags = `version: 1
brand: halden
formats: { decimal: ',', group: '.' }
collections:
  tags:
    from: { files: 'tags*', trailer: { startsWith: END, count: 2, sum: { WEIGHT: 3 } } }
    id: { key: [NO] }
    fields: { name: NO, code: NO, createdAt: first-seen, updatedAt: last-changed }
`
  const rows = Array.from({ length: 600 }, (_, index) => `T${index};${index % 2},50`)
  const take = (...last: readonly string[]) => {
    place.put({
      'tags.map.yaml': tags,
      'tags.csv': `${['NO;WEIGHT', ...rows, ...last].join('\n')}\n`,
    })
    return place.run(['import', '--map', 'tags.map.yaml', 'tags.csv', '--no-check'])
  }

  for (const [name, last, expected] of [
    ['has too few rows', ['END;601;600,00'], 'has 600 rows, but its trailer in line 602 says 601'],
    [
      'has another sum',
      ['END;600;600,01'],
      'has 600.00 as the sum of WEIGHT, but its trailer in line 602 says 600.01',
    ],
    ['has no number', ['END;600'], /says nothing$/],
    [
      'has a row that cannot be added up',
      ['T;heavy', 'END;601;600,00'],
      'has 600.00 as the sum of WEIGHT (line 602 has no number), but its trailer in line 603 says 600.00',
    ],
    [
      'has no trailer',
      [],
      'has no trailer, as a file that was cut off: its last row, line 601, does not begin with "END"',
    ],
  ] as const) {
    it(`refuses a file that ${name}`, async () => {
      const { code, stderr } = await take(...last)
      assert.equal(code, 1)
      const [message = ''] = stderr.trim().split('\n').slice(-1)
      if (typeof expected === 'string') assert.ok(message.includes(expected), stderr)
      else assert.match(message.replace(/\.$/, ''), expected)
    })
  }

  it('takes a file whose trailer agrees, and no record of it', async () => {
    const { code, stderr } = await take('END;600;600,00')
    assert.equal(code, 0, stderr)
    place.put({ 'tags.csv': 'NO;WEIGHT\nEND;0;0\n' })
    const none = await place.run(['import', '--map', 'tags.map.yaml', 'tags.csv', '--no-check'])
    assert.equal(none.code, 0, none.stderr)
    const names = (await stored('tags')).map((tag) => String(tag['name']))
    assert.equal(names.length, 100)
    assert.ok(names.every((name) => name.startsWith('T')))
  })
})
