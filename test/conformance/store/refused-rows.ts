/** What happens to records that pass validation and that an engine refuses, on every engine. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Resource } from '#contract'
import { type Database, DatabaseRefusedError, type Session } from '#database'
import { type IngestOptions, ingest, openReport, type Source, SourceError } from '#ingest'
import { createStore, type Store, sharedOwner } from '#store'
import { decodeBody } from '../../../src/store/read/body.ts'
import { refuseValue } from '../../support/refuse-value.ts'
import {
  brand,
  colours,
  crate,
  crates,
  type OpenedForStore,
  places,
  small,
  uuid,
} from './samples.ts'

/** The value that the engine refuses. */
const poison = 'poison'
const lines = 100
const refusal =
  /^is refused by the database: a (value breaks a check|trigger) of its table .*\(.+\)$/

const sourceOf = (resource: Resource, records: readonly object[]): Source => ({
  name: `${resource.path}.rows`,
  resource,
  bytes: null,
  input: {
    kind: 'rows',
    rows: async function* () {
      const rows = records.map((record, index) => ({ line: index + 1, value: record, losses: [] }))
      for (let at = 0; at < rows.length; at += 30) {
        yield { rows: rows.slice(at, at + 30), canonical: null }
      }
    },
  },
})

/** Crates, of which those on some lines are refused. */
const cratesWith = (...refused: readonly number[]) =>
  Array.from({ length: Math.max(lines, ...refused) }, (_, index) =>
    crate(index + 1, {
      code: refused.includes(index + 1) ? poison : `C-${index}`,
      // Half of the records are not canonical.
      ...(index % 2 === 0 && { id: uuid(index + 1).toUpperCase() }),
    }),
  )

/** A database that counts rollbacks, and refuses to stage a code. */
const watched = (database: Database, counts: { rollbacks: number }, unstaged: string): Database => {
  const refuse = (has: boolean) => {
    if (has) throw new DatabaseRefusedError('no', { place: 'code' })
  }
  return {
    ...database,
    write: (work, lock) =>
      database.write((session) => {
        const own: Session = {
          ...session,
          runAll: (texts) => {
            if (texts.some((text) => text.startsWith('rollback to'))) counts.rollbacks += 1
            return session.runAll(texts)
          },
          bulkInsert: async (table, columns, rows) => {
            const all = [...rows]
            refuse(all.some((row) => row.includes(unstaged)))
            await session.bulkInsert(table, columns, all)
          },
          bulkInsertSlices: async (table, rows) => {
            const { bytes, offsets } = rows
            const width = rows.parts.length * 2 + 2
            for (let at = 0; at < offsets.length; at += width) {
              const slice = bytes.subarray(offsets[at], offsets[at + 1])
              refuse(Buffer.from(slice).includes(`"${unstaged}"`))
            }
            await session.bulkInsertSlices(table, rows)
          },
        }
        return work(own)
      }, lock),
  }
}

