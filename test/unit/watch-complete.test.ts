/** Files in a watched folder: which are complete, which are left alone, and the order of those that come together. */
import assert from 'node:assert/strict'
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { catalog } from '#contract'
import { findSources, type NamedFile } from '#ingest'
import { type FileSubject, folderInbox, type Inbox } from '#watch'
import { logLine } from '../../src/cli/output.ts'
import { createCompleteness, takeable } from '../../src/watch/completeness.ts'
import { inFileOrder } from '../../src/watch/file-order.ts'
import { changed, line, tag } from '../support/import-records.ts'
import { idOf } from '../support/model.ts'
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

describe('files that come together', () => {
  const settleMs = 10_000
  /** Collections and what they refer to; the rank is that of the first collection. */
  const subjects: { readonly [stem: string]: FileSubject } = {
    Artikel: { collections: ['options', 'products'], refersTo: ['categories'], rank: 0 },
    Bestellungen: { collections: ['orders'], refersTo: ['suppliers', 'products'], rank: 6 },
    Lieferanten: { collections: ['suppliers', 'contacts'], refersTo: [], rank: 4 },
    Warengruppen: { collections: ['categories'], refersTo: [], rank: 3 },
  }
  const subjectOf = (name: string): FileSubject =>
    subjects[name.replace(/[^A-Za-z].*/, '')] ?? { collections: [], refersTo: [], rank: 9 }
  const fileOf = (name: string, modifiedMs: number, touchedMs = modifiedMs) => ({
    ...{ name, modifiedMs, touchedMs, bytes: 1, version: String(modifiedMs), isComplete: false },
  })
  const ordered = (...files: readonly ReturnType<typeof fileOf>[]) => {
    const observed = files.map((file) => ({ file, completeSince: 0, firstSeen: 0 }))
    return inFileOrder(observed, { subjectOf, settleMs }).map(({ file }) => file.name)
  }
  /** Listings at several times: the files that can be taken at each. */
  const takenAt = (listings: readonly (readonly [number, ...ReturnType<typeof fileOf>[]])[]) => {
    const completeness = createCompleteness({ settleMs, needsMarker: false })
    return listings.map(([now, ...files]) => {
      const inOrder = inFileOrder(completeness.observe(files, now), { subjectOf, settleMs })
      return takeable(inOrder, now).map(({ name }) => name)
    })
  }

  it('are taken in the order of their references, whatever their names and times', () => {
    const names = ['Warengruppen.csv', 'Artikel.csv', 'Lieferanten.csv', 'Bestellungen.csv']
    const alphabetical = [...names].sort()
    const places = (order: readonly string[]) => names.map((name) => order.indexOf(name))
    for (const times of [
      [1, 2, 3, 4],
      [4, 3, 2, 1],
    ]) {
      const order = ordered(...alphabetical.map((name, index) => fileOf(name, times[index] ?? 0)))
      const [groups = 0, articles = 0, suppliers = 0, orders = 0] = places(order)
      assert.ok(groups < articles && articles < orders && suppliers < orders, order.join())
    }
  })

  it('keep the order of their times where they have the same collections', () => {
    assert.deepEqual(
      ordered(
        fileOf('Bestellungen a.csv', 3),
        fileOf('Bestellungen b.csv', 2),
        fileOf('Lieferanten.csv', 9),
        fileOf('Bestellungen c.csv', 1),
      ),
      ['Lieferanten.csv', 'Bestellungen c.csv', 'Bestellungen b.csv', 'Bestellungen a.csv'],
    )
  })

  it('are sets by the times in their names, or by their arrival', () => {
    const minute = 60_000
    const names = [
      'Lieferanten_20260301_090009.csv',
      'Bestellungen_20260301_090000.csv',
      'Lieferanten_20260301_090109.csv',
      'Bestellungen_20260301_090100.csv',
    ]
    assert.deepEqual(ordered(...names.map((name) => fileOf(name, 0))), names)
    const later = 30 * minute
    assert.deepEqual(
      ordered(
        fileOf('Bestellungen 2.csv', 1, later),
        // It was copied with its time.
        fileOf('Lieferanten 2.csv', 0, later + 1),
        fileOf('Bestellungen 1.csv', 2, minute),
        fileOf('Lieferanten 1.csv', 3, minute + 1),
      ),
      ['Lieferanten 1.csv', 'Bestellungen 1.csv', 'Lieferanten 2.csv', 'Bestellungen 2.csv'],
    )
  })

  it('wait for one that they refer to while it is written, but not for those that come later', () => {
    const orders = fileOf('Bestellungen.csv', 1_000)
    const suppliers = (modifiedMs: number) => fileOf('Lieferanten.csv', modifiedMs)
    const others = (modifiedMs: number) => fileOf('Lieferanten 2.csv', modifiedMs)
    assert.deepEqual(
      takenAt([
        [1_000, orders],
        [9_000, orders, suppliers(9_000)],
        [11_000, orders, suppliers(11_000)],
        // It is complete; what has come since does not hold it up.
        [20_000, orders, suppliers(11_000), others(20_000)],
        [21_000, orders, suppliers(11_000), others(21_000)],
      ]),
      [[], [], [], [], ['Lieferanten.csv', 'Bestellungen.csv']],
    )
  })

  it('continue in their order after the process has died in the middle of one', async () => {
    const { drop, once, inbox } = await open()
    const names = ['Artikel.ndjson', 'Lieferanten.ndjson', 'Bestellungen.ndjson']
    for (const [index, name] of [...names].sort().entries()) drop(name, line(tag(index)))
    const dying: Inbox = {
      ...inbox,
      draft: async (name, suffix) => {
        if (name === 'Lieferanten.ndjson') throw new RangeError('the process died')
        return inbox.draft(name, suffix)
      },
    }
    const order: string[] = []
    const onFile = async ({ file }: { readonly file: string }) => void order.push(file)
    await assert.rejects(once(dying, { subjectOf, onFile }), /the process died/)
    await once(inbox, { subjectOf, onFile })
    assert.deepEqual(order, names)
  })

  it('are tried again after those whose records still refer to what they remove', async () => {
    const { drop, once, inbox, brand } = await open()
    const dropTables = (...numbers: readonly number[]) => {
      const dimensions = numbers.map((number) =>
        changed('dimensions', { id: idOf(number), code: `d${number}`, unitOfMeasureId: null }),
      )
      const values = numbers.map((number) =>
        changed('dimension-values', { id: idOf(number), dimensionId: idOf(number) }),
      )
      drop('dimensions.ndjson', dimensions.map(line).join(''))
      drop('values.ndjson', values.map(line).join(''))
    }
    const collectionOf = (name: string) =>
      name === 'values.ndjson' ? 'dimension-values' : 'dimensions'
    const changes = {
      replace: true,
      findSources: (file: NamedFile) =>
        findSources([file], {
          catalog,
          collection: collectionOf(file.name),
          input: process.stdin,
        }),
      subjectOf: (name: string) => ({
        collections: [collectionOf(name)],
        refersTo: name === 'values.ndjson' ? ['dimensions'] : [],
        rank: 0,
      }),
    }
    const outcomesOf = async (over: Inbox = inbox) =>
      (await once(over, changes)).outcomes.map(({ file, outcome }) => [file, outcome])
    const inOrder = [
      ['dimensions.ndjson', 'imported'],
      ['values.ndjson', 'imported'],
    ]
    dropTables(1, 2, 3, 4)
    assert.deepEqual(await outcomesOf(), inOrder)
    dropTables(1, 2, 3)
    assert.deepEqual(await outcomesOf(), inOrder.toReversed())
    // The process dies while the first file waits for the second.
    dropTables(1, 2)
    const dying: Inbox = {
      ...inbox,
      draft: (name, suffix) =>
        name === 'values.ndjson'
          ? Promise.reject(new RangeError('the process died'))
          : inbox.draft(name, suffix),
    }
    await assert.rejects(outcomesOf(dying), /the process died/)
    assert.deepEqual(await outcomesOf(), inOrder.toReversed())
    const units = await (await openFileUnits(store)).list({ brand, limit: 10 })
    assert.deepEqual([...new Set(units.map(({ state }) => state))], ['done'])
  })

  it('do not wait for ever for one that is written for long', () => {
    const orders = fileOf('Bestellungen.csv', 0)
    assert.deepEqual(
      takenAt([
        [0, orders, fileOf('Lieferanten.csv', 0)],
        [599_000, orders, fileOf('Lieferanten.csv', 599_000)],
        [601_000, orders, fileOf('Lieferanten.csv', 601_000)],
      ]),
      [[], [], ['Bestellungen.csv']],
    )
  })
})

