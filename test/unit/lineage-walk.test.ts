import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ApiError,
  catalog,
  collectLineage,
  type LineageEvent,
  resourceAt,
  type WalkOptions,
  type WalkStart,
  walkBounds,
  walkLineage,
  wholeScope,
} from '#contract'
import { openStory } from '#demo'
import { type Reader, tools } from '#mcp'
import { lineageKey } from '../../src/contract/lineage-graph.ts'
import {
  ancestorsOf,
  connectedTo,
  type MemoryReader,
  memoryReader,
  pathOf,
  type Records,
  type Row,
  randomRecords,
  referencesAmong,
  rowAt,
  type Start,
  startsOf,
} from '../support/lineage-model.ts'

type Event = LineageEvent<Row>
type Ended = Event & { kind: 'ended' }

/** Everything that lists have, so that only directions decide what is found. */
const unlimited = {
  ...walkBounds,
  records: Number.POSITIVE_INFINITY,
  reads: Number.POSITIVE_INFINITY,
  recordsPerGroup: Number.POSITIVE_INFINITY,
  wholeList: Number.POSITIVE_INFINITY,
}

describe('a lineage walk', () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const records = randomRecords(seed)
    const starts = Object.keys(records).flatMap((path) => startsOf(records, path, 1))

    it(`finds each record once, with every reference between them (graph ${seed})`, async () => {
      for (const start of starts) {
        const events = await eventsOf(records, start, { bounds: unlimited })
        assert.deepEqual(new Set(keysOf(events)).size, keysOf(events).length)
        assert.equal(keysOf(events)[0], start.key)
        assert.equal(endOf(events).reason, 'complete')
        const { reached, missing } = {
          reached: new Set(keysOf(events)),
          missing: missingOf(events),
        }
        for (const key of reached) assert.ok(rowAt(records, key), `${key} exists`)
        for (const key of missing) assert.equal(rowAt(records, key), undefined)
        const edges = events.flatMap((each) => (each.kind === 'edge' ? [each.edge] : []))
        const drawn = new Set(edges.map(({ from, to, via }) => `${from} ${to} ${via}`))
        const everywhere = new Set([...reached, ...missing])
        for (const { from, to, via } of referencesAmong(records, reached)) {
          assert.equal(drawn.has(`${from} ${to} ${via}`), everywhere.has(to))
        }
        for (const { from, to } of edges) assert.ok(everywhere.has(from) && everywhere.has(to))
      }
    })

    it(`reaches all ancestors and nothing that is not connected (graph ${seed})`, async () => {
      for (const start of starts) {
        const events = await eventsOf(records, start, { bounds: unlimited })
        const reached = new Set([...keysOf(events), ...missingOf(events)])
        for (const key of ancestorsOf(records, start.key)) assert.ok(reached.has(key), key)
        const connected = connectedTo(records, start.key)
        for (const key of reached) assert.ok(connected.has(key), key)
      }
    })

    it(`keeps its bounds (graph ${seed})`, async () => {
      for (const start of starts) {
        const bounds = { ...walkBounds, records: 9, depth: 3, reads: 12, readsAtOnce: 3 }
        const reader = memoryReader(records)
        const events = await collect(walkLineage(reader, start, { bounds }))
        assert.ok(keysOf(events).length <= bounds.records)
        assert.ok(reader.stats.reads <= bounds.reads)
        assert.ok(reader.stats.atOnceMax <= bounds.readsAtOnce)
        for (const each of events) {
          if (each.kind === 'node' || each.kind === 'missing') {
            assert.ok(each.node.depth <= bounds.depth)
          }
        }
        const { reason, unfollowed, checkpoint } = endOf(events)
        assert.equal(reason === 'complete', unfollowed === 0, `${reason} ${unfollowed}`)
        assert.equal(reason === 'complete', checkpoint.reads.length === 0)
      }
    })

    it(`finds the same in pieces, and however many reads run at once (graph ${seed})`, async () => {
      for (const start of starts) {
        const whole = await eventsOf(records, start, { bounds: unlimited })
        for (const readsAtOnce of [1, 3]) {
          const bounds = { ...unlimited, reads: 2, readsAtOnce }
          const pieces: Event[] = []
          let next: WalkStart<Row> = start
          do {
            pieces.push(...(await collect(walkLineage(memoryReader(records), next, { bounds }))))
            next = endOf(pieces).checkpoint
          } while (endOf(pieces).reason === 'reads')
          assert.deepEqual(keysOf(pieces).toSorted(), keysOf(whole).toSorted())
          assert.deepEqual(missingOf(pieces).toSorted(), missingOf(whole).toSorted())
        }
      }
    })
  }

  const story = openStory().then(({ records }) => records as Records)
  const startAt = async (path: string): Promise<Start> => {
    const [start] = startsOf(await story, path, 1)
    assert.ok(start)
    return start
  }

  it('leads from a receipt line to the stock of its SKU at the location of its receipt', async () => {
    let reached = 0
    for (let seed = 1; seed <= 60; seed += 1) {
      const records = randomRecords(seed)
      for (const start of startsOf(records, 'goods-receipt-lines', 4)) {
        const { skuId, goodsReceiptId } = start.record
        const receipt = rowAt(records, `goods-receipts/${goodsReceiptId}`)
        const stock = (records['inventory'] ?? []).filter(
          (row) =>
            skuId !== null &&
            row['skuId'] === skuId &&
            typeof receipt?.['locationId'] === 'string' &&
            row['locationId'] === receipt['locationId'],
        )
        const options = {
          bounds: { ...unlimited, depth: 1 },
          directions: { up: false, down: true },
        }
        const keys = keysOf(await eventsOf(records, start, options))
        assert.deepEqual(
          keys.filter((key) => pathOf(key) === 'inventory').sort(),
          stock.map((row) => `inventory/${row['id']}`).sort(),
        )
        reached += stock.length
      }
    }
    assert.ok(reached > 5)
  })

  it('only goes the directions it may', async () => {
    const orders = await startAt('orders')
    const groupsOf = async (up: boolean, down: boolean) => {
      const options = { bounds: unlimited, directions: { up, down } }
      return new Set(keysOf(await eventsOf(await story, orders, options)).map(pathOf))
    }
    const [above, below] = [await groupsOf(true, false), await groupsOf(false, true)]
    assert.ok(above.has('parent-products') && !above.has('payments'))
    assert.ok(below.has('payments') && !below.has('quotes'))
  })

  it('shows the first of a long list, tells the rest, and continues there', async () => {
    const events = await eventsOf(await story, await startAt('orders'))
    const lists = events.flatMap((each) => (each.kind === 'truncated' ? [each.list] : []))
    const list = lists.find(({ total, nextCursor }) => total > 10 && nextCursor === null)
    assert.ok(list?.waiting)
    assert.equal(list.shown + list.waiting.length, list.total)
    const { nodes } = endOf(events).checkpoint
    const { from, relation } = list
    const read = { from, relation, directions: { up: false, down: false }, after: list }
    const next = { nodes, reads: [read], planned: new Set<string>() }
    const reader = memoryReader(await story)
    const bounds = { ...unlimited, reads: 1 }
    const more = await collect(walkLineage(reader, next, { bounds }))
    assert.equal(reader.stats.reads, 0, 'what was read before is not read again')
    const added = keysOf(more).filter((key) => pathOf(key) === relation.to.path)
    assert.equal(added.length, list.waiting.length)
    assert.ok(!more.some(({ kind }) => kind === 'truncated'))
  })

  it('takes preferred records of a long list first', async () => {
    const [order, items] = [await startAt('orders'), (await story)['order-items'] ?? []]
    const id = String(items.at(-1)?.['id'])
    const last = `order-items/${id}`
    const without = keysOf(await eventsOf(await story, order))
    const preferred = keysOf(await eventsOf(await story, order, { prefer: new Set([id]) }))
    assert.ok(!without.includes(last) && preferred.includes(last))
  })

  it('ends when it is cancelled, with what it has, and can be continued', async () => {
    const control = new AbortController()
    const start = await startAt('orders')
    const reader = memoryReader(await story, () => {
      if (reader.stats.reads >= 5) control.abort()
      control.signal.throwIfAborted()
    })
    const options = { bounds: unlimited, signal: control.signal }
    const events = await collect(walkLineage(reader, start, options))
    const { reason, checkpoint, error } = endOf(events)
    assert.deepEqual([reason, error], ['cancelled', undefined])
    assert.ok(keysOf(events).length > 1 && checkpoint.reads.length > 0)
    const rest = walkLineage(memoryReader(await story), checkpoint, { bounds: unlimited })
    const all = [...keysOf(events), ...keysOf(await collect(rest))]
    const whole = keysOf(await eventsOf(await story, start, { bounds: unlimited }))
    assert.deepEqual(all.toSorted(), whole.toSorted())
  })

  it('ends with the error of a read that fails, and can be continued', async () => {
    const failure = new Error('The connection was closed.')
    const start = await startAt('orders')
    const reader = memoryReader(await story, () => {
      if (reader.stats.reads >= 7) throw failure
    })
    const events = await collect(walkLineage(reader, start, { bounds: unlimited }))
    const { reason, error, checkpoint } = endOf(events)
    assert.deepEqual([reason, error], ['failed', failure])
    const rest = walkLineage(memoryReader(await story), checkpoint, { bounds: unlimited })
    const all = [...keysOf(events), ...keysOf(await collect(rest))]
    const whole = keysOf(await eventsOf(await story, start, { bounds: unlimited }))
    assert.deepEqual(all.toSorted(), whole.toSorted())
  })

  it('has the same records in the query API and in the MCP tool, from every group', async () => {
    const reader = memoryReader(await story)
    const trace = tools.find(({ name }) => name === 'trace_lineage')
    assert.ok(trace)
    let compared = 0
    for (const { path, endpoints, lookup } of catalog.resources) {
      if (!endpoints.includes('get') || lookup) continue
      for (const start of startsOf(await story, path, 1)) {
        const id = String(start.record[start.resource.key[0] ?? 'id'])
        // One read of a trace is its start.
        const bounds = { ...walkBounds, reads: 149 }
        const { nodes } = await collectLineage(walkLineage(reader, start, { bounds }))
        const keys = [...nodes.values()].flatMap(({ key, isMissing }) => (isMissing ? [] : [key]))
        const brands = async () => ['demo']
        const mcp = { scope: wholeScope, brands, open: async () => mcpReader(reader) }
        const args = { group: path, id, depth: 20, limit: walkBounds.records }
        const result = await trace.run(args, mcp)
        const traced = (result['records'] as readonly Row[]).map(keyOfLine)
        assert.equal(result['total'], keys.length)
        if (result['shown'] === result['total']) {
          assert.deepEqual(traced.toSorted(), keys.toSorted())
          compared += 1
        } else for (const key of traced) assert.ok(nodes.has(key), key)
      }
    }
    assert.ok(compared > 40, `${compared} traces are compared`)
  })
})

