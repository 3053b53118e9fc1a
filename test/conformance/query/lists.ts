/** Lists of the query API select and sort what a plain evaluation in memory does. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fieldAt, type Resource, relationsOf, resourceAt } from '#contract'
import type { Database } from '#database'
import type { Position, QueryRequest } from '#store'
import { createListReader } from '../../../src/store/query/list-reader.ts'
import { createSummaries } from '../../../src/store/query/summary.ts'
import { createTotalledLists } from '../../../src/store/query/totalled-list.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import { createDependencies } from '../../../src/store/read/state.ts'
import { sharedOwner } from '../../../src/store/schema/owners.ts'
import { tablesOf } from '../../../src/store/schema/tables.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import type { ModelRecord } from '../../support/condition-model.ts'
import { evaluate, keyOf, type ModelQuery } from '../../support/query-model.ts'
import { colours, type OpenedForStore, uuid } from '../store/samples.ts'
import { drawQueries, euros, sorts } from './cases.ts'
import { drawSamples, parcels, queried, slots, stops } from './samples.ts'

export const named = [
  { id: uuid(1), name: 'red' },
  { id: uuid(2), name: 'blue' },
]

export const kindOf = (field: string, collection: string | null) =>
  fieldAt(resourceAt(queried, collection ?? 'parcels').fields, field)?.kind ?? 'any'

export const fill = async (
  store: Store,
  owner: string,
  records: { readonly [path: string]: readonly object[] },
): Promise<void> =>
  store.write(owner, async (writer) => {
    for (const resource of [colours, parcels, stops, slots]) {
      const own = records[resource.path]
      if (!own) continue
      await writer.stage(resource, own as never)
      await writer.merge(resource)
    }
  })

export const requestOf = (
  resource: Resource,
  { filters = {}, where = [], ids, sort }: ModelQuery,
  more: Partial<QueryRequest> = {},
): QueryRequest => ({
  resource,
  brand: 'acme',
  filters: new Map(Object.entries(filters)),
  where,
  ids: ids ?? null,
  sort: sort ?? null,
  fields: null,
  limit: 100,
  after: null,
  include: [],
  ...more,
})

/** Reads all pages of a request. */
export const walkPages = async (
  store: Store,
  request: QueryRequest,
): Promise<{ readonly items: readonly ModelRecord[]; readonly totals: ReadonlySet<number> }> => {
  const items: ModelRecord[] = []
  const totals = new Set<number>()
  let position: Position | null = null
  do {
    const page = await store.query({ ...request, after: position })
    const more: readonly ModelRecord[] = JSON.parse(`[${decodeBody(page.items)}]`)
    assert.ok(!position || more.length > 0, 'a page after another one is empty')
    items.push(...more)
    totals.add(page.total)
    position = page.next
    assert.ok(items.length <= page.total, 'a walk does not end')
  } while (position)
  return { items, totals }
}

/** A store with the samples of a brand, and of another one with the same identities and other values. */
export const openSampled = async (
  open: () => Promise<OpenedForStore>,
  samples: ReturnType<typeof drawSamples>,
  others: ReturnType<typeof drawSamples>,
): Promise<{
  readonly store: Store
  readonly database: Database
  readonly close: () => Promise<void>
}> => {
  const opened = await open()
  const store = await createStore(queried, opened.database)
  await fill(store, sharedOwner, { colours: named })
  await fill(store, 'acme', { ...samples })
  await fill(store, 'other', { ...others })
  const { database } = opened
  return { store, database, close: () => opened.close() }
}

