/** Files in a watched folder: which are complete, which are left alone, and the order of those that come together. */
import assert from 'node:assert/strict'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Inbox } from '#watch'
import { tag } from '../support/import-records.ts'
import { openFileUnits, openWatchedFolders, tagNames } from '../support/watching.ts'

const { store, open } = await openWatchedFolders()

/** Tags with these names as CSV, without a line break at the end. */
const cutOff = (...names: readonly string[]): string => {
  const columns = ['id', 'name', 'code', 'createdAt', 'updatedAt'] as const
  const rows = names.map((name, index) => {
    const record: Record<string, unknown> = tag(index, { name })
    return columns.map((column) => record[column]).join(',')
  })
  return [columns.join(','), ...rows].join('\n')
}

describe('a CSV file without a line break at its end', () => {
  const reason = (name: string) =>
    `ends without a line break, as if it were cut off: drop it again when it is complete, together with ${name}.done. If its source never writes one, start the command with --allow-unterminated`

  it('is refused, also if it is compressed, and other files are taken', async () => {
    const { drop, once, folder, brand } = await open()
    drop('a.csv', cutOff('a'))
    writeFileSync(join(folder, 'b.csv.gz'), gzipSync(cutOff('b')))
    drop('c.csv', `${cutOff('c')}\r\n`)
    writeFileSync(join(folder, 'd.csv.gz'), gzipSync(`${cutOff('c', 'd')}\n`))
    const { outcomes, failed } = await once()
    assert.deepEqual(
      outcomes.map(({ file, outcome, problem }) => [file, outcome, problem]),
      [
        ['a.csv', 'failed', reason('a.csv')],
        ['b.csv.gz', 'failed', reason('b.csv.gz')],
        ['c.csv', 'imported', null],
        ['d.csv.gz', 'imported', null],
      ],
    )
    assert.equal(failed, 2)
    assert.deepEqual(await tagNames(store, brand), ['c', 'd'])
    const text = readFileSync(join(folder, 'failed/a.csv.problems.txt'), 'utf8')
    assert.equal(text, `${reason('a.csv')}\n`)
    const units = await (await openFileUnits(store)).list({ brand, limit: 10 })
    assert.deepEqual(
      units.map(({ state }) => state),
      ['refused', 'refused', 'done', 'done'],
    )
  })

  it('is taken with a marker, after a rename that was seen, and if its source writes none', async () => {
    const { drop, once, folder, inbox, brand } = await open()
    drop('a.csv', cutOff('a'))
    drop('a.csv.done', '')
    assert.equal((await once()).outcomes[0]?.outcome, 'imported')
    drop('b.csv.part', cutOff('b'))
    await inbox.list()
    renameSync(join(folder, 'b.csv.part'), join(folder, 'b.csv'))
    assert.equal((await once()).outcomes[0]?.outcome, 'imported')
    drop('c.csv', cutOff('c'))
    const { outcomes } = await once(inbox, { allowsUnterminated: true })
    assert.equal(outcomes[0]?.outcome, 'imported')
    assert.deepEqual(await tagNames(store, brand), ['c'])
  })

  it('is still what it was after the process has died in the middle of it', async () => {
    const { drop, once, inbox, brand } = await open()
    const dying = (at: 'open' | 'draft'): Inbox => ({
      ...inbox,
      [at]: () => Promise.reject(new RangeError('the process died')),
    })
    drop('a.csv', cutOff('a'))
    drop('a.csv.done', '')
    await assert.rejects(once(dying('draft')), /the process died/)
    assert.equal((await once()).outcomes[0]?.outcome, 'imported')
    // Nothing has looked at this one yet.
    drop('b.csv', cutOff('b'))
    await assert.rejects(once(dying('open')), /the process died/)
    assert.equal((await once()).outcomes[0]?.problem, reason('b.csv'))
    assert.deepEqual(await tagNames(store, brand), ['a'])
  })
})
