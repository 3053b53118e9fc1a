/** Correction files of many rows are made while other work continues. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readCorrections } from '#operator'
import type { QuarantinedRow, Store } from '#store'

const rowCount = 5_000

const rowAt = (at: number, file: string, cell: string): QuarantinedRow => ({
  ...{ id: at.toString(16).padStart(12, '0'), version: '0'.repeat(12), collection: 'vendors' },
  ...{ key: null, title: null, source: null, file, line: at, problems: [], waitsFor: null },
  ...{ parent: null, since: String(at).padStart(6, '0'), triedAt: '', record: null },
  ...{ row: { columns: ['NO', 'PRICE'], cells: [String(at), cell] }, isMapped: true },
})

const storeOf = (rows: readonly QuarantinedRow[]) => {
  const quarantine: Pick<Store['quarantine'], 'lastChange' | 'list'> = {
    lastChange: async () => 1,
    list: async ({ limit, after }) => {
      const from = after ? rows.findIndex(({ id }) => id === after.id) + 1 : 0
      return { total: rows.length, rows: rows.slice(from, from + limit) }
    },
  }
  return { quarantine } as Pick<Store, 'quarantine'>
}

for (const [format, cell, delimiter] of [
  ['csv', '1,5', ';'],
  ['csv', '1;5', ','],
  ['ndjson', '1,5', ','],
] as const) {
  it(`${format} with ${cell}: other work waits for no more than 200 rows`, async (context) => {
    const rows = Array.from({ length: rowCount }, (_, at) => rowAt(at, `v.${format}`, cell))
    let loops = 0
    const turn = () => {
      loops += 1
      counting = setImmediate(turn)
    }
    let counting = setImmediate(turn)
    context.after(() => clearImmediate(counting))
    const { files } = await readCorrections(storeOf(rows), { owner: 'aldermoor' })
    assert.ok(loops >= rowCount / 200, `${loops} loops while rows are read`)
    const [file] = files
    assert.ok(file)
    const before = loops
    let text = ''
    for await (const piece of file.pieces()) text += Buffer.from(piece).toString()
    // CSV looks at all rows twice: the first time to choose the delimiter.
    const looks = format === 'csv' ? 2 : 1
    assert.ok(loops - before >= (looks * rowCount) / 200, `${loops - before} loops`)
    assert.equal(text.trim().split('\n').length, rowCount + (format === 'csv' ? 1 : 0))
    if (format === 'csv') assert.match(text, new RegExp(`^\ufeffNO${delimiter}PRICE${delimiter}`))
  })
}
