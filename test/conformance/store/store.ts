import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Resource, relationsOf } from '#contract'
import type { SqlValue } from '#database'
import { type Body, decodeBody } from '../../../src/store/read/body.ts'
import type { ReadState } from '../../../src/store/read/change-tracker.ts'
import type { Page } from '../../../src/store/read/list.ts'
import { inlineBytesMax } from '../../../src/store/read/list.ts'
import { countedMax } from '../../../src/store/schema/collection-stats.ts'
import { OwnerConflictError, ownerNumber, sharedOwner } from '../../../src/store/schema/owners.ts'
import type { StoredRecord } from '../../../src/store/schema/record-body.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { rowFormatOf } from '../../../src/store/write/row-format.ts'
import type { StagedRows } from '../../../src/store/write/staging.ts'
import { amountConformance } from './amounts.ts'
import { boundsConformance } from './bounds.ts'
import { brandRemovalConformance } from './brand-removal.ts'
import { changesConformance } from './changes.ts'
import { conversionConformance } from './conversion.ts'
import { feedConformance } from './feed.ts'
import { keptRowsConformance } from './kept-rows.ts'
import { mappingContextConformance } from './mapping-context.ts'
import { migrationConformance } from './migration.ts'
import { publishedViewsConformance } from './published-views.ts'
import { quarantineConformance } from './quarantine.ts'
import { quarantineImportConformance } from './quarantine-import.ts'
import { refusedRowsConformance } from './refused-rows.ts'
import { colours, crate, crates, type OpenedForStore, places, small, uuid } from './samples.ts'
import { scanConformance } from './scan.ts'
import { searchConformance } from './search.ts'
import { searchIndexConformance } from './search-index.ts'
import { seenTimesConformance } from './seen-times.ts'
import { sortConformance } from './sorts.ts'
import { sourceConformance } from './sources.ts'
import { uniqueKeyConformance } from './unique-keys.ts'
import { writeGroupConformance } from './write-group.ts'

const recordsOf = ({ items }: Page): readonly StoredRecord[] => JSON.parse(`[${decodeBody(items)}]`)

/** Crates as an import brings them: packed, each with the line it came from. */
const packed = (source: number, rows: readonly (readonly [number, StoredRecord])[]): StagedRows => {
  const { pack, createDigester } = rowFormatOf(small, crates)
  const digester = createDigester()
  const cells: SqlValue[] = []
  for (const [, record] of rows) {
    const first = cells.length
    pack(record, cells)
    digester.addCells(cells, first)
  }
  const lines = rows.map(([line]) => line)
  return {
    source,
    lines,
    canonical: null,
    others: [...rows.keys()],
    cells,
    digest: digester.take(),
  }
}

