/** Rows without a text of their own, written as texts that can be stored as they are. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { describe, it } from 'node:test'
import { compileCanonicalScanner, id, limits, text } from '#contract'
import { withCanonicalRows } from '../../src/ingest/canonical-rows.ts'
import type { SourceRow } from '../../src/ingest/row.ts'

const scanner = compileCanonicalScanner(
  { fields: { id: id(), name: text() } },
  { wanted: ['id'], wantedBytes: 400, isUtf8 },
)
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const row = (line: number, name: string, n = line): SourceRow => ({
  line,
  value: { id: idOf(n), name },
  losses: [],
})

const write = (batches: readonly (readonly SourceRow[])[], marksRepeats = false) =>
  Array.fromAsync(
    withCanonicalRows(
      (async function* () {
        for (const rows of batches) yield { rows, canonical: null }
      })(),
      { scanner, marksRepeats },
    ),
  )

describe('rows that become texts', () => {
  it('keep their lines and their bytes, and leave the others as they are', async () => {
    const wrong: SourceRow = { line: 2, value: { id: 'x', name: 'Größe' }, losses: [] }
    const problem: SourceRow = { line: 3, problem: 'is not a row', text: '' }
    const [batch] = await write([[row(1, 'Größe “尺码” 👕'), wrong, problem, row(4, '')]])
    assert.deepEqual(batch?.rows, [wrong, problem])
    assert.deepEqual(batch?.canonical?.lines, [1, 4])
    assert.equal(
      Buffer.from(batch?.canonical?.bytes ?? []).toString(),
      `${JSON.stringify({ id: idOf(1), name: 'Größe “尺码” 👕' })}${JSON.stringify({ id: idOf(4), name: '' })}`,
    )
  })

  it('name the line that they repeat, also of the batch before, where that is wanted', async () => {
    const same = [[row(1, 'a', 1), row(2, 'a', 1)], [row(3, 'a', 1)]]
    const marked = await write(same, true)
    assert.deepEqual(
      marked.map(({ rows }) => rows),
      [[{ line: 2, repeats: 1 }], [{ line: 3, repeats: 1 }]],
    )
    const all = await write(same)
    assert.deepEqual(
      all.map(({ canonical }) => canonical?.lines),
      [[1, 2], [3]],
    )
  })

  it('are not those that are longer than a record, which take no memory later either', async () => {
    const long = row(1, 'x'.repeat(limits.record.maxBytes * 10))
    const [first, second] = await write([[long, row(2, 'a')], [row(3, 'b')]])
    assert.deepEqual(first?.rows, [long])
    assert.deepEqual(first?.canonical?.lines, [2])
    assert.deepEqual(second?.canonical?.lines, [3])
    for (const batch of [first, second]) {
      assert.ok((batch?.canonical?.bytes.buffer.byteLength ?? 0) <= limits.record.maxBytes)
    }
  })
})
