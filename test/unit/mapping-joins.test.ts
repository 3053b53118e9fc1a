import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { columnsOf, MappingError, parseMapping } from '#mapping'

const order = (settings: string, fields = ''): string => `version: 1
brand: halden
collections:
  orders:
${settings.replaceAll(/^/gm, '    ')}
    id: { key: [PO_NO] }
    fields:
      orderNumber: PO_NO
      status: { value: confirmed }
      kind: { value: bulk }
      revisionNumber: { value: 0 }
      supplierId: { ref: { collection: suppliers, key: [VENDOR] } }
      currency: { value: EUR }
      orderDate: ORDERED
      totalQuantity: { rows: sum, in: lines, of: QTY }
      totalAmount: { value: 0 }
      createdAt: first-seen
      updatedAt: last-changed
${fields}`

const files = `from: po_header*.csv
join: { name: lines, files: 'po_line*.csv', on: { PO_NO: PO_NO } }`

const parse = (text: string) => parseMapping({ file: 'x.map.yaml', text })

const messagesOf = async (text: string): Promise<readonly string[]> => {
  try {
    await parse(text)
    return []
  } catch (error) {
    assert.ok(error instanceof MappingError, String(error))
    return error.problems.map(({ line, message }) => `${line}: ${message}`)
  }
}

describe('A mapping with joined rows', () => {
  it('is parsed with their origin, their columns and the values over them', async () => {
    const [mapping] = (await parse(order(files))).collections
    assert.deepEqual(mapping?.join, [
      {
        line: 6,
        name: 'lines',
        from: { files: { patterns: ['po_line*.csv'] }, sql: null, rows: null },
        on: [{ line: 6, column: 'PO_NO', other: 'PO_NO' }],
      },
    ])
    const total = mapping?.fields.find(({ field }) => field === 'totalQuantity')
    assert.equal(total?.value.source.kind, 'rows')
    assert.deepEqual(mapping && columnsOf(mapping), ['PO_NO', 'VENDOR', 'ORDERED'])
  })

  it('keeps the digits of rows that are given', async () => {
    const { collections } = await parse(`version: 1
collections:
  tags:
    from: { given: [{ code: 0042, rate: 12.50, open: true }, { code: WH1, note: 倉庫 }] }
    id: { key: [code] }
    fields: { code: code, name: code, createdAt: first-seen, updatedAt: last-changed }
`)
    assert.deepEqual(collections[0]?.from.given, {
      line: 4,
      columns: ['code', 'rate', 'open', 'note'],
      rows: [
        { line: 4, cells: ['0042', '12.50', true, null] },
        { line: 4, cells: ['WH1', null, null, '倉庫'] },
      ],
    })
  })

  for (const [name, text, expected] of [
    [
      'another origin of its joined rows',
      order(files.replace("files: 'po_line*.csv'", 'sql: select * from po_line')),
      /^6: lines of orders has no files: its rows must come from where those of orders come from/,
    ],
    [
      'a join without columns',
      order(files.replace(', on: { PO_NO: PO_NO }', '')),
      /^6: join of orders has no columns that are equal: add on:/,
    ],
    [
      'a name that no join has',
      order(files.replace('name: lines', 'name: positions')),
      /^16: "lines" is not a join of orders; there are positions/,
    ],
    [
      'values over rows without group',
      order(files).replace('in: lines, ', ''),
      /^16: rows of totalQuantity has no in, and orders has no group/,
    ],
    [
      'a function that there is not',
      order(files).replace('rows: sum', 'rows: average'),
      /^16: rows of totalQuantity: "average" is not a function over rows; there are sum, count, min, max, first/,
    ],
    [
      'the greatest of texts',
      order(files, '      memo: { rows: max, in: lines, of: NOTE }\n'),
      /^20: rows: max makes a whole number or a number or a date or a time, and memo is a text/,
    ],
    [
      'rows within rows',
      order(files).replace('of: QTY', 'of: { rows: sum, in: lines, of: QTY }'),
      /^16: totalQuantity has rows within rows/,
    ],
    [
      'a cursor beside a join, which would keep old totals',
      order(`from: { sql: select * from po, cursor: changed }
join: { name: lines, sql: select * from po_line, on: { PO_NO: PO_NO } }`),
      /^5: orders has join and cursor: a change of joined rows alone would not be seen/,
    ],
    [
      'a cursor beside a group, which would make totals of some rows',
      order(`from: { sql: select * from po_line, cursor: changed }
group: [PO_NO]`).replace('in: lines, ', ''),
      /^5: orders has group and cursor: rows of a group that have not changed would be missing/,
    ],
    [
      'a comparison of keys that needs joined rows',
      order(`from: { sql: select * from po, reconcile: 1h }
join: { name: lines, sql: select * from po_line, on: { PO_NO: PO_NO } }
where: { lines.STATE: A }`),
      /^5: orders has reconcile, which reads keys without joined rows, and the key or a condition needs lines.STATE/,
    ],
    [
      'a join that needs a later one',
      order(`from: po_header*.csv
join:
  - { name: country, files: country.csv, on: { vendor.COUNTRY: CODE } }
  - { name: vendor, files: vendor.csv, on: { VENDOR: NO } }
  - { name: lines, files: line.csv, on: { PO_NO: PO_NO } }`),
      /^7: on of country uses vendor.COUNTRY: join vendor before country/,
    ],
    [
      'given rows beside files',
      order(files.replace("files: 'po_line*.csv'", "files: 'l.csv', given: [{ PO_NO: 1 }]")),
      /^6: join of orders has files and given: rows that are given are the only ones/,
    ],
  ] as const) {
    it(`is refused for ${name}`, async () => {
      const messages = await messagesOf(text)
      assert.ok(
        messages.some((message) => expected.test(message)),
        messages.join('\n'),
      )
    })
  }
})

describe('Keys of different length', () => {
  const two = (reference: string): string => `version: 1
collections:
  categories:
    - from: groups.csv
      id: { key: [GRP] }
      fields: &fields { code: GRP, name: NAME, kind: { value: product }, level: { value: 1 }, sequence: { value: 1 }, parentCategoryId: ${reference}, createdAt: first-seen, updatedAt: last-changed }
    - from: subgroups.csv
      id: { key: [GRP, SUB] }
      fields: *fields
`

  it('are those of several mappings, and a reference has the length of one', async () => {
    assert.deepEqual(await messagesOf(two('{ ref: [GRP] }')), [])
    assert.deepEqual(await messagesOf(two('{ ref: [GRP, SUB] }')), [])
    const messages = await messagesOf(two('{ ref: [GRP, SUB, NO] }'))
    assert.deepEqual(
      messages[0],
      '6: the reference to categories has 3 parts, and its key in line 5 has 1, its key in line 8 has 2: both must have the same parts in the same order',
    )
  })
})