export const refusedRowsConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`records that the database refuses on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    const counts = { rollbacks: 0 }
    before(async () => {
      opened = await open()
      store = await createStore(small, watched(opened.database, counts, 'unstaged'))
      await refuseValue(opened.database, ['crates', 'code', poison])
    })
    after(() => opened.close())

    const importInto = async (
      owner: string,
      sources: readonly Source[],
      options: Partial<IngestOptions> = {},
    ) => {
      const report = openReport(undefined)
      const result = await ingest({
        store,
        sources: [sourceOf(brand, [{ id: uuid(1), name: owner }]), ...sources],
        owner,
        ...{ replace: false, allowRemovals: false, dryRun: false },
        ...{ allowDangling: false },
        report,
        now: Date.now,
        ...options,
      })
      return { ...result, report, counts: result.collections.at(-1) }
    }
    const stored = async (owner: string, resource: Resource) => {
      const request = { resource, brand: owner, filters: new Map(), limit: lines, include: [] }
      const { items, total } = await store.list({ ...request, after: null })
      const records = JSON.parse(`[${decodeBody(items)}]`) as Record<string, string>[]
      assert.equal(total, records.length)
      return records
    }

    it('are problems of their rows, among the other problems, and nothing is stored', async () => {
      const records = cratesWith(3, 70, 71)
      const wrong = [{ id: 'none' }, crate(5, { code: 'again' })]
      const { report, written, refused } = await importInto('found', [
        sourceOf(crates, [...records, ...wrong]),
      ])
      assert.deepEqual([written, refused], [false, true])
      assert.deepEqual(await stored('found', crates), [])
      const refusals = report.first.filter(({ reason }) => refusal.test(reason))
      assert.deepEqual(
        refusals.map(({ file, line, value, severity }) => [file, line, value, severity]),
        [3, 70, 71].map((line) => ['crates.rows', line, uuid(line), 'error']),
      )
      // Each other problem is reported once, although the import was repeated.
      const others = report.first.filter(({ reason }) => !refusal.test(reason))
      assert.deepEqual(new Set(others.map(({ line }) => line)), new Set([101, 102]))
      assert.equal(others.filter(({ line }) => line === 102).length, 1)
      assert.equal(report.errors, report.first.length)
      assert.equal(
        report.groups.reduce((sum, { problems }) => sum + problems, 0),
        report.errors,
      )
    })

    it('are left out on request, with what refers to them, and the rest is stored', async () => {
      counts.rollbacks = 0
      const note = { rackId: uuid(1), slot: 'a', note: null }
      const { report, written, collections } = await importInto(
        'rest',
        [
          sourceOf(crates, cratesWith(1, 51, 100)),
          sourceOf(places, [
            { crateId: uuid(51), ...note },
            { crateId: uuid(2), ...note },
          ]),
        ],
        { onError: 'quarantine' },
      )
      assert.equal(written, true)
      assert.equal((await stored('rest', crates)).length, lines - 3)
      assert.deepEqual(
        (await stored('rest', places)).map(({ crateId }) => crateId),
        [uuid(2)],
      )
      assert.deepEqual(
        collections.map(({ collection, added, refused }) => [collection, added, refused]),
        [
          ['brand', 1, 0],
          ['crates', lines - 3, 3],
          ['places', 1, 0],
        ],
      )
      assert.equal(report.errors, 3)
      const rest = await store.quarantine.counts('rest')
      assert.deepEqual(
        rest.map((each) => [each.collection, each.rows, each.waiting]),
        [
          ['crates', 3, 0],
          ['places', 1, 1],
        ],
      )
      // Halving takes seven attempts for each of three rows among a hundred, and one for the end.
      assert.ok(counts.rollbacks > 3 && counts.rollbacks <= 3 * 7 + 1, `${counts.rollbacks}`)
    })

    it('are found when they cannot even be staged, with their field', async () => {
      const records = cratesWith()
      for (const line of [2, 3, 99]) Object.assign(records[line - 1] ?? {}, { code: 'unstaged' })
      const { report, written } = await importInto('staged', [sourceOf(crates, records)], {
        onError: 'quarantine',
      })
      assert.equal(written, true)
      assert.deepEqual(
        report.first.map(({ line, field, value, reason }) => [line, field, value, reason]),
        [2, 3, 99].map((line) => [line, '/code', uuid(line), 'is refused by the database: no']),
      )
      const ids = (await stored('staged', crates)).map(({ id }) => id)
      assert.equal(ids.length, lines - 3)
      for (const line of [2, 3, 99]) assert.ok(!ids.includes(uuid(line)))
    })

    it('change nothing that is stored, and are refused in a dry run too', async () => {
      await importInto('changed', [sourceOf(crates, cratesWith())])
      const before = await stored('changed', crates)
      const changed = [crate(1, { code: poison }), crate(2, { code: 'new' })]
      for (const dryRun of [true, false]) {
        const { report, refused } = await importInto('changed', [sourceOf(crates, changed)], {
          dryRun,
        })
        assert.equal(refused, true)
        assert.deepEqual(
          report.first.map(({ line }) => line),
          [1],
        )
        assert.deepEqual(await stored('changed', crates), before)
      }
    })

    it('stay in quarantine if they were there, and do not fail the import that brings them in', async () => {
      const waiting = crate(1, { colourId: uuid(9), code: 'later' })
      const parked = await importInto('parked', [sourceOf(crates, [waiting])], { onError: 'park' })
      assert.equal(parked.written, true)
      await refuseValue(opened.database, ['crates', 'code', 'later'])
      await store.write(sharedOwner, async (writer) => {
        await writer.stage(colours, [{ id: uuid(9), name: 'Red' }])
        return writer.merge(colours)
      })
      const {
        report,
        written,
        counts: result,
      } = await importInto('parked', [sourceOf(crates, [crate(2)])])
      assert.equal(written, true)
      assert.deepEqual([result?.added, result?.unparked, result?.refused], [1, 0, 0])
      const [problem] = report.first
      assert.deepEqual([problem?.severity, problem?.value, report.errors], ['warning', uuid(1), 0])
      assert.match(
        String(problem?.reason),
        /^is refused by the database: .* stays in quarantine; selvedge intake discard-rows/,
      )
      assert.equal((await store.quarantine.list({ owner: 'parked', limit: 9 })).total, 1)
      assert.deepEqual(
        (await stored('parked', crates)).map(({ id }) => id),
        [uuid(2)],
      )
    })

    it('are listed up to a number, and refuse the import even if they may be left out', async () => {
      const all = Array.from({ length: 300 }, (_, index) => index + 1)
      const { report, written } = await importInto('many', [sourceOf(crates, cratesWith(...all))], {
        onError: 'quarantine',
      })
      assert.equal(written, false)
      assert.equal(report.errors, 101)
      assert.match(String(report.first.at(-1)?.reason), /more than 100 records .* refuses/)
    })

    it('cannot be found in a stream, which is read once', async () => {
      const { Readable } = await import('node:stream')
      const stream = Readable.from([Buffer.from(`${JSON.stringify(crate(1, { code: poison }))}\n`)])
      const input = { kind: 'stream', stream, format: 'ndjson', gzipped: false } as const
      const source = { ...sourceOf(crates, []), input }
      await assert.rejects(importInto('stream', [source]), (error: unknown) => {
        assert.ok(error instanceof SourceError)
        assert.match(error.message, /^The database refuses a record: .* from a file/)
        return true
      })
    })
  })
}
