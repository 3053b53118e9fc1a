/** Rows of CSV, which are cut into batches before they are parsed: those of another parser, in any blocks. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { readCsv } from '../../src/ingest/read-csv.ts'
import { readNdjson } from '../../src/ingest/read-ndjson.ts'
import type { TableOptions, TableRow } from '../../src/ingest/table.ts'
import { seeded } from '../support/model.ts'

const cells = [
  '',
  'plain',
  'Größe',
  '尺寸 M',
  "it's",
  '12,50',
  'a"b',
  'two\nlines',
  'x\r\ny',
  'c\rr',
  '""',
  '|',
]
const quoted = (cell: string, delimiter: string): string =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell

/** A file of random cells with blank lines in it. */
const randomFile = (seed: number): Buffer => {
  const below = seeded(seed)
  const pick = <Value>(values: readonly Value[]) => values[below(values.length)] as Value
  const [delimiter, end] = [pick([',', ';', '\t']), pick(['\n', '\r\n'])]
  const row = () => Array.from({ length: 3 }, () => quoted(pick(cells), delimiter)).join(delimiter)
  const rows = Array.from({ length: 600 + below(600) }, () => row() + end + (below(20) ? '' : end))
  const last = below(2) ? '' : `last${delimiter}${delimiter}`
  return Buffer.from(
    `${pick(['', '\ufeff'])}A${delimiter}B${delimiter}C${end}${rows.join('')}${last}`,
  )
}

async function* blocksOf(file: Buffer, bytes: () => number): AsyncIterable<Buffer> {
  for (let at = 0; at < file.length; ) {
    const end = at + bytes()
    yield file.subarray(at, end)
    at = end
  }
}

const rowsOf = async (
  file: Buffer,
  bytes: () => number,
  options: TableOptions = {},
): Promise<readonly TableRow[]> => {
  const { rows } = await readCsv(blocksOf(file, bytes), options)
  return (await Array.fromAsync(rows)).flat()
}

/** The cells that the parser finds in the whole file. */
const parsedCells = (file: Buffer): readonly (readonly (string | null)[])[] => {
  const [, delimiter = ','] = /A(.)B/.exec(file.toString()) ?? []
  const rows = parse(file, {
    ...{ bom: true, delimiter, skip_empty_lines: true, record_delimiter: ['\r\n', '\n'] },
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  })
  return rows.slice(1)
}

describe('rows of CSV', () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`are those of the file in blocks of any size (file ${seed})`, async () => {
      const file = randomFile(seed)
      const whole = await rowsOf(file, () => file.length)
      assert.deepEqual(
        whole.map((row) => 'cells' in row && row.cells),
        parsedCells(file),
      )
      const below = seeded(seed)
      assert.deepEqual(await rowsOf(file, () => 1 + below(500)), whole)
      assert.deepEqual(await rowsOf(file, () => 1 + below(3)), whole)
    })

    it(`are each in one of the parts of a file (file ${seed})`, async () => {
      const file = randomFile(seed)
      const whole = await rowsOf(file, () => file.length)
      const below = seeded(seed)
      const parts = await Promise.all(
        [0, 1, 2].map((index) => rowsOf(file, () => 1 + below(9_000), { part: { index, of: 3 } })),
      )
      assert.ok(parts.every((rows) => rows.length > 0))
      assert.deepEqual(
        parts.flat().toSorted((one, other) => one.line - other.line),
        whole,
      )
    })
  }

  it('have the line that they begin in', async () => {
    const file = Buffer.from('A;B\r\n\r\n1;"x\r\ny\nz"\r\n2;b\r\n\n3;"\r"\r4;\r\n5;c')
    const rows = await rowsOf(file, () => 4)
    assert.deepEqual(
      rows.map((row) => [row.line, 'cells' in row && row.cells]),
      [
        [3, ['1', 'x\r\ny\nz']],
        [6, ['2', 'b']],
        [8, ['3', '\r']],
        [10, ['4', null]],
        [11, ['5', 'c']],
      ],
    )
  })

  it('come before the error of the first row that is not CSV, which says its line', async () => {
    const file = Buffer.from('A;B\n1;"x\ny"\n2;b\n3;"c"d\n4;e\n')
    const { rows } = await readCsv(
      blocksOf(file, () => 5),
      {},
    )
    const read: number[] = []
    await assert.rejects(async () => {
      for await (const batch of rows) read.push(...batch.map(({ line }) => line))
    }, /is not CSV: Invalid Closing Quote: got "d" at line 5 /)
    assert.deepEqual(read, [2, 4])
  })

  it('have the lines of the file where the header is not in the first one', async () => {
    const file = Buffer.from('Report\n\nA;B\n1;b\n2;"c"d\n')
    const { rows } = await readCsv(
      blocksOf(file, () => file.length),
      { headerRow: 3 },
    )
    const read: number[] = []
    await assert.rejects(async () => {
      for await (const batch of rows) read.push(...batch.map(({ line }) => line))
    }, /got "d" at line 5 /)
    assert.deepEqual(read, [4])
  })

  /** A header, so many blank lines, and a row. */
  async function* blank(lines: number, head: string, row: string): AsyncIterable<Buffer> {
    yield Buffer.from(head)
    for (let n = 0; n < lines; n += 50_000) yield Buffer.from('\r\n'.repeat(50_000))
    yield Buffer.from(row)
  }

  it('are read past blank lines, which take no memory', async () => {
    const { rows } = await readCsv(blank(1_000_000, 'A;B\n', '1;b\n'), {})
    const began = process.memoryUsage().arrayBuffers
    const read = (await Array.fromAsync(rows)).flat()
    assert.deepEqual(read, [{ line: 1_000_002, cells: ['1', 'b'] }])
    assert.ok(process.memoryUsage().arrayBuffers - began < 30_000_000)
  })

  const tooManyLines = { message: 'has more than 1,000,000 empty lines: remove them' }

  it('are refused among millions of blank lines', async () => {
    const { rows } = await readCsv(blank(1_100_000, 'A;B\n', '1;b\n'), {})
    await assert.rejects(Array.fromAsync(rows), tooManyLines)
    const records = readNdjson(blank(1_100_000, '', '{}\n'))
    await assert.rejects(Array.fromAsync(records), tooManyLines)
  })

  it('are read with blank lines after each', async () => {
    const file = Buffer.from(`A;B\n${`1;b${'\n'.repeat(11)}`.repeat(110_000)}`)
    const { rows } = await readCsv(
      blocksOf(file, () => 131_072),
      {},
    )
    let count = 0
    for await (const batch of rows) count += batch.length
    assert.equal(count, 110_000)
  })

  it('that do not end within 16 MiB are refused', async () => {
    async function* endless(): AsyncIterable<Buffer> {
      yield Buffer.from('A;B\n1;"')
      for (;;) yield Buffer.from('x\n'.repeat(100_000))
    }
    await assert.rejects(
      readCsv(endless(), {}),
      /has a row of more than 16,777,216 bytes in line 2: a quote may not be closed/,
    )
  })
})
