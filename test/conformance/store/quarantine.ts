/** What the store promises of quarantined rows, on every engine. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { id, nullable, type Resource, ref, text } from '#contract'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import type { QuarantinePosition } from '../../../src/store/read/quarantined-rows.ts'
import { sharedOwner } from '../../../src/store/schema/owners.ts'
import type { StoredRecord } from '../../../src/store/schema/record-body.ts'
import type { Key } from '../../../src/store/schema/tables.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { quarantineMax, quarantineTable } from '../../../src/store/write/quarantine-table.ts'
import type { MergeOptions, Writer } from '../../../src/store/write/writer.ts'
import { brand, colours, described, type OpenedForStore, uuid } from './samples.ts'

const boxes = resource({
  ...described,
  group: 'Boxes',
  path: 'boxes',
  name: 'Box',
  scope: 'brand',
  fields: {
    id: id(),
    parentId: nullable(ref('boxes')),
    colourId: nullable(ref('colours')),
    code: text(),
  },
  filters: ['parentId', 'code'],
})

const lids = resource({
  ...described,
  group: 'Lids',
  path: 'lids',
  name: 'Lid',
  scope: 'brand',
  key: ['boxId', 'kind'],
  fields: { boxId: ref('boxes'), kind: text(), note: nullable(text()) },
  parent: 'boxId',
  filters: ['boxId'],
})

const locks = resource({
  ...described,
  group: 'Locks',
  path: 'locks',
  name: 'Lock',
  scope: 'brand',
  fields: { id: id(), boxId: ref('boxes'), colourId: nullable(ref('colours')) },
  filters: ['boxId'],
})

const catalog = joinCatalog([brand, colours, boxes, lids, locks])

const box = (n: number, changed: object = {}): StoredRecord => ({
  id: uuid(n),
  parentId: null,
  colourId: null,
  code: `B-${n}`,
  ...changed,
})
const lid = (n: number, changed: object = {}): StoredRecord => ({
  boxId: uuid(n),
  kind: 'flat',
  note: null,
  ...changed,
})

interface Import extends MergeOptions {
  readonly park?: boolean
  readonly removals?: readonly (string | Key)[]
}

export const quarantineConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`quarantined rows on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(catalog, opened.database)
    })
    after(() => opened.close())

    /** Imports records of one collection, and then everything that is parked, in order. */
    const put = (
      owner: string,
      into: Resource,
      records: readonly StoredRecord[],
      { park = true, removals = [], ...options }: Import = {},
    ) =>
      store.write(owner, async (writer) => {
        const rejected: string[] = []
        let unparked = 0
        for (const each of owner === sharedOwner ? [colours] : [boxes, lids, locks]) {
          const isOwn = each === into
          if (isOwn) {
            await writer.stage(each, records)
            await writer.stageRemoval(
              each,
              removals.map((key) => (typeof key === 'string' ? [key] : key)),
            )
          }
          if (!(isOwn && options.replace)) unparked += await writer.stageReleased(each)
          const checks = park ? { park: [{ file: `${into.path}.csv` }] } : {}
          for await (const row of writer.rejectInvalid(each, checks)) {
            if (row.source < 0) unparked -= 1
            else rejected.push(`${row.isQuarantined ? 'parked' : 'refused'} ${row.value}`)
          }
          await writer.merge(each, isOwn ? options : {})
        }
        return { rejected, unparked }
      })

    const stored = async (owner: string, of: Resource) => {
      const page = await store.list({
        resource: of,
        brand: owner,
        filters: new Map(),
        limit: 100,
        after: null,
        include: [],
      })
      const records: StoredRecord[] = JSON.parse(`[${decodeBody(page.items)}]`)
      assert.equal(page.total, records.length)
      return records
    }
    const codes = async (owner: string) => (await stored(owner, boxes)).map(({ code }) => code)
    const waiting = async (owner: string) =>
      (await store.quarantine.list({ owner, limit: 100 })).rows.map(
        ({ collection, key, waitsFor }) =>
          [collection, ...(key ?? []), waitsFor?.field, waitsFor?.value].join(' '),
      )

    it('come in when the record arrives that they refer to', async () => {
      assert.deepEqual(await put('arrives', lids, [lid(1), lid(2)]), {
        rejected: [`parked ${uuid(1)}`, `parked ${uuid(2)}`],
        unparked: 0,
      })
      assert.deepEqual(await stored('arrives', lids), [])
      assert.deepEqual(await put('arrives', boxes, [box(1)]), { rejected: [], unparked: 1 })
      assert.deepEqual(await stored('arrives', lids), [lid(1)])
      assert.deepEqual(await waiting('arrives'), [`lids ${uuid(2)} flat boxId ${uuid(2)}`])
    })

    it('are removed by a later part of the same transaction, in the same millisecond', async () => {
      const { database } = opened
      const dialect = { ...database.dialect, now: "'2026-03-01T00:00:00.000Z'" }
      const stopped = await createStore(catalog, { ...database, dialect })
      const end = async (writer: Writer) => {
        for await (const _ of writer.rejectInvalid(lids, { park: [{ file: 'lids.csv' }] }));
        await writer.merge(lids)
      }
      await stopped.writeGroup('moment', async (group) => {
        await group.attempt(async (writer) => {
          await writer.stage(lids, [lid(1), lid(2), lid(3)])
          await end(writer)
        })
        await group.attempt(async (writer) => {
          await writer.stageRemoval(lids, [[uuid(1), 'flat']])
          // What an import parks itself takes precedence over its removals.
          await writer.stageRemoval(lids, [[uuid(4), 'flat']])
          await writer.stage(lids, [lid(4)])
          await end(writer)
        })
      })
      const left = [2, 3, 4].map((n) => `lids ${uuid(n)} flat boxId ${uuid(n)}`)
      assert.deepEqual((await waiting('moment')).toSorted(), left)
      await put('moment', lids, [], { removals: [[uuid(2), 'flat']] })
      assert.deepEqual((await waiting('moment')).toSorted(), left.slice(1))
      await put(
        'moment',
        boxes,
        [1, 2, 3, 4].map((n) => box(n)),
      )
      assert.deepEqual(await stored('moment', lids), [lid(3), lid(4)])
    })

    it('are listed with what they wait for, and where they came from', async () => {
      await put('listed', lids, [lid(1), lid(2)])
      const { total, rows } = await store.quarantine.list({ owner: 'listed', limit: 1 })
      assert.equal(total, 2)
      const [first] = rows
      assert.ok(first)
      const { id, since, triedAt, version, ...row } = first
      const file = 'lids.csv'
      const [waiting] = [lid(1), lid(2)].filter(({ boxId }) => boxId === row.waitsFor?.value)
      const line = waiting?.['boxId'] === uuid(1) ? 1 : 2
      const value = uuid(line)
      assert.deepEqual(row, {
        collection: 'lids',
        key: [value, 'flat'],
        title: null,
        source: null,
        file,
        line,
        problems: [
          {
            ...{ file, line, field: '/boxId', value, severity: 'warning' },
            reason: 'refers to a record of boxes that is not stored',
          },
        ],
        waitsFor: { field: 'boxId', collection: 'boxes', value },
        parent: { collection: 'boxes', id: value },
        row: null,
        isMapped: false,
        record: waiting,
      })
      assert.match(since, /^\d{4}-\d\d-\d\dT/)
      assert.match(version, /^[0-9a-f]{12}$/)
      assert.equal(triedAt, since)
      await put('listed', lids, [lid(line, { note: 'again' })])
      const [again] = (await store.quarantine.list({ owner: 'listed', limit: 1 })).rows
      assert.deepEqual([again?.since, again?.id], [since, id], 'it has waited since it first came')
      const rest = async () =>
        (await store.quarantine.list({ owner: 'listed', limit: 9, after: { since, id } })).rows.map(
          (each) => each.line,
        )
      assert.deepEqual(await rest(), [3 - line])
      assert.equal(await store.quarantine.discard({ owner: 'listed', ids: [id] }), 1)
      assert.deepEqual(await rest(), [3 - line], 'the place of a row that is gone')
    })

    it('are shown in pages that parse little, whatever was received', async (t) => {
      const problem = { file: 'f.csv', line: 1, field: '', value: '', severity: 'error' } as const
      const rows = Array.from({ length: 100 }, (_, n) => ({
        ...{ row: null, key: [uuid(n)], parent: null, natural: null, reason: 'row', line: n },
        body: JSON.stringify(box(n, { note: 'x'.repeat(n < 50 ? 200_000 : 100) })),
        problems: [{ ...problem, reason: 'y'.repeat(20_000) }],
        received: { columns: ['c'], cells: ['z'.repeat(50_000)] },
        from: { file: 'boxes.csv' },
      }))
      await store.write('large', (writer) => writer.quarantine(boxes, rows as never))
      let parsed = 0
      const seen = new Set<string>()
      const parse = JSON.parse
      t.mock.method(JSON, 'parse', (text: string) => {
        parsed += text.length
        return parse(text)
      })
      let pages = 0
      for (let after: QuarantinePosition | undefined; ; pages += 1) {
        parsed = 0
        const page = await store.quarantine.page({ owner: 'large', limit: 50, after })
        assert.equal(page.total, 100)
        assert.ok(page.rows.length > 0 && parsed < 400_000, `${page.rows.length} ${parsed}`)
        for (const row of page.rows) {
          assert.ok(!('row' in row || 'record' in row))
          seen.add(row.id)
        }
        if (!page.next) break
        after = page.next
      }
      assert.equal(seen.size, 100)
      assert.ok(pages >= 7, String(pages))
      await store.quarantine.discard({ owner: 'large' })
    })

    it('are counted by source and collection, and as parts of a record', async () => {
      await put('counted', lids, [lid(1), lid(1, { kind: 'round' }), lid(2)])
      assert.deepEqual(await store.quarantine.counts('counted'), [
        { source: null, collection: 'lids', rows: 3, waiting: 3 },
      ])
      const missing = (n: number) => store.quarantine.missingParts('counted', 'boxes', uuid(n))
      assert.deepEqual(await missing(1), [{ collection: 'lids', rows: 2 }])
      assert.deepEqual(await missing(3), [])
    })

    it('are tried again by an import that does not park, and refuses its own rows', async () => {
      await put('tried', lids, [lid(1), lid(2)])
      assert.deepEqual(await put('tried', lids, [lid(3)], { park: false }), {
        rejected: [`refused ${uuid(3)}`],
        unparked: 0,
      })
      await put('tried', boxes, [box(2)], { park: false })
      assert.deepEqual(await stored('tried', lids), [lid(2)])
      assert.deepEqual(await waiting('tried'), [`lids ${uuid(1)} flat boxId ${uuid(1)}`])
    })

    it('come in as a chain, within a collection and beyond it', async () => {
      const chain = [3, 1, 4, 2].map((n) => box(n, { parentId: uuid(n - 1) }))
      await put('chain', boxes, chain)
      await put('chain', lids, [lid(4)])
      assert.deepEqual(await codes('chain'), [])
      assert.equal((await waiting('chain')).length, 5)
      assert.deepEqual(await put('chain', boxes, [box(0)]), { rejected: [], unparked: 5 })
      assert.deepEqual(await codes('chain'), ['B-0', 'B-1', 'B-2', 'B-3', 'B-4'])
      assert.deepEqual(await stored('chain', lids), [lid(4)])
      assert.deepEqual(await waiting('chain'), [])
    })

    it('wait for the next reference when the first has arrived', async () => {
      const lock = { id: uuid(9), boxId: uuid(1), colourId: uuid(70) }
      await put('second', locks, [lock])
      const first = await waiting('second')
      assert.deepEqual(await put('second', boxes, [box(1)]), { rejected: [], unparked: 0 })
      const second = await waiting('second')
      assert.deepEqual(
        [...first, ...second].sort(),
        [`locks ${uuid(9)} boxId ${uuid(1)}`, `locks ${uuid(9)} colourId ${uuid(70)}`].sort(),
      )
      const [row] = (await store.quarantine.list({ owner: 'second', limit: 1 })).rows
      assert.equal(row?.file, 'locks.csv')
      await put(sharedOwner, colours, [{ id: uuid(70), name: 'red' }])
      assert.deepEqual(await stored('second', locks), [], 'until an import of the brand')
      await put('second', boxes, [])
      assert.deepEqual(await stored('second', locks), [lock])
    })

    it('give way to a row of the same identity that comes in now', async () => {
      await put('newer', boxes, [box(1, { parentId: uuid(5), code: 'old' })])
      await put('newer', boxes, [box(5), box(1, { code: 'new' })])
      assert.deepEqual(await codes('newer'), ['new', 'B-5'])
      assert.deepEqual(await waiting('newer'), [])
    })

    it('leave the record as it is that they will change', async () => {
      await put('stays', boxes, [box(1)])
      await put('stays', boxes, [box(1, { parentId: uuid(5), code: 'new' })])
      assert.deepEqual(await codes('stays'), ['B-1'])
      await put('stays', boxes, [box(5)])
      assert.deepEqual(await codes('stays'), ['new', 'B-5'])
    })

    it('are dropped with the removal of their record', async () => {
      await put('removal', boxes, [box(1), box(3)])
      await put('removal', boxes, [box(1, { parentId: uuid(5) }), box(2, { parentId: uuid(5) })])
      await put('removal', boxes, [box(5)], { removals: [uuid(1), uuid(2)] })
      assert.deepEqual(await codes('removal'), ['B-3', 'B-5'])
      assert.deepEqual(await waiting('removal'), [])
    })

    it('are replaced with their collection', async () => {
      await put('replaced', boxes, [box(1), box(2), box(3, { parentId: uuid(9) })])
      const full = [box(1, { parentId: uuid(8) }), box(4)]
      await put('replaced', boxes, full, { replace: true })
      assert.deepEqual(await codes('replaced'), ['B-1', 'B-4'])
      assert.deepEqual(await waiting('replaced'), [`boxes ${uuid(1)} parentId ${uuid(8)}`])
    })

    it('of one brand are neither seen nor brought in by another', async () => {
      await put('one', lids, [lid(1)])
      await put('other', boxes, [box(1)])
      assert.deepEqual(await waiting('other'), [])
      assert.deepEqual(await stored('one', lids), [])
      assert.equal((await waiting('one')).length, 1)
      assert.equal(await store.quarantine.discard({ owner: 'other' }), 0)
      await put('other', lids, [lid(2)])
      assert.equal(await store.quarantine.discard({ owner: 'one', collection: 'boxes' }), 0)
      const [own] = (await store.quarantine.list({ owner: 'one', limit: 1 })).rows
      assert.equal(await store.quarantine.discard({ owner: 'one', ids: ['unknown'] }), 0)
      assert.equal(await store.quarantine.discard({ owner: 'one', ids: [own?.id ?? ''] }), 1)
      assert.deepEqual(await waiting('one'), [])
      assert.equal((await waiting('other')).length, 1)
    })

    it('leave nothing behind when the import fails', async () => {
      const failing = store.write('fails', async (writer) => {
        await writer.stage(lids, [lid(1)])
        await Array.fromAsync(writer.rejectInvalid(lids, { park: [{ file: 'lids.csv' }] }))
        throw new RangeError('on purpose')
      })
      await assert.rejects(failing, /on purpose/)
      assert.deepEqual(await waiting('fails'), [])
    })

    it('are limited for each brand: rows beyond the limit are refused', async () => {
      await put('full', lids, [lid(1)])
      const { dialect } = opened.database
      const identifier = "'00000000-0000-4000-8000-' || cast(100000000000 + n.i as text)"
      const copied = [
        ...['owner', 'collection', 'key2', 'key3', 'part', 'id', 'is_identified', 'reason'],
        ...['field', 'value', 'file', 'line', 'since', 'tried_at', 'writing', 'bytes'],
        ...['problems', 'body'],
      ]
        .map((column) => `"${column}"`)
        .join(', ')
      await opened.database.write((session) =>
        session.run({
          text: [
            `insert into "${quarantineTable}" ("key1", ${copied})`,
            'with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)',
            `select ${dialect.keyBytes(dialect.uuid(identifier), 'uuid')}, ${copied}`,
            `from "${quarantineTable}", n`,
            'where "collection" = \'lids\' and "value" = ?2',
            'and "owner" = (select "owner" from "selvedge_owners" where "slug" = \'full\')',
          ].join('\n'),
          values: [quarantineMax - 2, uuid(1)],
        }),
      )
      assert.deepEqual(await put('full', lids, [lid(1, { note: 'again' }), lid(2), lid(3)]), {
        rejected: [`parked ${uuid(1)}`, `parked ${uuid(2)}`, `refused ${uuid(3)}`],
        unparked: 0,
      })
      assert.equal((await store.quarantine.list({ owner: 'full', limit: 1 })).total, quarantineMax)
      await store.quarantine.discard({ owner: 'full' })
    })

    it('of an earlier version move to the quarantine, and come in', async () => {
      const { database } = opened
      const [lacks, has] = [lid(41), lid(42)]
      await put('moved', lids, [lacks, has])
      const columns = '"owner", "collection", "key1", "key2", "key3", "field", "value"'
      const rest = '"file", "line", "since", "body"'
      await database.write(async (session) => {
        const run = (text: string) => session.run({ text, values: [] })
        await run(`create table "selvedge_parked" as select ${columns}, ${rest}
          from "${quarantineTable}" where "collection" = 'lids'`)
        await run(`drop table "${quarantineTable}"`)
        await run('drop table "selvedge_missing_parts"')
        await run(`delete from "selvedge_shapes" where "collection" = 'quarantine'`)
      })
      store = await createStore(catalog, database)
      assert.deepEqual(
        (await waiting('moved')).toSorted(),
        [41, 42].map((n) => `lids ${uuid(n)} flat boxId ${uuid(n)}`),
      )
      const [[left] = []] = await database.read([
        { text: 'select count(*) from "selvedge_parked"', values: [] },
      ])
      assert.equal(Number(left?.[0]), 0)
      assert.deepEqual(await store.quarantine.missingParts('moved', 'boxes', uuid(42)), [
        { collection: 'lids', rows: 1 },
      ])
      await put('moved', boxes, [box(42)])
      assert.deepEqual(await stored('moved', lids), [has])
    })
  })
}
