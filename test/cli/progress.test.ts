/** The progress of an import, in a terminal and elsewhere. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createProgress } from '../../src/cli/progress.ts'
import { ndjson } from '../support/command.ts'
import { openStoryRecords, tag } from '../support/import-records.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'

const sandbox = openImportSandbox()
const { importInto } = sandbox
after(() => sandbox.close())
const main = await openStoryRecords(sandbox, 'progress.db')

describe('progress', () => {
  const open = (isTTY: boolean) => {
    const written: string[] = []
    const out = { isTTY, write: (words: string) => written.push(words) }
    const clock = { ms: 1_000 }
    const progress = createProgress(out as unknown as NodeJS.WriteStream, () => clock.ms)
    return { written, clock, progress }
  }

  it('in a terminal is a bar with what is done, how fast, and what is left', () => {
    const { written, clock, progress } = open(true)
    progress.show('a.csv', 0, 'rows', 0)
    clock.ms += 50
    progress.show('a.csv', 1, 'rows', 0.01)
    clock.ms += 1_950
    progress.show('a.csv', 5_000, 'rows', 0.25)
    clock.ms += 2_000
    progress.show('a.csv', 10_000, 'rows', 1.5)
    progress.end('a.csv', 10_001, 'rows')
    const clear = '\r\u001b[K'
    assert.deepEqual(written, [
      `${clear}${'░'.repeat(24)} a.csv  0 rows, 0 rows/s`,
      `${clear}${'█'.repeat(6)}${'░'.repeat(18)} a.csv  5,000 rows, 2,500 rows/s, 6 s left`,
      `${clear}${'█'.repeat(24)} a.csv  10,000 rows, 2,500 rows/s, 0 s left`,
      clear,
      'a.csv: 10,001 rows in 4.0 s (2,500 rows/s)\n',
    ])
  })

  it('of an input whose size is not known has no bar', () => {
    const { written, clock, progress } = open(true)
    progress.show('-', 0, 'rows', null)
    clock.ms += 1_000
    progress.show('-', 70, 'rows', null)
    assert.equal(written.at(-1), '\r\u001b[K-  70 rows, 70 rows/s')
  })

  it('elsewhere is a line at the end of each file, each with its own time', () => {
    const { written, clock, progress } = open(false)
    for (const file of ['a', 'b']) {
      progress.show(file, 0, 'rows', 0)
      clock.ms += 2_000
      progress.show(file, 3_000, 'rows', 0.5)
      progress.end(file, 6_000, 'rows')
    }
    assert.deepEqual(written, [
      'a: 6,000 rows in 2.0 s (3,000 rows/s)\n',
      'b: 6,000 rows in 2.0 s (3,000 rows/s)\n',
    ])
  })

  it('is reported from the beginning of a file to its end', async () => {
    const reported: [number, number, boolean][] = []
    await importInto(
      main,
      { 'tags.ndjson': ndjson([tag(1), tag(2)]) },
      { dryRun: true, onProgress: ({ bytes, rows, done }) => reported.push([bytes, rows, done]) },
    )
    const size = ndjson([tag(1), tag(2)]).length
    assert.deepEqual(reported, [
      [0, 0, false],
      [size, 2, false],
      [size, 2, true],
    ])
  })
})