describe('a file of the whole table with less than half of the rows of its predecessor', () => {
  const replace = true
  const tagsFrom = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) =>
      line(tag(first + index, { name: `tag ${first + index}` })),
    ).join('')
  /** A folder in which the second file is held. */
  const openHeld = async () => {
    const opened = await open()
    const { drop, once, inbox, brand } = opened
    drop('tags-1.ndjson', tagsFrom(1, 5))
    await once(inbox, { replace })
    drop('tags-2.ndjson', tagsFrom(1, 2))
    const { outcomes } = await once(inbox, { replace })
    const units = await openFileUnits(store)
    const [unit] = await units.list({ brand, state: 'quarantined', limit: 1 })
    return { ...opened, outcomes, units, unit, id: unit?.id ?? '' }
  }
  const five = ['tag 1', 'tag 2', 'tag 3', 'tag 4', 'tag 5']

  it('is held with the reason, also when it is retried, until an operator accepts it', async () => {
    const { outcomes, unit, units, id, once, inbox, brand, drop } = await openHeld()
    const reason =
      'has 2 rows of tags, less than half of the 5 of tags-1.ndjson: check that it is complete. If it is, retry it with --accept'
    assert.equal(unit?.lastError, reason)
    assert.deepEqual(
      outcomes.map(({ movedTo, problem, isQuarantined }) => [movedTo, problem, isQuarantined]),
      [
        [
          'failed/tags-2.ndjson',
          `${reason}. It was tried once, and other files continue. To try it again, drop it again, or: selvedge intake retry ${id}`,
          true,
        ],
      ],
    )
    assert.ok(await units.retry(id))
    const again = await once(inbox, { replace })
    assert.equal(again.outcomes[0]?.isQuarantined, true)
    assert.deepEqual(await tagNames(store, brand), five)
    assert.ok(await units.retry(id, true))
    const accepted = await once(inbox, { replace })
    assert.equal(accepted.outcomes[0]?.outcome, 'imported')
    assert.deepEqual(await tagNames(store, brand), ['tag 1', 'tag 2'])
    // It is the predecessor of the next one.
    drop('tags-3.ndjson', tagsFrom(1, 1))
    assert.equal((await once(inbox, { replace })).outcomes[0]?.outcome, 'imported')
  })

  it('removes nothing once a later file was imported', async () => {
    const { units, id, once, inbox, brand, drop } = await openHeld()
    drop('tags-3.ndjson', tagsFrom(1, 5).replace('tag 1', 'newer'))
    assert.equal((await once(inbox, { replace })).outcomes[0]?.outcome, 'imported')
    assert.ok(await units.retry(id, true))
    assert.equal((await once(inbox, { replace })).outcomes[0]?.outcome, 'imported')
    assert.deepEqual(await tagNames(store, brand), ['newer', ...five.slice(1)])
  })

  it('is taken from a source that sends changes only', async () => {
    const { drop, once } = await open()
    drop('tags-1.ndjson', tagsFrom(1, 5))
    drop('tags-2.ndjson', tagsFrom(1, 1))
    const { outcomes } = await once()
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['imported', 'imported'],
    )
  })
})

describe('files that are to be ignored', () => {
  it('stay where they are and are not reported', async () => {
    const { drop, folder } = await open()
    const inbox = folderInbox(folder, { ignores: (name) => name.endsWith('.pdf') })
    drop('a.pdf', '')
    symlinkSync('/nowhere', join(folder, 'b.pdf'))
    drop('tags.ndjson', line(tag(1)))
    const { files, refused, hasMore } = await inbox.list()
    assert.deepEqual(
      [files.map(({ name }) => name), refused, hasMore],
      [['tags.ndjson'], [], false],
    )
  })
})

describe('a line of the log', () => {
  it('is one line that people can read, whatever a file or its name contains', () => {
    const columns = 'tags.csv does not have the columns:\n  NO (a.map.yaml:7)\n  its columns are'
    assert.equal(
      logLine(`${columns} "PK\\u0003\\u0004", \u0000\u0001\u0002x\r\nforged: line`),
      'tags.csv does not have the columns: NO (a.map.yaml:7) its columns are "PK\ufffd", \ufffdx forged: line',
    )
    assert.equal([...logLine('面'.repeat(2_000))].length, 600)
  })
})
