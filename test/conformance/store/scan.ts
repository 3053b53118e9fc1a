/** What a store promises of lists whose filters are wide, and of records that are long. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiError, limits, type Resource, relationsOf } from '#contract'
import { type Database, DatabaseError, type Steps } from '#database'
import type { QueryPage } from '../../../src/store/query/request.ts'
import { type Body, decodeBody } from '../../../src/store/read/body.ts'
import type { ListRequest, Page } from '../../../src/store/read/list.ts'
import { inlineBytesMax } from '../../../src/store/read/list.ts'
import { batchBytesMax } from '../../../src/store/read/snapshot.ts'
import { countedMax } from '../../../src/store/schema/collection-stats.ts'
import { sharedOwner } from '../../../src/store/schema/owners.ts'
import type { StoredRecord } from '../../../src/store/schema/record-body.ts'
import { type Key, tableOf } from '../../../src/store/schema/tables.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { colours, crate, crates, type OpenedForStore, places, small, uuid } from './samples.ts'

/** What was asked of a database, and how it is made to fail. */
interface Watched {
  readonly database: Database
  reads: number
  /** The statements that were not read in steps. */
  texts: readonly string[]
  steps: number
  /** A read in steps fails after so many of them. */
  stepsMax: number
}

const watch = (database: Database): Watched => {
  const watched: Watched = {
    reads: 0,
    texts: [],
    steps: 0,
    stepsMax: Number.POSITIVE_INFINITY,
    database: {
      ...database,
      read: (queries, ...more) => {
        watched.reads += 1
        watched.texts = [...watched.texts, ...queries.map(({ text }) => text)]
        return database.read(queries, ...more)
      },
      readInSteps: (owner, isCancelled, work) =>
        database.readInSteps(owner, isCancelled, (steps) => {
          let count = 0
          const counting: Steps = {
            stepMs: steps.stepMs,
            // Slices stay small, so that there are many.
            tookMs: steps.stepMs,
            all: async (query) => {
              watched.steps += 1
              count += 1
              if (count > watched.stepsMax) throw new DatabaseError('on purpose')
              return steps.all(query)
            },
          }
          return work(counting)
        }),
    },
  }
  return watched
}

const brand = 'wide'
const crateCount = 6 * countedMax
const rack = uuid(900_000)
const longRack = uuid(900_001)

const stateOf = (n: number) => (n % 2 === 0 ? 'even' : 'odd')
/** Each size is shared by more than are counted, and each goes with one state alone but for a few. */
const sizeOf = (n: number) => (n === 10 || n === crateCount - 1 ? 5 : n % 2 === 0 ? 4 : 5)