export const storeConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`a store on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(small, opened.database)
    })
    after(() => opened.close())

    const put = (owner: string, into: Resource, records: object[], replace = false) =>
      store.write(owner, async (writer) => {
        await writer.stage(into, records as never)
        return writer.merge(into, { replace })
      })
    const list = (of: Resource, owner: string, filters: object = {}, more: object = {}) =>
      store.list({
        resource: of,
        brand: owner,
        filters: new Map(Object.entries(filters)),
        limit: 100,
        after: null,
        include: [],
        ...more,
      })
    const ids = async (...ask: Parameters<typeof list>) =>
      recordsOf(await list(...ask)).map((record) => record['id'])
    /** Counts in the database itself, past every stored total. */
    const counted = async (table: string, where: string) => {
      const text = `select count(*) from "${table}" where ${where}`
      const [rows] = await opened.database.read([{ text, values: [] }])
      return Number(rows?.[0]?.[0])
    }

    it('gives records back byte for byte, in the order of their fields', async () => {
      const shuffled = Object.fromEntries(Object.entries(crate(1)).reverse())
      await put('exact', crates, [shuffled])
      const record = await store.get({
        resource: crates,
        brand: 'exact',
        key: [uuid(1)],
        include: [],
      })
      assert.equal(decodeBody(record?.body as Body), JSON.stringify(crate(1)))
    })

    it('reads records as bytes: pages, gets, what they include and exports', async () => {
      const code = 'é ’ 中 🧵'
      await put(sharedOwner, colours, [{ id: uuid(7), name: 'red' }])
      await put('bytes', crates, [
        crate(1, { code, colourId: uuid(7) }),
        crate(2, { code, weight: 'x'.repeat(inlineBytesMax) }),
      ])
      const bodies: unknown[] = []
      for (const include of [[], relationsOf(crates)]) {
        const request = { resource: crates, brand: 'bytes', include }
        for (const key of [uuid(1), uuid(2)]) {
          bodies.push((await store.get({ ...request, key: [key] }))?.body)
        }
        for (const limit of [1, 2]) {
          for (const filters of [{}, { code }]) {
            bodies.push((await list(crates, 'bytes', filters, { include, limit })).items)
          }
        }
      }
      await store.snapshot('bytes', async (reader) => {
        for await (const batch of reader.bodies(crates)) bodies.push(...batch)
      })
      for (const body of bodies) {
        assert.ok(body instanceof Uint8Array, typeof body)
        assert.ok(decodeBody(body).includes(`"code":"${code}"`))
      }
      assert.equal(bodies.length, 14)
    })

    it('counts what is added, changed, unchanged and removed', async () => {
      const all = [crate(1), crate(2), crate(3)]
      assert.deepEqual(await put('merge', crates, all), counts(0, 3, 0, 0, 0))
      assert.deepEqual(await put('merge', crates, all), counts(3, 0, 0, 3, 0))
      const changed = [crate(1, { code: 'new' }), crate(2), crate(4)]
      assert.deepEqual(await put('merge', crates, changed), counts(3, 1, 1, 1, 0))
      assert.deepEqual(await put('merge', crates, changed, true), counts(4, 0, 0, 3, 1))
      assert.deepEqual(await ids(crates, 'merge'), [uuid(1), uuid(2), uuid(4)])
      const removed = await store.write('merge', async (writer) => {
        await writer.stageRemoval(crates, [[uuid(1)], [uuid(99)], [uuid(1)]])
        await writer.stageRemoval(crates, [[uuid(98)], [uuid(1)]])
        return writer.merge(crates)
      })
      assert.deepEqual(removed, counts(3, 0, 0, 0, 1))
      assert.equal((await list(crates, 'merge')).total, 2)
    })

    it('finds records by the columns that have changed, and by those that have not', async () => {
      await put('columns', crates, [
        crate(1, { code: 'a', colourId: uuid(7) }),
        crate(2, { code: 'a', colourId: null }),
        crate(3, { code: 'c', colourId: uuid(7) }),
      ])
      const merged = await put('columns', crates, [
        crate(1, { code: 'b', colourId: uuid(7) }),
        crate(2, { code: 'a', colourId: uuid(7) }),
        crate(3, { code: 'a', colourId: null }),
        crate(4, { code: 'b', colourId: null }),
      ])
      assert.deepEqual(merged, counts(3, 1, 3, 0, 0))
      assert.deepEqual(await ids(crates, 'columns', { code: 'a' }), [uuid(2), uuid(3)])
      assert.deepEqual(await ids(crates, 'columns', { code: 'b' }), [uuid(1), uuid(4)])
      assert.deepEqual(await ids(crates, 'columns', { colourId: uuid(7) }), [uuid(1), uuid(2)])
    })

    it('adds what is missing and changes nothing else, with onlyMissing', async () => {
      await put('missing', crates, [crate(1, { code: 'own' }), crate(2)])
      const merged = await store.write('missing', async (writer) => {
        await writer.stage(crates, [crate(1), crate(2), crate(3)] as never)
        return writer.merge(crates, { onlyMissing: true })
      })
      assert.deepEqual(merged, { ...counts(2, 1, 0, 1, 0), differing: 1 })
      const record = await store.get({
        resource: crates,
        brand: 'missing',
        key: [uuid(1)],
        include: [],
      })
      assert.equal(decodeBody(record?.body as Body), JSON.stringify(crate(1, { code: 'own' })))
      assert.deepEqual(await ids(crates, 'missing'), [uuid(1), uuid(2), uuid(3)])
    })

    it('writes all of a run or nothing', async () => {
      const failing = store.write('nothing', async (writer) => {
        await writer.stage(crates, [crate(1)] as never)
        await writer.merge(crates)
        throw new RangeError('on purpose')
      })
      await assert.rejects(failing, /on purpose/)
      const page = await list(crates, 'nothing')
      assert.deepEqual([recordsOf(page), page.total], [[], 0])
      assert.deepEqual(await put('nothing', crates, [crate(1)]), counts(0, 1, 0, 0, 0))
    })

    it('removes repeated rows together, and not one after the other', async () => {
      let deletions = 0
      const { database } = opened
      const counted = await createStore(small, {
        ...database,
        write: (work, lock) =>
          database.write(
            (session) =>
              work({
                ...session,
                run: (query) => {
                  if (query.text.startsWith('delete from "staged')) deletions += 1
                  return session.run(query)
                },
              }),
            lock,
          ),
      })
      const rows = Array.from({ length: 300 }, (_, at) => [at + 1, crate(1)] as const)
      const repeats = await counted.write('repeats', async (writer) => {
        await writer.stageRows(crates, packed(1, [[1, crate(2)], ...rows]))
        const rejected = await Array.fromAsync(writer.rejectInvalid(crates))
        assert.deepEqual(await writer.merge(crates), counts(0, 2, 0, 0, 0))
        return rejected
      })
      assert.equal(repeats.length, 299)
      assert.ok(repeats.every(({ first }) => first?.isSame))
      assert.ok(deletions > 0 && deletions < 10, `${deletions} deletions`)
    })

    it('finds identities that are there twice, and references that point nowhere', async () => {
      const rejected = await store.write('rejected', async (writer) => {
        await writer.stageRows(
          crates,
          packed(1, [
            [10, crate(1)],
            [20, crate(2, { colourId: uuid(77) })],
          ]),
        )
        await writer.stageRows(crates, packed(2, [[5, crate(1, { code: 'again' })]]))
        const rows = await Array.fromAsync(writer.rejectInvalid(crates))
        assert.deepEqual(await writer.merge(crates), counts(0, 1, 0, 0, 0))
        return rows
      })
      assert.deepEqual(rejected, [
        {
          row: 3,
          source: 2,
          line: 5,
          reference: null,
          value: uuid(1),
          first: { source: 1, line: 10, isSame: false, body: JSON.stringify(crate(1)) },
          refusal: null,
          isQuarantined: false,
          body: JSON.stringify(crate(1, { code: 'again' })),
        },
        {
          row: 2,
          source: 1,
          line: 20,
          reference: { from: 'crates', field: 'colourId', to: 'colours', nullable: true },
          value: uuid(77),
          first: null,
          refusal: null,
          isQuarantined: false,
          body: JSON.stringify(crate(2, { colourId: uuid(77) })),
        },
      ])
      assert.deepEqual(await ids(crates, 'rejected'), [uuid(1)])
    })

    it('does not take a reference for met whose record the same run has removed since', async () => {
      await put('since', crates, [crate(1)])
      const rejected = await store.write('since', async (writer) => {
        await writer.stage(places, [
          { crateId: uuid(1), rackId: uuid(5), slot: 'a', note: null },
        ] as never)
        await writer.merge(crates, { replace: true })
        return Array.fromAsync(writer.rejectInvalid(places))
      })
      assert.deepEqual(
        rejected.map(({ value }) => value),
        [uuid(1)],
      )
    })

    it('finds what still points at a record that a run removes', async () => {
      await put('orphans', crates, [crate(1), crate(2)])
      const place = { crateId: uuid(2), rackId: uuid(5), slot: 'a', note: null }
      await put('orphans', places, [place])
      const orphans = await store.write('orphans', async (writer) => {
        await writer.stage(crates, [crate(1)])
        await writer.merge(crates, { replace: true })
        return Array.fromAsync(writer.orphans())
      })
      assert.deepEqual(orphans, [
        {
          from: 'places',
          field: 'crateId',
          to: 'crates',
          nullable: false,
          first: [{ key: [uuid(2), uuid(5), 'a'], value: uuid(2), body: JSON.stringify(place) }],
          count: 1,
        },
      ])
    })

    it('keeps brands apart, and shares what is shared', async () => {
      await put('a', crates, [crate(1, { code: 'of a' })])
      await put('b', crates, [crate(1, { code: 'of b' }), crate(2)])
      await put(sharedOwner, colours, [{ id: uuid(7), name: 'red' }])
      assert.equal((await list(crates, 'a')).total, 1)
      assert.equal(recordsOf(await list(crates, 'a'))[0]?.['code'], 'of a')
      assert.equal((await list(crates, 'a', { code: 'of b' })).total, 0)
      assert.equal((await list(colours, 'a')).total, 1)
      assert.equal((await list(colours, 'b')).total, 1)
    })

    it('pages in the order of the identity, composite ones too', async () => {
      const many = Array.from({ length: 30 }, (_, n) => ({
        crateId: uuid(n % 3),
        rackId: uuid(n % 5),
        slot: ['a', 'B', 'ä', 'b'][n % 4] ?? '',
        note: null,
      }))
      const unique = [...new Map(many.map((each) => [Object.values(each).join(), each])).values()]
      await put('pages', places, unique)
      const seen: StoredRecord[] = []
      let after: readonly string[] | null = null
      do {
        const page = await list(places, 'pages', {}, { limit: 4, after })
        assert.equal(page.total, unique.length)
        seen.push(...recordsOf(page))
        after = page.next
      } while (after)
      const key = (record: StoredRecord) =>
        Buffer.from(Object.values(record).slice(0, 3).join('\0'))
      assert.equal(seen.length, unique.length)
      assert.deepEqual(
        seen,
        [...seen].sort((a, b) => Buffer.compare(key(a), key(b))),
      )
    })

    it('filters by own, nested and integer fields, and through another collection', async () => {
      const all = Array.from({ length: 40 }, (_, n) =>
        crate(n, { label: { state: n % 2 ? 'odd' : 'even' } }),
      )
      await put('filters', crates, all)
      const rack = uuid(500)
      await put('filters', places, [
        ...[3, 5, 8, 13].map((n) => ({ crateId: uuid(n), rackId: rack, slot: 'a', note: null })),
        // The same crate twice on one rack, and one that is not there.
        { crateId: uuid(3), rackId: rack, slot: 'b', note: null },
        { crateId: uuid(999), rackId: rack, slot: 'a', note: null },
      ])
      const model = (keep: (each: ReturnType<typeof crate>) => boolean) =>
        all.filter(keep).map((each) => each.id)
      const cases: [object, string[]][] = [
        [{ code: 'C-4' }, model(({ code }) => code === 'C-4')],
        [{ size: 2 }, model(({ size }) => size === 2)],
        [{ labelState: 'odd' }, model(({ label }) => label.state === 'odd')],
        [{ code: 'C-4', size: 2 }, model(({ code, size }) => code === 'C-4' && size === 2)],
        [{ rackId: rack }, [3, 5, 8, 13].map(uuid)],
        [{ rackId: rack, labelState: 'odd' }, [3, 5, 13].map(uuid)],
        [{ code: 'c-4' }, []],
      ]
      for (const [filters, wanted] of cases) {
        const page = await list(crates, 'filters', filters)
        assert.deepEqual(
          recordsOf(page).map((record) => record['id']),
          wanted,
        )
        assert.equal(page.total, wanted.length, JSON.stringify(filters))
        const [first] = wanted
        if (first) {
          const rest = await list(crates, 'filters', filters, { after: [first] })
          assert.equal(recordsOf(rest).length, wanted.length - 1)
          assert.equal(rest.total, wanted.length)
        }
      }
    })

    it('resolves what is referred to, from the same state, in one go for each relation', async () => {
      await put(sharedOwner, colours, [{ id: uuid(7), name: 'red' }])
      await put('include', crates, [
        crate(1, { colourId: uuid(7) }),
        crate(2),
        crate(3, { colourId: uuid(8) }),
      ])
      const include = relationsOf(crates)
      const page = await list(crates, 'include', {}, { include })
      assert.deepEqual(
        recordsOf(page).map((record) => record['colour']),
        [{ id: uuid(7), name: 'red' }, null, null],
      )
      const one = await store.get({ resource: crates, brand: 'include', key: [uuid(1)], include })
      assert.ok(
        decodeBody(one?.body as Body).endsWith(`,"colour":{"id":"${uuid(7)}","name":"red"}}`),
      )
    })

    it('refuses a brand whose number stands for another one', async () => {
      await opened.database.write((session) =>
        session.run({
          text: 'insert into "selvedge_owners" ("owner", "slug") values (?1, ?2)',
          values: [ownerNumber('second'), 'first'],
        }),
      )
      await assert.rejects(put('second', crates, [crate(1)]), {
        constructor: OwnerConflictError,
        message: /^Nothing was written: the brands second and first have the same number/,
      })
      assert.equal((await list(crates, 'second')).total, 0)
    })

    it('has exact totals while values grow past what is counted and shrink again', async () => {
      const states = ['busy', 'rare']
      const check = async () => {
        for (const state of states) {
          const { total } = await list(crates, 'totals', { labelState: state })
          const real = await counted(
            'crates',
            `"owner" = ${ownerNumber('totals')} and "labelState" = '${state}'`,
          )
          assert.equal(total, real, state)
        }
        for (const size of [0, 1, 2]) {
          const { total } = await list(crates, 'totals', { size })
          assert.equal(
            total,
            await counted('crates', `"owner" = ${ownerNumber('totals')} and "size" = ${size}`),
          )
        }
        assert.equal(
          (await list(crates, 'totals')).total,
          await counted('crates', `"owner" = ${ownerNumber('totals')}`),
        )
      }
      const many = (from: number, to: number, state: string, changed: object = {}) =>
        Array.from({ length: to - from }, (_, n) =>
          crate(from + n, { label: { state }, ...changed }),
        )
      await put('totals', crates, many(0, countedMax - 5, 'busy'))
      await check()
      await put('totals', crates, many(countedMax - 5, countedMax + 5, 'busy'))
      await check()
      await put('totals', crates, many(countedMax + 5, countedMax * 3, 'busy', { size: 1 }))
      await check()
      await put('totals', crates, many(0, 300, 'rare'))
      await check()
      await store.write('totals', async (writer) => {
        await writer.stageRemoval(
          crates,
          Array.from({ length: 900 }, (_, n) => [uuid(200 + n)]),
        )
        await writer.merge(crates)
      })
      await check()
      await put('totals', crates, many(0, 10, 'busy'), true)
      await check()
    })

    it('moves the version of what was changed, and of nothing else', async () => {
      const version = async (of: Resource, filters: string[] = []) =>
        (await store.state({ resource: of, brand: 'version', filters, include: [] })).version
      await put('version', crates, [crate(1)])
      const before = [
        await version(crates),
        await version(places),
        await version(crates, ['rackId']),
      ]
      await put('version', crates, [crate(1)])
      await put('elsewhere', crates, [crate(1)])
      assert.deepEqual(
        [await version(crates), await version(places), await version(crates, ['rackId'])],
        before,
      )
      await put('version', places, [{ crateId: uuid(1), rackId: uuid(2), slot: 'a', note: null }])
      assert.equal(await version(crates), before[0])
      assert.notEqual(await version(places), before[1])
      assert.notEqual(await version(crates, ['rackId']), before[2])
      const page = await list(crates, 'version')
      assert.equal(page.version, await version(crates))
    })

    it('tracks what is fresh, and that nothing is once the database was restored from a backup', async () => {
      const tracker = await store.trackChanges()
      const request = { resource: crates, brand: 'tracked', filters: [], include: [] }
      const settled = async (readState: ReadState, wanted: boolean) => {
        const until = performance.now() + 5_000
        while (tracker.isFresh(readState) !== wanted && performance.now() < until) {
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
        return tracker.isFresh(readState)
      }
      await put('tracked', crates, [crate(1)])
      const { readState: before } = await store.state(request)
      assert.equal(await settled(before, true), true)
      await put('elsewhere', crates, [crate(9)])
      assert.equal(await settled(before, true), true, 'another brand changed')
      await put('tracked', crates, [crate(1, { code: 'new' })])
      assert.equal(await settled(before, false), false, 'the collection changed')
      const { readState: after } = await store.state(request)
      assert.equal(await settled(after, true), true)
      await opened.database.write(async (session) => {
        await session.run({
          text: 'update "selvedge_collections" set "version" = "version" - 1000000000',
          values: [],
        })
      })
      assert.equal(await settled(after, false), false, 'the database was set back')
      await tracker.close()
    })

    it('makes a setting once', async () => {
      const [a, b] = await Promise.all([
        store.setting('secret', () => 'first'),
        store.setting('secret', () => 'second'),
      ])
      assert.equal(a, b)
      assert.equal(await store.setting('secret', () => 'third'), a)
    })
  })

  amountConformance(name, open)
  changesConformance(name, open)
  migrationConformance(name, open)
  conversionConformance(name, open)
  feedConformance(name, open)
  brandRemovalConformance(name, open)
  publishedViewsConformance(name, open)
  scanConformance(name, open)
  quarantineConformance(name, open)
  quarantineImportConformance(name, open)
  mappingContextConformance(name, open)
  refusedRowsConformance(name, open)
  keptRowsConformance(name, open)
  seenTimesConformance(name, open)
  sortConformance(name, open)
  boundsConformance(name, open)
  sourceConformance(name, open)
  searchConformance(name, open)
  searchIndexConformance(name, open)
  uniqueKeyConformance(name, open)
  writeGroupConformance(name, open)
}

const counts = (
  stored: number,
  added: number,
  changed: number,
  unchanged: number,
  removed: number,
) => ({
  stored,
  added,
  changed,
  unchanged,
  removed,
})