export const listConformance = (
  name: string,
  count: number,
  open: () => Promise<OpenedForStore>,
): void => {
  describe(`lists of the query API over ${count} records on ${name}`, () => {
    let store: Store
    let database: Database
    let close: () => Promise<void>
    const samples = drawSamples(11, count)
    const isWide = count > 1_000
    /** Small pages of few records, and of many no more pages than of these. */
    const pageSize = isWide ? 150 : 9
    const others = { stops: samples.stops, colours: named, parcels: samples.parcels }
    before(async () => {
      const drawn = drawSamples(12, Math.round(count / 2))
      ;({ store, database, close } = await openSampled(open, samples, drawn))
    })
    after(() => close())

    const expected = (query: ModelQuery) =>
      evaluate(parcels, samples.parcels, others, query, kindOf)

    const check = async (query: ModelQuery, limit: number) => {
      const { items, totals } = await walkPages(store, requestOf(parcels, query, { limit }))
      const wanted = expected(query)
      const where = JSON.stringify(query)
      assert.deepEqual(
        items.map(({ id }) => id),
        wanted.map(({ id }) => id),
        where,
      )
      assert.deepEqual(items, wanted, where)
      assert.deepEqual([...totals], [wanted.length], where)
    }

    it('are those of the evaluation: orders, conditions, and both together', async () => {
      // Few records are asked for most combinations, and many for each order and condition.
      for (const [index, query] of drawQueries(5, isWide ? 40 : 150).entries()) {
        await check(query, isWide ? 100 : 7 + (index % 20))
      }
    })

    it('are the same when they are asked again, and after a change', async () => {
      const queries = drawQueries(6, 20).slice(-20)
      for (const query of queries) await check(query, 50)
      for (const query of queries) await check(query, 50)
      const added = { ...samples.parcels[0], id: uuid(3), name: 'Łódź' }
      await fill(store, 'acme', { parcels: [added] })
      for (const query of queries) {
        const { totals } = await walkPages(store, requestOf(parcels, query))
        const all = evaluate(parcels, [...samples.parcels, added], others, query, kindOf)
        assert.deepEqual([...totals], [all.length], JSON.stringify(query))
      }
      await store.write('acme', async (writer) => {
        await writer.stage(parcels, samples.parcels as never)
        await writer.merge(parcels, { replace: true })
      })
    })

    it('of identities name those that are missing', async () => {
      const [first, second] = samples.parcels.map((record) => keyOf(parcels, record))
      const stranger = [uuid(999_999)]
      const ids = [first, stranger, second].map((key) => key ?? [])
      for (const sort of [undefined, ...sorts.slice(0, 4)]) {
        const query: ModelQuery = { ids, ...(sort && { sort }) }
        const page = await store.query(requestOf(parcels, query))
        assert.deepEqual(JSON.parse(`[${decodeBody(page.items)}]`), expected(query))
        assert.equal(page.total, 2)
        assert.deepEqual(page.missing, [stranger])
      }
      const filtered: ModelQuery = {
        ids,
        where: [{ kind: 'compare', field: 'pieces', is: 'gt', value: 100 }],
      }
      const page = await store.query(requestOf(parcels, filtered))
      assert.deepEqual([page.total, page.missing.length], [0, 3])
    })

    it('have totals from the snapshot of the page, although another write comes between', async () => {
      const tables = tablesOf(queried)
      const dependenciesOf = createDependencies(queried)
      const lists = createListReader({ database, tables, dependenciesOf })
      const summaries = createSummaries({ catalog: queried, database, tables })
      let writes = 0
      const writeOne = async () => {
        writes += 1
        await fill(store, 'acme', { parcels: [{ ...samples.parcels[0], pieces: 1_000 * writes }] })
      }
      const totalled = createTotalledLists({
        database,
        lists,
        summaries: {
          ...summaries,
          read: async (request) => {
            const summary = await summaries.read(request)
            await writeOne()
            return summary
          },
        },
      })
      const first = String(samples.parcels[0]?.['id'])
      const queries: readonly ModelQuery[] = [
        {},
        { where: [{ kind: 'compare', field: 'pieces', is: 'gte', value: 2 }] },
        { sort: { field: 'price.base', isDescending: true, by: euros } },
        { ids: samples.parcels.slice(0, 5).map((record) => keyOf(parcels, record)) },
      ]
      for (const query of queries) {
        const request = requestOf(parcels, query)
        const { resource, brand, filters, where, ids } = request
        const selection = { resource, brand, filters, where, ids }
        const today = { day: '2026-03-01', timezone: 'UTC' }
        const figures = { sum: ['pieces', 'price'], min: [], max: [], by: [], today }
        const totals = { ...selection, ...figures, baseCurrency: 'EUR' }
        const before = writes
        const page = await totalled.page({ ...request, totals })
        assert.equal(writes, before + 1)
        const current = samples.parcels.map((record) =>
          record['id'] === first ? { ...record, pieces: 1_000 * writes } : record,
        )
        const wanted = evaluate(parcels, current, others, query, kindOf)
        const pieces = wanted.reduce((sum, record) => sum + Number(record['pieces']), 0)
        assert.equal(page.totals?.sum['pieces'], BigInt(pieces), JSON.stringify(query))
        assert.deepEqual(
          [JSON.parse(`[${decodeBody(page.items)}]`), page.total],
          [wanted.slice(0, request.limit), wanted.length],
        )
        assert.equal((await totalled.state({ ...request, totals })).version, page.version)
      }
      await fill(store, 'acme', { parcels: samples.parcels })
    })

    it('of records that several fields identify are in order too', async () => {
      const seen = { kind: 'firstDate', fields: ['seenOn', 'updatedAt'] } as const
      const all: readonly ModelQuery[] = [
        { sort: { field: 'viewDate', isDescending: false, by: seen } },
        {
          where: [{ kind: 'compare', field: 'depth', is: 'gte', value: 1 }],
          sort: { field: 'viewDate', isDescending: true, by: seen },
        },
        { sort: { field: 'depth', isDescending: false } },
        { sort: { field: 'depth', isDescending: true } },
        { where: [{ kind: 'compare', field: 'depth', is: 'gte', value: 2 }] },
        { sort: { field: 'updatedAt', isDescending: true } },
        {
          where: [{ kind: 'null', field: 'depth', isNull: true }],
          sort: { field: 'updatedAt', isDescending: false },
        },
        { ids: samples.slots.slice(0, 5).map((record) => keyOf(slots, record)) },
      ]
      const slotKind = (field: string) => fieldAt(slots.fields, field)?.kind ?? 'any'
      for (const query of all) {
        const { items } = await walkPages(store, requestOf(slots, query, { limit: pageSize }))
        const wanted = evaluate(slots, samples.slots, {}, query, slotKind)
        assert.deepEqual(items, wanted, JSON.stringify(query))
      }
    })

    it('include the records that references point at, and leave out fields', async () => {
      const include = relationsOf(parcels)
      const fields = ['id', 'name', 'label']
      const colourOf = ({ colourId }: ModelRecord) =>
        named.find(({ id }) => id === colourId) ?? null
      const queries: readonly ModelQuery[] = [
        {
          sort: { field: 'price', isDescending: true },
          where: [{ kind: 'null', field: 'balance', isNull: false }],
        },
        // Records without a value come last.
        { sort: { field: 'balance', isDescending: false } },
      ]
      for (const query of queries) {
        const { items } = await walkPages(
          store,
          requestOf(parcels, query, { include, limit: pageSize }),
        )
        const wanted = expected(query)
        assert.deepEqual(
          items,
          wanted.map((record) => ({ ...record, colour: colourOf(record) })),
        )
        const request = requestOf(parcels, query, { include, fields, limit: pageSize })
        assert.deepEqual(
          (await walkPages(store, request)).items,
          wanted.map(({ id, name: own, label, ...rest }) => ({
            id,
            name: own,
            label,
            colour: colourOf(rest),
          })),
        )
      }
      const plain = await walkPages(store, requestOf(parcels, {}, { fields: ['id'] }))
      assert.deepEqual(
        plain.items,
        expected({}).map(({ id }) => ({ id })),
      )
    })

    it('of one brand have nothing of another', async () => {
      for (const query of drawQueries(7, 10).slice(0, 40)) {
        const request = requestOf(parcels, query, { brand: 'nobody' })
        const { items, totals } = await walkPages(store, request)
        assert.deepEqual([items, [...totals]], [[], [0]], JSON.stringify(query))
      }
    })
  })
}