const collect = (walking: AsyncIterable<Event>): Promise<readonly Event[]> =>
  Array.fromAsync(walking)

const eventsOf = (records: Records, start: WalkStart<Row>, options: WalkOptions = {}) =>
  collect(walkLineage(memoryReader(records), start, options))

const keysOf = (events: readonly Event[]): readonly string[] =>
  events.flatMap((each) => (each.kind === 'node' ? [each.node.key] : []))

const missingOf = (events: readonly Event[]): readonly string[] =>
  events.flatMap((each) => (each.kind === 'missing' ? [each.node.key] : []))

const endOf = (events: readonly Event[]): Ended => {
  const last = events.at(-1)
  assert.equal(last?.kind, 'ended')
  return last as Ended
}

const keyOfLine = (line: Row): string => {
  const resource = resourceAt(catalog, String(line['group']))
  return lineageKey(resource, line)
}

const mcpReader = (reader: MemoryReader): Reader => ({
  brand: 'demo',
  scope: wholeScope,
  get: async (resource, id, include) => {
    const row = await reader.get(resource, id, { include })
    if (row) return row
    throw new ApiError('not_found', 'Not found.')
  },
  list: (resource, { filters = {}, include = [], limit = 25, cursor }) =>
    reader.list(resource, {
      filters: Object.fromEntries(
        Object.entries(filters).map(([name, value]) => [name, String(value)]),
      ),
      ...{ include, limit, cursor },
    }),
  query: () => Promise.reject(new Error('A walk queries nothing.')),
  summary: () => Promise.reject(new Error('A walk adds nothing up.')),
  document: () => Promise.reject(new Error('A walk reads no documents.')),
  search: () => Promise.reject(new Error('A walk searches nothing.')),
  today: () => Promise.reject(new Error('A walk asks for no figures.')),
})
