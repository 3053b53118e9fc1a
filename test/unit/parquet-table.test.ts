/** Parquet files as imports read them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { type ColumnSource, parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer'
import { SourceError } from '#ingest'
import { readTable } from '../support/workbook.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-parquet-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const read = (bytes: Uint8Array) =>
  readTable(join(folder, 'table.parquet'), bytes, { format: 'parquet' })

const write = (
  columnData: ColumnSource[],
  options: Partial<Parameters<typeof parquetWriteBuffer>[0]> = {},
): Buffer => Buffer.from(parquetWriteBuffer({ columnData, ...options }))

/** The values of a column, as cells. */
const cellsOf = async (column: Omit<ColumnSource, 'name'>, schema?: readonly SchemaElement[]) => {
  const { rows } = await read(
    write(
      [{ name: 'value', ...column }],
      schema && { schema: [{ name: 'root', num_children: 1 }, ...schema] },
    ),
  )
  return rows.map((row) => ('cells' in row ? row.cells[0] : row.problem))
}

const field = (rest: Partial<SchemaElement>): readonly SchemaElement[] => [
  { name: 'value', repetition_type: 'OPTIONAL', ...rest },
]

describe('a column of Parquet', () => {
  it('holds texts, numbers, truth values and nothing', async () => {
    assert.deepEqual(await cellsOf({ data: ['007', 'é', null], type: 'STRING' }), [
      '007',
      'é',
      null,
    ])
    assert.deepEqual(await cellsOf({ data: [1.5, null], type: 'DOUBLE' }), [1.5, null])
    assert.deepEqual(await cellsOf({ data: [7, -7], type: 'INT32' }), [7, -7])
    assert.deepEqual(await cellsOf({ data: [true, false, null], type: 'BOOLEAN' }), [
      true,
      false,
      null,
    ])
    const large = 9_007_199_254_740_993n
    assert.deepEqual(await cellsOf({ data: [large, -1n], type: 'INT64' }), [large, -1n])
  })

  it('holds instants, and days and times without a zone', async () => {
    const instant = new Date('2026-03-14T09:30:00.250Z')
    assert.deepEqual(await cellsOf({ data: [instant, null], type: 'TIMESTAMP' }), [instant, null])
    const day = field({ type: 'INT32', converted_type: 'DATE' })
    assert.deepEqual(await cellsOf({ data: [new Date('2026-03-14')] }, day), ['~2026-03-14'])
    const local = field({
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' },
    })
    assert.deepEqual(await cellsOf({ data: [instant] }, local), ['~2026-03-14T09:30:00.250'])
  })

  it('holds decimals with all their digits', async () => {
    const decimal = (type: 'INT32' | 'INT64', scale: number) =>
      field({ type, converted_type: 'DECIMAL', scale, precision: 18 })
    assert.deepEqual(await cellsOf({ data: [19.99, -0.05, 0] }, decimal('INT32', 2)), [
      '19.99',
      '-0.05',
      '0.00',
    ])
    assert.deepEqual(await cellsOf({ data: [123_456_789_012.25] }, decimal('INT64', 2)), [
      '123456789012.25',
    ])
    assert.deepEqual(await cellsOf({ data: [12, -3] }, decimal('INT32', 0)), ['12', '-3'])
  })

  it('holds lists and maps as JSON', async () => {
    const list: readonly SchemaElement[] = [
      { name: 'value', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'OPTIONAL', type: 'INT64' },
    ]
    assert.deepEqual(await cellsOf({ data: [[1n, 2n], [], null] }, list), [[1, 2], [], null])
    assert.deepEqual(await cellsOf({ data: [{ a: [1] }], type: 'JSON' }), [{ a: [1] }])
  })

  it('of structures becomes a column for each of their fields', async () => {
    const schema: SchemaElement[] = [
      { name: 'root', num_children: 1 },
      { name: 'address', repetition_type: 'OPTIONAL', num_children: 2 },
      { name: 'city', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
      { name: 'number', repetition_type: 'OPTIONAL', type: 'INT32' },
    ]
    const data = [{ city: 'Oslo', number: 5 }, null, { city: null, number: 6 }]
    assert.deepEqual(await read(write([{ name: 'address', data }], { schema })), {
      columns: ['address.city', 'address.number'],
      rows: [
        { line: 1, cells: ['Oslo', 5] },
        { line: 2, cells: [null, null] },
        { line: 3, cells: [null, 6] },
      ],
    })
  })
})

describe('a Parquet file', () => {
  it('is read row group by row group, with numbered rows', async () => {
    const data = Array.from({ length: 2_500 }, (_, index) => index)
    const { rows } = await read(write([{ name: 'n', data, type: 'INT32' }], { rowGroupSize: 999 }))
    assert.deepEqual(
      rows,
      data.map((n) => ({ line: n + 1, cells: [n] })),
    )
  })

  it('without rows has its columns', async () => {
    assert.deepEqual(await read(write([{ name: 'n', data: [], type: 'INT32' }])), {
      columns: ['n'],
      rows: [],
    })
  })

  const whole = write([{ name: 'n', data: ['some text', 'other text'], type: 'STRING' }])
  for (const [name, bytes, message] of [
    ['a text', Buffer.from('id,name\n'), /^is not a Parquet file$/],
    ['cut off', whole.subarray(0, whole.length - 20), /^is not a whole Parquet file: /],
    ['only its beginning', whole.subarray(0, 4), /^is not a whole Parquet file: /],
    [
      'damaged',
      Buffer.concat([whole.subarray(0, 4), Buffer.alloc(30, 0xff), whole.subarray(34)]),
      /^is not a whole Parquet file: /,
    ],
  ] as const) {
    it(`is refused: ${name}`, () =>
      assert.rejects(read(bytes), (error) => {
        assert.ok(error instanceof SourceError, String(error))
        assert.match(error.message, message)
        return true
      }))
  }
})
