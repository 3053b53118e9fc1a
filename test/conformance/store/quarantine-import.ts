/** What imports with a quarantine promise, on every engine. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { id, nullable, type Resource, ref, text } from '#contract'
import { type IngestOptions, ingest, openReport, type Source, type SourceRow } from '#ingest'
import { parseMapping } from '#mapping'
import { queriesOf, runRound } from '#sync'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import { ownerNumber } from '../../../src/store/schema/owners.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import type { RoundOptions } from '../../../src/sync/round.ts'
import { createSqliteSource } from '../../support/sqlite-source.ts'
import { brand, described, type OpenedForStore, uuid } from './samples.ts'

const boxes = resource({
  ...described,
  group: 'Boxes',
  path: 'boxes',
  name: 'Box',
  scope: 'brand',
  unique: [['code']],
  title: 'code',
  fields: { id: id(), code: text(), note: nullable(text()) },
  filters: ['code'],
})

const lids = resource({
  ...described,
  group: 'Lids',
  path: 'lids',
  name: 'Lid',
  scope: 'brand',
  parent: 'boxId',
  fields: { id: id(), boxId: ref('boxes'), kind: text() },
  filters: ['boxId'],
})

const catalog = joinCatalog([brand, boxes, lids])

const box = (n: number, changed: object = {}) => ({
  ...{ id: uuid(n), code: `B-${n}`, note: null },
  ...changed,
})
const bad = (n: number) => ({ id: uuid(n), code: 7, note: null })

/** Rolls a write back that has tried rows in quarantine. */
class Tried extends Error {
  readonly count: number

  constructor(count: number) {
    super('rows were tried')
    this.count = count
  }
}