export const scanConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`wide filters on ${name}`, () => {
    let opened: OpenedForStore
    let watched: Watched
    let store: Store

    const all = Array.from({ length: crateCount }, (_, n) =>
      crate(n, {
        label: { state: stateOf(n) },
        size: sizeOf(n),
        colourId: n % 5 === 0 ? uuid(7) : null,
      }),
    )
    const placed = [
      // More crates on one rack than are counted, some of them twice.
      ...Array.from({ length: countedMax + 500 }, (_, n) => ['a', n * 3] as const),
      ...Array.from({ length: 50 }, (_, n) => ['b', n * 3] as const),
    ].map(([slot, n]) => ({ crateId: uuid(n), rackId: rack, slot, note: null }))
    const slots = Array.from({ length: countedMax + 200 }, (_, n) => [
      { crateId: uuid(1), rackId: longRack, slot: `s${n}`, note: null },
      { crateId: uuid(1), rackId: uuid(900_002), slot: `s${n}`, note: null },
      { crateId: uuid(2), rackId: longRack, slot: `ä${n}`, note: null },
    ]).flat()

    before(async () => {
      opened = await open()
      watched = watch(opened.database)
      store = await createStore(small, watched.database)
      const put = (owner: string, into: Resource, records: readonly object[]) =>
        store.write(owner, async (writer) => {
          await writer.stage(into, records as never)
          await writer.merge(into)
        })
      await put(sharedOwner, colours, [{ id: uuid(7), name: 'red' }])
      await put(brand, crates, all)
      await put(brand, places, [...placed, ...slots])
    })
    after(() => opened.close())

    const list = (of: Resource, filters: object, more: Partial<ListRequest> = {}) =>
      store.list({
        resource: of,
        brand,
        filters: new Map(Object.entries(filters)),
        limit: 100,
        after: null,
        include: [],
        ...more,
      })
    const recordsOf = ({ items }: Pick<Page, 'items'>): readonly StoredRecord[] =>
      JSON.parse(`[${decodeBody(items)}]`)

    /** Walks through all pages and compares them with what the model has. */
    const assertWalk = async (
      of: Resource,
      filters: object,
      wanted: readonly object[],
      limit: number,
    ) => {
      const seen: StoredRecord[] = []
      let from: Key | null = null
      const include = relationsOf(of)
      do {
        const page: Page = await list(of, filters, { limit, after: from, include })
        assert.equal(page.total, wanted.length, JSON.stringify(filters))
        const shown = recordsOf(page)
        assert.ok(page.next ? shown.length === limit : shown.length <= limit)
        seen.push(...shown)
        from = page.next
      } while (from)
      const same = seen.map((record) => {
        const own = Object.keys(of.fields).map((field) => [field, record[field]] as const)
        return Object.fromEntries(own)
      })
      assert.deepEqual(same, wanted, JSON.stringify(filters))
      return seen
    }

    const inRack = new Set(placed.map(({ crateId }) => crateId))
    const cases: readonly [object, (each: ReturnType<typeof crate>, n: number) => boolean][] = [
      [{ labelState: 'even', size: 4 }, (_, n) => stateOf(n) === 'even' && sizeOf(n) === 4],
      [{ labelState: 'odd', size: 4 }, () => false],
      // One at the beginning and none after it.
      [{ labelState: 'even', size: 5 }, (_, n) => n === 10],
      [{ rackId: rack }, ({ id }) => inRack.has(id)],
      [{ rackId: rack, labelState: 'odd' }, ({ id }, n) => inRack.has(id) && n % 2 === 1],
      [
        { rackId: rack, labelState: 'odd', code: 'C-3' },
        ({ id, code }, n) => inRack.has(id) && n % 2 === 1 && code === 'C-3',
      ],
      [{ rackId: rack, size: 4, labelState: 'odd' }, () => false],
    ]

    it('find exactly what the model finds, in order, whatever the page size', async () => {
      for (const [filters, keep] of cases) {
        const wanted = all.filter(keep)
        for (const limit of wanted.length > 2 * countedMax ? [100] : [100, 37]) {
          const seen = await assertWalk(crates, filters, wanted, limit)
          for (const record of seen) {
            const colour = record['colourId'] === null ? null : { id: uuid(7), name: 'red' }
            assert.deepEqual(record['colour'], colour)
          }
        }
      }
    })

    it('find records whose identity has several parts', async () => {
      const inOrder = (records: readonly (typeof slots)[number][]) =>
        records.toSorted((a, b) => Buffer.compare(Buffer.from(a.slot), Buffer.from(b.slot)))
      for (const crateId of [uuid(1), uuid(2)]) {
        const wanted = slots.filter((each) => each.crateId === crateId && each.rackId === longRack)
        await assertWalk(places, { crateId, rackId: longRack }, inOrder(wanted), 100)
      }
      const none = { crateId: uuid(2), rackId: uuid(900_002) }
      assert.deepEqual(await assertWalk(places, none, [], 100), [])
    })

    it('of the query API count a record once that a link names twice', async () => {
      const wanted = all.filter(({ id }) => inRack.has(id)).map(({ id }) => ({ id }))
      const seen: StoredRecord[] = []
      let from: QueryPage['next'] = null
      do {
        const page: QueryPage = await store.query({
          resource: crates,
          brand,
          filters: new Map([['rackId', rack]]),
          where: [],
          ids: null,
          sort: null,
          fields: ['id'],
          limit: 100,
          after: from,
          include: [],
        })
        assert.equal(page.total, wanted.length)
        seen.push(...recordsOf(page))
        from = page.next
      } while (from)
      assert.deepEqual(seen, wanted)
    })

    it('are not looked through again for an empty list, nor after the last record', async () => {
      await list(crates, { labelState: 'odd', size: 4 })
      const { next } = await list(crates, { labelState: 'even', size: 4 }, { limit: 1 })
      const last = [
        all.findLast((each) => each.label.state === 'even' && each.size === 4)?.id ?? '',
      ]
      watched.reads = 0
      watched.steps = 0
      for (const limit of [1, 25, 100]) {
        for (const include of [[], relationsOf(crates)]) {
          const more = { limit, include }
          assert.equal((await list(crates, { labelState: 'odd', size: 4 }, more)).total, 0)
          const page = await list(crates, { labelState: 'even', size: 4 }, { ...more, after: last })
          assert.deepEqual([page.items.length, page.next], [0, null])
        }
      }
      assert.equal(watched.steps, 0)
      assert.equal(watched.reads, 12)
      // Few that match: their identities are known, and no slice is looked through.
      for (const after of [null, next]) {
        await list(crates, { labelState: 'even', size: 5 }, { after })
      }
      assert.ok(watched.steps < 12, `${watched.steps} steps`)
    })

    it('are looked through by several requests where one has not enough time', async () => {
      const fresh = await createStore(small, watched.database)
      const request = {
        resource: crates,
        brand,
        filters: new Map<string, string | number>([
          ['labelState', 'even'],
          ['size', 4],
        ]),
        limit: 100,
        include: [],
      }
      const wanted = all.filter((_, n) => stateOf(n) === 'even' && sizeOf(n) === 4)
      watched.stepsMax = 12
      try {
        let failures = 0
        const until = async (after: Key | null): Promise<Page> => {
          for (;;) {
            try {
              return await fresh.list({ ...request, after })
            } catch (error) {
              assert.ok(error instanceof DatabaseError)
              failures += 1
              assert.ok(failures < 20, 'it never comes to an end')
            }
          }
        }
        const first = await until(null)
        assert.equal(first.total, wanted.length)
        assert.ok(failures > 0)
        const second = await until(first.next)
        assert.deepEqual(
          [...recordsOf(first), ...recordsOf(second)].map(({ id }) => id),
          wanted.slice(0, 200).map(({ id }) => id),
        )
      } finally {
        watched.stepsMax = Number.POSITIVE_INFINITY
      }
    })

    it('are counted again once the collection has changed, and only then', async () => {
      const filters = { labelState: 'odd', size: 4 }
      const change = (size: number) =>
        store.write(brand, async (writer) => {
          await writer.stage(crates, [{ ...all[1], size }] as never)
          await writer.merge(crates)
        })
      await list(crates, filters)
      await change(4)
      const page = await list(crates, filters)
      assert.deepEqual([page.total, recordsOf(page)[0]?.['id']], [1, uuid(1)])
      await change(5)
      assert.equal((await list(crates, filters)).total, 0)
      watched.steps = 0
      for (const include of [relationsOf(crates), [], relationsOf(crates)]) {
        await list(crates, filters, { include })
      }
      assert.equal(watched.steps, 0, 'a total was counted again for what is included')
    })

    it('that were narrow when they were counted are not read in one statement after an import', async () => {
      const grown = 'grown'
      const put = (records: readonly object[]) =>
        store.write(grown, async (writer) => {
          await writer.stage(crates, records as never)
          await writer.merge(crates)
        })
      const filters = { labelState: 'odd', size: 4 }
      await put(all.slice(0, 20))
      for (const _ of [1, 2]) {
        assert.equal((await list(crates, filters, { brand: grown })).total, 0)
      }
      await put(all)
      const { name: table } = tableOf(small, crates)
      for (const limit of [10, 20, 30]) {
        watched.texts = []
        assert.equal((await list(crates, filters, { brand: grown, limit })).total, 0)
        const pages = watched.texts.filter((text) => text.includes(`"${table}"`))
        assert.deepEqual(pages, [], 'the page was read in one statement')
      }
    })

    it('long records are read one by one, with memory set aside for them', async () => {
      const long = 'long'
      const text = 'ä'.repeat(inlineBytesMax)
      const records = Array.from({ length: 5 }, (_, n) =>
        crate(n, { weight: n % 2 ? text : 'short', colourId: n === 2 ? uuid(7) : null }),
      )
      await store.write(long, async (writer) => {
        await writer.stage(crates, records as never)
        await writer.merge(crates)
      })
      const reserved: number[] = []
      const reserve = (bytes: number) => void reserved.push(bytes)
      const ask = { resource: crates, brand: long, reserve }
      for (const include of [[], relationsOf(crates)]) {
        const page = await store.list({
          ...ask,
          filters: new Map(),
          limit: 4,
          after: null,
          include,
        })
        assert.deepEqual(
          recordsOf(page).map(({ id, weight, colour }) => [id, weight, colour]),
          records
            .slice(0, 4)
            .map(({ id, weight, colourId }) => [
              id,
              weight,
              include.length === 0 ? undefined : colourId && { id: colourId, name: 'red' },
            ]),
        )
        assert.deepEqual([page.total, page.next], [5, [uuid(3)]])
        const one = await store.get({ ...ask, key: [uuid(1)], include })
        assert.equal(JSON.parse(decodeBody(one?.body as Body)).weight, text)
      }
      assert.deepEqual(reserved, [], 'little was read')
      // Every page has what limit says, so one that cannot is refused with a limit that can.
      const huge = crate(0, { weight: 'x'.repeat(limits.pageBytes / 4) })
      await store.write(long, async (writer) => {
        await writer.stage(crates, [0, 1, 2, 3, 4].map((n) => ({ ...huge, id: uuid(n) })) as never)
        await writer.merge(crates)
      })
      const whole = { ...ask, filters: new Map(), after: null, include: [] }
      await assert.rejects(
        store.list({ ...whole, limit: 100 }),
        (error) =>
          error instanceof ApiError &&
          error.code === 'page_too_large' &&
          /use 3 or less/.test(error.message),
      )
      assert.deepEqual(reserved, [])
      const page = await store.list({ ...whole, limit: 3 })
      assert.equal(recordsOf(page).length, 3)
      assert.deepEqual(reserved, [Buffer.byteLength(page.items) - 2])
    })

    it('a walk hands out long records in batches of few', async () => {
      const owner = 'walked'
      const weight = 'x'.repeat(batchBytesMax / 4)
      const records = Array.from({ length: 9 }, (_, n) =>
        crate(n, { weight: n === 0 ? weight.repeat(5) : n === 4 ? 'short' : weight }),
      )
      for (const record of records) {
        await store.write(owner, async (writer) => {
          await writer.stage(crates, [record] as never)
          await writer.merge(crates)
        })
      }
      const batches: string[][] = []
      await store.snapshot(owner, async (reader) => {
        for await (const bodies of reader.bodies(crates)) {
          const length = bodies.reduce((sum, body) => sum + body.length, 0)
          assert.ok(bodies.length === 1 || length <= batchBytesMax, `${length} bytes`)
          batches.push(bodies.map((body) => JSON.parse(decodeBody(body)).id))
        }
      })
      assert.deepEqual(
        batches,
        [[0], [1, 2, 3, 4], [5, 6, 7], [8]].map((ns) => ns.map((n) => uuid(n))),
      )
    })
  })
}
