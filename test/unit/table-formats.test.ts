/** Tables of records as files: every value is found again by another program. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { catalog, type JsonValue, type Kind, resourceAt } from '#contract'
import {
  type Column,
  columnsOf,
  type RecordBatch,
  type Table,
  tableFormats,
  titledReferences,
  withTitles,
} from '#formats'
import { cannotReadWorkbooks, readWorkbook } from '../support/xlsx.ts'

const column = (name: string, kind: Kind): Column => ({
  name,
  field: name,
  kind,
  read: (record) => (record as { readonly [name: string]: JsonValue })[name] ?? null,
})

const batchesOf = async function* (
  ...batches: readonly (readonly JsonValue[])[]
): AsyncGenerator<RecordBatch> {
  for (const records of batches) {
    const bodies = records.map((record) => Buffer.from(JSON.stringify(record)))
    yield { bodies, records, valuesOf: () => null }
  }
}

const encoded = async (
  format: keyof typeof tableFormats,
  columns: readonly Column[],
  batches: AsyncIterable<RecordBatch>,
  { hasBom = false, delimiter = 'comma' }: Partial<Pick<Table, 'hasBom' | 'delimiter'>> = {},
): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  const table = { name: 'orders', columns, hasBom, delimiter }
  for await (const piece of tableFormats[format].encode(table, batches)) pieces.push(piece)
  return Buffer.concat(pieces)
}

describe('NDJSON', () => {
  it('has the records byte for byte, and ends with how many there are', async () => {
    const file = await encoded('ndjson', [], batchesOf([{ a: 'é' }, { a: 2 }], [{ a: null }]))
    assert.equal(file.toString(), '{"a":"é"}\n{"a":2}\n{"a":null}\n{"complete":true,"items":3}\n')
    assert.equal(
      (await encoded('ndjson', [], batchesOf())).toString(),
      '{"complete":true,"items":0}\n',
    )
  })
})

describe('CSV', () => {
  const columns = [column('text', 'text'), column('amount', 'amount'), column('any', 'any')]

  it('is read back cell by cell, by a parser of its own', async () => {
    const texts = ['plain', 'a,b', '"q"', 'two\r\nlines', ' spaces ', '', 'é😀', "it's"]
    const records = texts.map((text) => ({ text, amount: '-1.50', any: { k: [text] } }))
    const file = await encoded('csv', columns, batchesOf(records.slice(0, 3), records.slice(3)))
    assert.ok(file.toString().startsWith('text,amount,any\r\n'))
    const rows: readonly string[][] = parse(file, { record_delimiter: '\r\n', from_line: 2 })
    assert.deepEqual(
      rows,
      records.map(({ text, amount, any }) => [text, amount, JSON.stringify(any)]),
    )
  })

  it('neutralises what a spreadsheet would run, and leaves numbers alone', async () => {
    const texts = ['=1+1', '+1', '-cmd', '@x', '\tx', '-12', '-12.5', 'a=b', '1-1']
    const records = texts.map((text) => ({ text, amount: '-7', any: null }))
    const rows: readonly string[][] = parse(await encoded('csv', columns, batchesOf(records)), {
      record_delimiter: '\r\n',
      from_line: 2,
    })
    assert.deepEqual(
      rows.map(([text, amount]) => [text, amount]),
      ["'=1+1", "'+1", "'-cmd", "'@x", "'\tx", '-12', '-12.5', 'a=b', '1-1'].map((text) => [
        text,
        '-7',
      ]),
    )
  })

  it('neutralises formulas that another delimiter would make of a text', async () => {
    const cases = [
      ['x;=HYPERLINK("http://x")', `x;'=HYPERLINK("http://x")`, null],
      ['x;-2+3+cmd|x', "x;'-2+3+cmd|x", null],
      ['a\t@b|+c', "a\t'@b|'+c", "a\t'@b|'+c"],
      ['two\n=lines\r\n "-x', "two\n'=lines\r\n \"'-x", "two\n'=lines\r\n \"'-x"],
      ['a, =b', null, "a, '=b"],
      ['5;-3; -2.5', "5;-3; '-2.5", null],
      ['5,-3, -2.5', null, "5,-3, '-2.5"],
      ['a=b; c-d|e@f', null, null],
      ["a;-2\t*cmd|' /C calc'!A0", "a;'-2\t*cmd|' /C calc'!A0", null],
      ["a,-2\t*cmd|' /C calc'!A0", null, "a,'-2\t*cmd|' /C calc'!A0"],
      ['a|-2\r*x', "a|'-2\r*x", "a|'-2\r*x"],
      ['a\t-1\r\n-2\n-3\t*x', "a\t-1\r\n-2\n'-3\t*x", "a\t-1\r\n-2\n'-3\t*x"],
    ] as const
    const records = cases.map(([text]) => ({
      text,
      amount: null,
      any: [text, -1, [[1, -2], [-3]], -2e-9],
    }))
    for (const [index, delimiter] of (['comma', 'semicolon'] as const).entries()) {
      const file = await encoded('csv', columns, batchesOf(records), { delimiter })
      const sign = { comma: ',', semicolon: ';' }[delimiter]
      const rows: readonly string[][] = parse(file, {
        ...{ record_delimiter: '\r\n', from_line: 2, delimiter: sign },
      })
      for (const [row, each] of cases.entries()) {
        assert.equal(rows[row]?.[0], each[index + 1] ?? each[0], delimiter)
        // JSON stays JSON.
        assert.deepEqual(JSON.parse(rows[row]?.[2] ?? '').slice(1), [-1, [[1, -2], [-3]], -2e-9])
      }
      // No line is split into a formula at any other sign.
      for (const other of [delimiter === 'comma' ? ';' : ',', '\t', '|', '\r']) {
        for (const cell of file.toString().split(new RegExp(`[${other}]|\\r?\\n`))) {
          const isFormula = /^[" ]*[=+\-@]/.test(cell) && !/^[" ]*-[\d.e-]+[" \]}]*$/.test(cell)
          assert.ok(!isFormula, cell)
        }
      }
    }
  })

  it('takes a time that grows with the length of a text only', async () => {
    for (const part of [';', ' ', '"', ';-1', ';-', ']', '\t', '; "']) {
      const text = `;${part.repeat(200_000 / part.length)}x`
      const began = performance.now()
      await encoded('csv', columns, batchesOf([{ text, amount: null, any: null }]))
      assert.ok(performance.now() - began < 2_000, JSON.stringify(part))
    }
  })

  it('is separated by semicolons if that is wanted', async () => {
    const texts = ['plain', 'a,b', 'a;b', '"q"', 'two\r\nlines', '']
    const records = texts.map((text) => ({ text, amount: '-1.50', any: { k: [text] } }))
    const file = await encoded('csv', columns, batchesOf(records), { delimiter: 'semicolon' })
    assert.ok(file.toString().startsWith('text;amount;any\r\nplain;-1.50;'))
    const options = { record_delimiter: '\r\n', from_line: 2, delimiter: ';' }
    const rows: readonly string[][] = parse(file, options)
    assert.deepEqual(
      rows,
      records.map(({ text, amount, any }) => [text, amount, JSON.stringify(any)]),
    )
  })

  it('begins with a byte order mark if that is wanted, and tells null from an empty text', async () => {
    const records = [{ text: '', amount: null, any: null }]
    const file = await encoded('csv', columns, batchesOf(records), { hasBom: true })
    assert.equal(file.toString('hex', 0, 3), 'efbbbf')
    assert.equal(file.toString('utf8', 3), 'text,amount,any\r\n"",,\r\n')
    const plain = await encoded('csv', columns, batchesOf([]))
    assert.equal(plain.toString(), 'text,amount,any\r\n')
  })
})

describe('a table', () => {
  it('has the title of each reference beside it, where there is one to read', () => {
    const orders = resourceAt(catalog, 'orders')
    const columns = withTitles(columnsOf(orders), titledReferences(catalog, orders))
    const names = columns.map(({ name }) => name)
    assert.deepEqual(names.slice(0, 5), [
      'id',
      'orderNumber',
      'supplierId',
      'supplierName',
      'quoteRevisionId',
    ])
    assert.ok(names.includes('destinationLocationName'))
    // A revision is called by its number, which says nothing without its quote.
    assert.ok(!names.includes('quoteRevisionName'))
    const supplier = columns.find(({ name }) => name === 'supplierName')
    const titleOf = (group: string, id: string) => ({ name: `${group} ${id}` })
    assert.equal(supplier?.read({ supplierId: 's1' }, titleOf), 'suppliers s1')
    assert.equal(supplier?.read({ supplierId: null }, titleOf), null)
  })

  it('has no two columns of the same name, in any group', () => {
    for (const resource of catalog.resources) {
      const columns = withTitles(columnsOf(resource), titledReferences(catalog, resource))
      assert.equal(new Set(columns.map(({ name }) => name)).size, columns.length, resource.path)
    }
  })
})

describe('XLSX', { skip: cannotReadWorkbooks }, () => {
  const kinds: readonly Kind[] = ['text', 'integer', 'amount', 'flag', 'date', 'timestamp', 'any']
  const columns = kinds.map((kind) => column(kind, kind))
  const cellsOf = async (...records: readonly JsonValue[]) =>
    readWorkbook(await encoded('xlsx', columns, batchesOf(records))).rows.slice(1)

  it('is a workbook with one sheet that is named after the group, its header frozen', async () => {
    const book = readWorkbook(await encoded('xlsx', columns, batchesOf([{ text: 'x' }], [])))
    assert.equal(book.sheet, 'orders')
    assert.equal(book.frozenRows, '1')
    assert.equal(book.parts[0], '[Content_Types].xml')
    assert.deepEqual(
      Object.values(book.rows[0] ?? {}).map(([, value]) => value),
      kinds,
    )
    assert.deepEqual(book.rows.slice(1), [{ A: ['inlineStr', 'x', ''] }])
  })

  it('has real dates, numbers where they are exact, and texts otherwise', async () => {
    const [row, other] = await cellsOf(
      {
        text: '=1+1',
        integer: -42,
        amount: '1234.50',
        flag: true,
        date: '2026-11-16',
        timestamp: '2026-11-16T06:00:00.000Z',
        any: { a: [1] },
      },
      {
        text: '',
        integer: 9_007_199_254_740_991,
        amount: '0.000000000000000123',
        flag: false,
        date: '1900-02-28',
        timestamp: '1899-01-01T00:00:00.000Z',
        any: null,
      },
    )
    assert.deepEqual(row, {
      A: ['inlineStr', '=1+1', ''],
      B: ['n', '-42', ''],
      C: ['n', '1234.50', '0.00'],
      D: ['b', '1', ''],
      E: ['n', '46342', 'yyyy\\-mm\\-dd'],
      F: ['n', '46342.25', 'yyyy\\-mm\\-dd\\ hh:mm:ss.000'],
      G: ['inlineStr', '{"a":[1]}', ''],
    })
    assert.deepEqual(other, {
      A: ['inlineStr', '', ''],
      B: ['inlineStr', '9007199254740991', ''],
      C: ['n', '0.000000000000000123', ''],
      D: ['b', '0', ''],
      E: ['inlineStr', '1900-02-28', ''],
      F: ['inlineStr', '1899-01-01T00:00:00.000Z', ''],
    })
    const numbers = ['123456789012345', '1234567890123456', '-0.5', '12345678901234.56', '-']
    const cells = await cellsOf(...numbers.map((amount) => ({ amount })))
    assert.deepEqual(
      cells.map(({ C }) => C?.[0]),
      ['n', 'inlineStr', 'n', 'inlineStr', 'inlineStr'],
    )
  })

  it('keeps every character that a text can have, and cuts what no cell can hold', async () => {
    const texts = [
      '<b>&amp;"\'</b>',
      ' spaces \n\t ',
      'two\r\nlines',
      'é 😀 漢',
      'bell \u0007, nul \u0000, \uffff',
      '_x0041_ and _x005F_',
      'x'.repeat(32_767),
    ]
    const cells = await cellsOf(...texts.map((text) => ({ text })))
    assert.deepEqual(
      cells.map(({ A }) => A?.[1]),
      texts,
    )
    const [long] = await cellsOf({ text: 'y'.repeat(40_000) })
    assert.equal(long?.['A']?.[1], `${'y'.repeat(32_766)}…`)
  })

  it('is not a workbook if it ends early', async () => {
    const file = await encoded('xlsx', columns, batchesOf([{ text: 'x' }]))
    for (const length of [0, 100, file.length - 30, file.length - 1]) {
      assert.throws(() => readWorkbook(file.subarray(0, length)), /cannot be read/)
    }
  })

  it('fails where its records do, and reads no further once it is no longer wanted', async () => {
    const failing = async function* (): AsyncGenerator<RecordBatch> {
      yield* batchesOf([{ text: 'x' }])
      throw new RangeError('The records have ended early.')
    }
    await assert.rejects(encoded('xlsx', columns, failing()), /ended early/)
    let isClosed = false
    let read = 0
    const endless = async function* (): AsyncGenerator<RecordBatch> {
      try {
        for (;;) {
          read += 1
          yield* batchesOf([{ text: String(Math.sin(read)).repeat(1_000) }])
        }
      } finally {
        isClosed = true
      }
    }
    const pieces = tableFormats.xlsx.encode(
      { name: 'x', columns, hasBom: false, delimiter: 'comma' } as const,
      endless(),
    )
    for await (const piece of pieces) {
      assert.ok(piece.length > 0)
      if (read > 50) break
    }
    assert.ok(read < 200, `${read} batches`)
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(isClosed)
  })
})