export const quarantineImportConformance = (
  name: string,
  open: () => Promise<OpenedForStore>,
): void => {
  describe(`imports with a quarantine on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(catalog, opened.database)
    })
    after(() => opened.close())

    const sourceOf = (
      of: Resource,
      values: readonly unknown[],
      more: Partial<Source> = {},
    ): Source => {
      const rows = values.map((value, index): SourceRow => ({ line: index + 1, value, losses: [] }))
      return {
        ...{ name: `${of.path}.ndjson`, resource: of, bytes: null },
        input: {
          kind: 'rows',
          rows: async function* () {
            yield { rows, canonical: null }
          },
        },
        ...more,
      }
    }
    const removalOf = (of: Resource, numbers: readonly number[]): Source => {
      const rows = numbers.map((n, index): SourceRow => ({ line: index + 1, removal: [uuid(n)] }))
      const input: Source['input'] = {
        kind: 'rows',
        rows: async function* () {
          yield { rows, canonical: null }
        },
      }
      return sourceOf(of, [], { removes: true, input })
    }
    const put = async (
      owner: string,
      sources: readonly Source[],
      options: Partial<IngestOptions> = {},
    ) => {
      const report = openReport(undefined)
      const result = await ingest({
        ...{ store, owner, report, now: Date.now, onError: 'quarantine' },
        sources: [sourceOf(brand, [{ id: uuid(99), name: owner }]), ...sources],
        ...{ replace: false, allowRemovals: true, dryRun: false, allowDangling: false },
        source: { kind: 'watch', name: 'in' },
        ...options,
      })
      return { ...result, report }
    }
    const stored = async (owner: string, of: Resource = boxes) => {
      const request = { resource: of, brand: owner, filters: new Map(), limit: 1_000, include: [] }
      const { items } = await store.list({ ...request, after: null })
      return JSON.parse(`[${decodeBody(items)}]`) as Record<string, string>[]
    }
    const codes = async (owner: string) => (await stored(owner)).map(({ code }) => code)
    const held = async (owner: string) =>
      (await store.quarantine.list({ owner, limit: 1_000 })).rows
        .map(({ collection, key, line, problems: [first] }) =>
          [collection, key?.[0]?.slice(-2) ?? '-', line, first?.reason].join(' '),
        )
        .sort()

    it('store the good rows and keep the stored version of a bad one', async () => {
      await put('keeps', [sourceOf(boxes, [box(1)])])
      const { written, report } = await put('keeps', [sourceOf(boxes, [bad(1), box(2)])])
      assert.deepEqual([written, report.errors], [true, 1])
      assert.deepEqual(await codes('keeps'), ['B-1', 'B-2'])
      const [row] = (await store.quarantine.list({ owner: 'keeps', limit: 9 })).rows
      assert.deepEqual(
        [row?.key, row?.source, row?.row],
        [
          [uuid(1)],
          { kind: 'watch', name: 'in' },
          { columns: ['id', 'code', 'note'], cells: [uuid(1), 7, null] },
        ],
      )
      assert.match(String(row?.problems[0]?.reason), /^must be/)
    })

    it('take a bad row out of the quarantine when it comes again, or its record is removed', async () => {
      await put('again', [sourceOf(boxes, [bad(1), bad(2), bad(3)])])
      await put('again', [sourceOf(boxes, [box(1)])])
      await put('again', [removalOf(boxes, [2])])
      assert.deepEqual(await codes('again'), ['B-1'])
      assert.equal((await held('again')).length, 1)
    })

    it('leave out removals of records that stored ones refer to, if their source repeats them', async () => {
      const lid = { id: uuid(5), boxId: uuid(1), kind: 'flat' }
      await put('held', [sourceOf(boxes, [box(1), box(2)]), sourceOf(lids, [lid])])
      const removals = [removalOf(boxes, [1, 2]), sourceOf(boxes, [box(3)])]
      const refused = await put('held', removals)
      assert.equal(refused.refused, true)
      const { written, collections, report } = await put('held', removals, { holdsRemovals: true })
      assert.deepEqual([written, report.errors, report.warnings], [true, 0, 1])
      const of = collections.find(({ collection }) => collection === 'boxes')
      assert.deepEqual([of?.removed, of?.heldRemovals], [1, 1])
      assert.deepEqual(await codes('held'), ['B-1', 'B-3'])
      const both = [removalOf(boxes, [1]), removalOf(lids, [5])]
      assert.equal((await put('held', both, { holdsRemovals: true })).report.warnings, 0)
      assert.deepEqual(await codes('held'), ['B-3'])
    })

    it('hold the removals of a comparison of all keys that stored records need', async () => {
      await put('compared', [])
      const erp = new DatabaseSync(':memory:')
      erp.exec('create table boxes (NO)')
      erp.exec('create table lids (NO, BOX)')
      erp.exec("insert into boxes values ('1'), ('2'), ('3'), ('4'), ('5')")
      erp.exec("insert into lids values ('7', '1'), ('8', '2')")
      const text = [
        ...['version: 1', 'collections:', '  boxes:'],
        ...['    from: { sql: select * from boxes, reconcile: 1h }', '    id: { key: [NO] }'],
        ...['    fields: { code: NO }', '  lids:', '    from: { sql: select * from lids }'],
        ...['    id: { key: [NO] }', '    fields:', '      kind: NO'],
        '      boxId: { ref: { collection: boxes, key: [BOX] } }',
      ].join('\n')
      const { collections } = await parseMapping({ file: 'x.map.yaml', text, catalog })
      const queries = queriesOf(collections)
      const round = async (options: Partial<RoundOptions> = {}) => {
        const report = openReport(undefined)
        const { reconciled } = await runRound({
          ...{ store, brand: 'compared', source: { kind: 'sync', name: 'erp' }, report },
          ...{ database: createSqliteSource(erp, []), queries, mappedQueries: queries },
          ...{ write: store.write, now: Date.now },
          options: {
            ...{ allowRemovals: false, allowDangling: false, onError: 'quarantine' },
            ...{ dryRun: false, reconcile: true, ...options },
          },
        })
        const warnings = report.first.map(({ reason }) => reason)
        return { removed: reconciled?.map((each) => each.removed), warnings }
      }
      assert.deepEqual(await round(), { removed: [0], warnings: [] })
      erp.exec("delete from boxes where NO in ('1', '4')")
      const held = await round({ dryRun: true })
      assert.deepEqual(held.removed, [1])
      assert.match(
        held.warnings.join(),
        /^Records of boxes are gone from the source that 1 stored record of lids refer to by boxId: .+\. They stay until no record refers to them\. Compare the keys of lids too: add reconcile/,
      )
      assert.deepEqual((await codes('compared')).sort(), ['1', '2', '3', '4', '5'])
      await assert.rejects(
        round({ onError: 'refuse' }),
        /would remove records of boxes that 1 stored/,
      )
      assert.deepEqual(await round(), held)
      assert.deepEqual((await codes('compared')).sort(), ['1', '2', '3', '5'])
      erp.exec("update lids set BOX = '2'")
      assert.deepEqual(await round(), { removed: [1], warnings: [] })
      assert.deepEqual((await codes('compared')).sort(), ['2', '3', '5'])
    })

    it('let what refers to a bad row wait for it, and count it as a part of it', async () => {
      const lid = { id: uuid(5), boxId: uuid(1), kind: 'flat' }
      const { report } = await put('parts', [sourceOf(boxes, [bad(1)]), sourceOf(lids, [lid])])
      assert.deepEqual([report.errors, report.warnings], [1, 1])
      assert.equal((await held('parts')).length, 2)
      assert.deepEqual(await store.quarantine.missingParts('parts', 'boxes', uuid(1)), [
        { collection: 'lids', rows: 1 },
      ])
      await put('parts', [sourceOf(boxes, [box(1)])])
      assert.deepEqual(await stored('parts', lids), [lid])
      assert.deepEqual(await held('parts'), [])
    })

    it('let all different rows of one identity wait, and keep what is stored', async () => {
      await put('twice', [sourceOf(boxes, [box(1)])])
      const rows = [box(1, { note: 'a' }), box(2), box(1, { note: 'b' }), box(2)]
      const { report } = await put('twice', [sourceOf(boxes, rows)])
      assert.deepEqual([report.errors, report.warnings], [2, 1])
      assert.deepEqual(
        (await stored('twice')).map(({ note }) => note),
        [null, null],
      )
      assert.deepEqual(await held('twice'), [
        'boxes 01 1 has the same identity as line 3 of boxes.ndjson, and differs in note: "a" here, "b" there: keep one of them',
        'boxes 01 3 has the same identity as line 1 of boxes.ndjson, and differs in note: "b" here, "a" there: keep one of them',
      ])
      await put('twice', [sourceOf(boxes, [box(1, { note: 'b' })])])
      assert.deepEqual(await held('twice'), [])
    })

    it('keep a bad row beside a good one of its identity, until the record comes again', async () => {
      for (const [owner, rows] of [
        ['beside', [box(1), bad(1)]],
        ['before', [bad(1), box(1)]],
      ] as const) {
        await put(owner, [sourceOf(boxes, rows)])
        await put(owner, [sourceOf(boxes, [box(2)])])
        assert.deepEqual([await codes(owner), (await held(owner)).length], [['B-1', 'B-2'], 1])
        await put(owner, [sourceOf(boxes, [box(1, { note: 'new' })])])
        assert.deepEqual(await held(owner), [])
      }
    })

    it('try a row with a taken key again when its collection is written', async () => {
      await put('key', [sourceOf(boxes, [box(1), box(2)])])
      const { report } = await put('key', [sourceOf(boxes, [box(3, { code: 'B-1' }), box(4)])])
      assert.equal(report.errors, 1)
      assert.deepEqual(await codes('key'), ['B-1', 'B-2', 'B-4'])
      const quiet = await put('key', [sourceOf(boxes, [box(5)])])
      assert.deepEqual([quiet.report.errors, quiet.report.warnings], [0, 0])
      assert.equal((await held('key')).length, 1)
      await put('key', [sourceOf(boxes, [box(1, { code: 'other' })])])
      assert.deepEqual(await codes('key'), ['other', 'B-2', 'B-1', 'B-4', 'B-5'])
      assert.deepEqual(await held('key'), [])
    })

    it('try a row with a taken key only if the record is written that has the key', async () => {
      const repeated = (n: number) => box(n, { code: 'B-1' })
      /** How many rows an import of some boxes tries again. */
      const tried = (...boxesIn: readonly object[]) =>
        store
          .write('taken', async (writer) => {
            await writer.stage(boxes, boxesIn as never)
            throw new Tried(await writer.stageReleased(boxes))
          })
          .catch((error) => (error instanceof Tried ? error.count : Promise.reject(error)))
      await put('taken', [sourceOf(boxes, [box(1), box(2)])])
      await put('taken', [sourceOf(boxes, [repeated(3)])])
      assert.equal((await held('taken')).length, 1)
      assert.equal(await tried(box(4)), 0)
      assert.equal(await tried(box(1)), 1)
      // Tried in vain: another record takes the key.
      await put('taken', [sourceOf(boxes, [box(1, { code: 'X' }), repeated(2)])])
      assert.deepEqual(await codes('taken'), ['X', 'B-1'])
      assert.deepEqual([await tried(box(1)), await tried(repeated(2))], [0, 1])
      // The record that has the key is removed without a word about others.
      await store.write('taken', async (writer) => {
        await writer.stageKept(boxes, [[uuid(1)], [uuid(3)]])
        await writer.merge(boxes, { replace: true })
      })
      assert.equal((await put('taken', [sourceOf(boxes, [box(4)])])).waiting.length, 0)
      assert.deepEqual(await codes('taken'), ['X', 'B-1', 'B-4'])
      // The checks of the brand change.
      await put('taken', [sourceOf(boxes, [box(5, { code: 'B-4' })])])
      assert.equal(await tried(box(6)), 0)
      await store.setChecks('taken', { default: 'warn', exceptions: {} })
      assert.equal((await put('taken', [sourceOf(boxes, [box(6)])])).waiting.length, 0)
    })

    it('with replace keep the records of bad rows, and drop rows that are gone', async () => {
      await put('replaced', [sourceOf(boxes, [box(1), box(2), bad(3)])])
      const { collections } = await put('replaced', [sourceOf(boxes, [bad(1), box(4)])], {
        replace: true,
      })
      assert.equal(collections.find(({ collection }) => collection === 'boxes')?.removed, 1)
      assert.deepEqual(await codes('replaced'), ['B-1', 'B-4'])
      assert.deepEqual(
        (await held('replaced')).map((each) => each.slice(0, 10)),
        ['boxes 01 1'],
      )
    })

    it('with replace remove nothing if a bad row has no identity', async () => {
      await put('unknown', [sourceOf(boxes, [box(1), box(2)])])
      const result = await put('unknown', [sourceOf(boxes, [box(1), { code: 'x' }])], {
        replace: true,
      })
      assert.equal(result.collections.at(-1)?.keptMissing, true)
      assert.deepEqual(await codes('unknown'), ['B-1', 'B-2'])
      assert.equal((await held('unknown')).length, 1)
      await put('unknown', [sourceOf(boxes, [box(1), { code: 'x' }])])
      assert.equal((await held('unknown')).length, 1, 'a row that comes again is the same')
      await put('unknown', [sourceOf(boxes, [box(1)])], { replace: true })
      assert.deepEqual([await codes('unknown'), await held('unknown')], [['B-1'], []])
    })

    it('keep the rows in quarantine that a comparison of all keys still finds', async () => {
      await put('compared', [sourceOf(boxes, [box(1), box(2), box(3)])])
      await put('compared', [sourceOf(boxes, [bad(1), bad(2), bad(4), { code: 'x' }])])
      await store.write('compared', async (writer) => {
        await writer.stageKept(boxes, [[uuid(1)], [uuid(4)]])
        await writer.merge(boxes, { replace: true })
      })
      assert.deepEqual(await codes('compared'), ['B-1'])
      assert.deepEqual(
        (await held('compared')).map((each) => each.slice(0, 8)),
        ['boxes 01', 'boxes 04'],
      )
    })

    it('are refused with many bad rows, unless more are allowed', async () => {
      const rows = [...Array(21).keys()].map((n) => bad(n + 1))
      const good = [...Array(300).keys()].map((n) => box(n + 100))
      const many = [sourceOf(boxes, [...rows, ...good])]
      const refused = await put('many', many)
      assert.deepEqual([refused.written, refused.refused], [false, true])
      assert.match(
        String(refused.report.first.at(-1)?.reason),
        /^21 of 322 rows are bad, more than 5 %: .*--max-bad-rows/,
      )
      assert.deepEqual(await held('many'), [])
      const allowed = await put('many', many, { badRowsPercentMax: 7 })
      assert.equal(allowed.written, true)
      assert.equal((await held('many')).length, 21)
      const few = [sourceOf(boxes, rows.slice(0, 20))]
      assert.equal((await put('few', few)).written, true)
    })

    it('delete rows that are in quarantine for more than 30 days, and say so', async () => {
      await put('old', [sourceOf(boxes, [bad(1)])])
      const days = (count: number) => () => Date.now() + count * 86_400_000
      await put('old', [sourceOf(boxes, [box(2)])], { now: days(29) })
      assert.equal((await held('old')).length, 1)
      const { report } = await put('old', [sourceOf(boxes, [box(3)])], { now: days(31) })
      assert.deepEqual(
        report.first.map(({ reason }) => reason),
        ['1 row in quarantine for more than 30 days was deleted'],
      )
      assert.deepEqual(await held('old'), [])
    })

    it('count the bytes of rows that wait, and are refused if there are too many', async () => {
      const lid = (n: number) => ({ id: uuid(n), boxId: uuid(77), kind: 'flat' })
      await put('bytes', [sourceOf(boxes, [bad(1)]), sourceOf(lids, [lid(5)])])
      const text = [
        'select "collection", "bytes", octet_length("problems") + coalesce(octet_length("row"), 0)',
        '+ coalesce(octet_length("body"), 0)',
        'from "selvedge_quarantine" order by "collection"',
      ].join('\n')
      const owner = 'where "owner" = ?1'
      const own = { text: text.replace('order', `${owner} order`), values: [ownerNumber('bytes')] }
      const [rows = []] = await opened.database.read([own])
      assert.deepEqual(
        rows.map(([collection]) => collection),
        ['boxes', 'lids'],
      )
      for (const [, bytes, actual] of rows) assert.ok(Number(bytes) >= Number(actual), `${bytes}`)
      const left = 256 * 1_048_576 - Number(rows[1]?.[1]) - 50
      const full = `update "selvedge_quarantine" set "bytes" = ${left} ${owner}`
      await opened.database.write((session) =>
        session.run({ text: `${full} and "collection" = 'boxes'`, values: [ownerNumber('bytes')] }),
      )
      const { refused, report } = await put('bytes', [sourceOf(lids, [lid(6)])])
      assert.equal(refused, true)
      assert.match(report.first.map(({ reason }) => reason).join(), /256 MB would be in quarantine/)
      // The same row needs no more room.
      assert.equal((await put('bytes', [sourceOf(lids, [lid(5)])])).refused, false)
    })

    it('take a file again whose bad rows were discarded or have expired', async () => {
      const file = { name: 'boxes.ndjson', sha256: 'abc', mapping: '' }
      const load = (now = Date.now) =>
        put('files', [sourceOf(boxes, [bad(1)])], {
          beforeCommit: (writer) => writer.recordFile(file),
          now,
        })
      const isKnown = async () => (await store.files.findImport('files', file)) !== null
      await load()
      assert.equal(await isKnown(), true)
      await store.quarantine.discard({ owner: 'files', collection: 'lids' })
      assert.equal(await isKnown(), true)
      await store.quarantine.discard({ owner: 'files', collection: 'boxes' })
      assert.equal(await isKnown(), false)
      await load()
      await put('files', [], { now: () => Date.now() + 31 * 86_400_000 })
      assert.equal(await isKnown(), false)
    })

    /** A correction of all quarantined rows of an owner, made now, with other values. */
    const correctionOf = async (
      owner: string,
      values: readonly unknown[],
      name = 'boxes.corrections.ndjson',
    ): Promise<Source> => {
      const change = await store.quarantine.lastChange(owner)
      const { rows: all } = await store.quarantine.list({ owner, limit: 9 })
      const corrections = all.map((row, index) => ({ line: index + 1, rows: [{ ...row, change }] }))
      const rows = values.map((value, index): SourceRow => ({ line: index + 1, value, losses: [] }))
      assert.equal(rows.length, corrections.length)
      return sourceOf(boxes, [], {
        name,
        input: {
          kind: 'rows',
          rows: async function* () {
            yield { rows, canonical: null, corrections }
          },
        },
      })
    }
    const notes = async (owner: string) => (await stored(owner)).map(({ note }) => note)
    const newBox = box(1, { note: 'new' })
    const oldBox = box(1, { note: 'old' })
    const reasons = ({ report }: Awaited<ReturnType<typeof put>>) =>
      report.first.map(({ reason, severity }) => `${severity}: ${reason.split(/[:,] /)[1]}`)

    for (const recorded of [false, true]) {
      const log = recorded ? 'with' : 'without'
      const ownerOf = (name: string) => `${name}-${log}`

      it(`store no correction that is older than its record, ${log} a log of changes`, async () => {
        if (recorded) store = await createStore(catalog, opened.database, { recordsChanges: true })
        const settled = 'warning: its row is no longer in quarantine'
        const changed = ownerOf('changed')
        await put(changed, [sourceOf(boxes, [bad(1)])])
        const late = await correctionOf(changed, [oldBox])
        await put(changed, [sourceOf(boxes, [newBox])])
        assert.deepEqual(reasons(await put(changed, [late])), [settled])
        assert.deepEqual(await notes(changed), ['new'])

        const rewritten = ownerOf('rewritten')
        await put(rewritten, [sourceOf(boxes, [newBox])])
        await put(rewritten, [sourceOf(boxes, [bad(1)])])
        const older = await correctionOf(rewritten, [oldBox])
        await put(rewritten, [sourceOf(boxes, [newBox])])
        assert.deepEqual(reasons(await put(rewritten, [older])), [settled])
        assert.deepEqual(await notes(rewritten), ['new'])

        const removed = ownerOf('removed')
        await put(removed, [sourceOf(boxes, [bad(1)])])
        const late2 = await correctionOf(removed, [oldBox])
        await put(removed, [removalOf(boxes, [1])])
        assert.deepEqual(reasons(await put(removed, [late2])), [settled])
        assert.deepEqual(await notes(removed), [])
      })

      it(`keep a row that came again after its correction was made, ${log} a log`, async () => {
        const owner = ownerOf('came-again')
        await put(owner, [sourceOf(boxes, [bad(1)])])
        const first = await correctionOf(owner, [oldBox])
        await put(owner, [sourceOf(boxes, [{ ...bad(1), note: 'newer' }])])
        const again =
          'warning: its source has sent the row again after the file was written. Write the file again'
        assert.deepEqual(reasons(await put(owner, [first])), [again])
        assert.equal((await held(owner)).length, 1)
        assert.deepEqual(await notes(owner), [])
        // What has come again as it was is corrected as before.
        await put(owner, [sourceOf(boxes, [bad(1)])])
        assert.deepEqual(reasons(await put(owner, [first])), [])
        assert.deepEqual([await notes(owner), await held(owner)], [['old'], []])
      })

      it(`correct a row again whose correction was bad, ${log} a log`, async () => {
        const owner = ownerOf('still-bad')
        await put(owner, [sourceOf(boxes, [bad(1)])])
        const still = await correctionOf(owner, [{ ...bad(1), note: 'still bad' }])
        const right = await correctionOf(owner, [oldBox])
        await put(owner, [still])
        assert.equal((await held(owner)).length, 1)
        await put(owner, [right])
        assert.deepEqual([await notes(owner), await held(owner)], [['old'], []])
      })

      it(`store a corrected key unless its record is newer, ${log} a log`, async () => {
        const owner = ownerOf('keys')
        const second = box(2, { note: 'old' })
        const newer = 'warning: the record of boxes is newer than the file'
        await put(owner, [sourceOf(boxes, [box(2), box(3)])])
        await put(owner, [sourceOf(boxes, [bad(1)])])
        await put(owner, [await correctionOf(owner, [second])])
        assert.deepEqual([await notes(owner), await held(owner)], [['old', null], []])

        await put(owner, [sourceOf(boxes, [bad(1)])])
        const late = await correctionOf(owner, [box(2, { note: 'older' })])
        await put(owner, [sourceOf(boxes, [box(2, { note: 'new' })])])
        assert.deepEqual(reasons(await put(owner, [late])), [newer])
        assert.deepEqual(await notes(owner), ['new', null])
        assert.equal((await held(owner)).length, 1)

        // The record of another row in quarantine is not known.
        const third = await correctionOf(owner, [box(3, { note: 'old' })])
        await put(owner, [sourceOf(boxes, [bad(3)])])
        assert.deepEqual(reasons(await put(owner, [third])), [newer])
        const stillBad = await correctionOf(owner, [bad(3), bad(3)])
        assert.ok((await put(owner, [stillBad])).written)
        assert.equal((await held(owner)).length, 2)
      })
    }

    it('leave out bad rows of a late unit whose records have changed since', async () => {
      await put('late', [sourceOf(boxes, [box(1), box(2)])])
      const after = await store.rewrites.hold('late')
      await put('late', [sourceOf(boxes, [box(1, { note: 'new' })])])
      await put('late', [sourceOf(boxes, [bad(1), bad(2)])], { supersededAfter: after })
      assert.deepEqual(
        (await held('late')).map((each) => each.slice(0, 8)),
        ['boxes 02'],
      )
    })
  })
}
