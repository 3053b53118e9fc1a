/** Reads of the query API while others import: each has to be that of one state which it could see. */
import { isDeepStrictEqual } from 'node:util'
import { type Condition, catalog, fieldAt, queryBasePath, resourceAt } from '#contract'
import type { DemoRecord } from '#demo'
import type { Sort } from '#store'
import { download } from './download.ts'
import { brandRecord, idOf, recordsAt, seeded } from './model.ts'
import { compareRecords, evaluate } from './query-model.ts'
import type { TestService } from './service.ts'
import { viewModel } from './view-model.ts'

export interface QueryWalkOptions {
  /** A service whose reads have time enough: no request is sent again. */
  readonly service: TestService
  readonly key: string
  /** A brand that is not there yet. */
  readonly brand: string
  readonly walks: number
  readonly seed: number
  /** How long after a commit a response may be one from before it; none by default. */
  readonly noticedWithinMs?: number
}

export interface WalkedQueries {
  readonly walks: number
  readonly pages: number
  /** Pages that were not of the state that the page before was of. */
  readonly changes: number
  readonly writes: number
  readonly misses: readonly string[]
}

/** All records after an import, by their ids. */
interface State {
  readonly orders: ReadonlyMap<string, DemoRecord>
  readonly runs: ReadonlyMap<string, DemoRecord>
}

interface WalkedList {
  readonly group: 'orders' | 'production-runs'
  readonly parameters: string
  readonly where?: readonly Condition[]
  readonly view?: string
  readonly sort?: Sort
}

/** A day to come: figures of past days are those of their snapshots. */
const asOf = '2099-06-03'
const statuses = ['draft', 'sent', 'confirmed', 'shipped', 'cancelled']
const amounts = ['0.00', '12.5', '12.50', '99.99', '100', '-3.10', '12345678901234567890.12']
const days = ['2099-05-20', '2099-06-02', '2099-06-03', '2099-06-04', '2099-06-07', '2099-06-30']
const range = (field: string, is: 'gte' | 'lt', value: string): Condition => ({
  kind: 'compare',
  field,
  is,
  value,
})

const walkedLists: readonly WalkedList[] = [
  { group: 'orders', parameters: '' },
  {
    group: 'orders',
    parameters: 'sort=orderDate',
    sort: { field: 'orderDate', isDescending: false },
  },
  {
    group: 'orders',
    parameters: 'sort=-totalAmount',
    sort: { field: 'totalAmount', isDescending: true },
  },
  {
    group: 'orders',
    parameters: 'sort=-confirmedExFactoryDate',
    sort: { field: 'confirmedExFactoryDate', isDescending: true },
  },
  {
    group: 'orders',
    parameters: 'totalAmount.gte=12.50&totalAmount.lt=100.0&sort=orderDate',
    where: [range('totalAmount', 'gte', '12.50'), range('totalAmount', 'lt', '100.0')],
    sort: { field: 'orderDate', isDescending: false },
  },
  {
    group: 'orders',
    parameters: 'status.in=sent,confirmed&sort=-orderNumber',
    where: [{ kind: 'in', field: 'status', values: ['sent', 'confirmed'] }],
    sort: { field: 'orderNumber', isDescending: true },
  },
  {
    group: 'orders',
    parameters: 'confirmedExFactoryDate.isNull=true&orderNumber.startsWith=po-1',
    where: [
      { kind: 'null', field: 'confirmedExFactoryDate', isNull: true },
      { kind: 'startsWith', field: 'orderNumber', text: 'po-1' },
    ],
  },
  {
    group: 'orders',
    parameters: `view=late&asOf=${asOf}&sort=confirmedExFactoryDate`,
    view: 'late',
    sort: { field: 'confirmedExFactoryDate', isDescending: false },
  },
  {
    group: 'production-runs',
    parameters: `view=behindPlan&asOf=${asOf}&sort=-runNumber`,
    view: 'behindPlan',
    sort: { field: 'runNumber', isDescending: true },
  },
]

/** The records that a list has in a state, in its order. */
const listed = ({ group, where = [], view, sort }: WalkedList, state: State) => {
  const resource = resourceAt(catalog, group)
  const own = [...(group === 'orders' ? state.orders : state.runs).values()]
  const context = {
    today: asOf,
    timezone: 'UTC',
    days: null,
    find: (_: string, id: string) => state.orders.get(id),
    all: () => [],
  }
  const inView = view ? own.filter((record) => viewModel[group]?.[view]?.(record, context)) : own
  const kindOf = (field: string) => fieldAt(resource.fields, field)?.kind ?? 'any'
  return evaluate(resource, inView, {}, { where, ...(sort && { sort }) }, kindOf) as DemoRecord[]
}

/** Writes without a pause, and keeps every state. */
const startWriter = async ({ service, brand, seed, noticedWithinMs = 0 }: QueryWalkOptions) => {
  const draw = seeded(seed)
  const oneOf = <T>(values: readonly T[]): T => values[draw(values.length)] as T
  const orNull = <T>(value: T): T | null => (draw(4) === 0 ? null : value)
  const [order = {}] = recordsAt('orders')
  const [run = {}] = recordsAt('production-runs')
  const orderOf = (number: number): DemoRecord => ({
    ...order,
    id: idOf(number),
    orderNumber: `${oneOf(['PO', 'po'])}-${number}`,
    orderDate: oneOf(days),
    status: oneOf(statuses),
    totalAmount: oneOf(amounts),
    confirmedExFactoryDate: orNull(oneOf(days)),
    requestedExFactoryDate: oneOf(days),
    deletedAt: null,
  })
  const runOf = (number: number, orders: number): DemoRecord => ({
    ...run,
    id: idOf(5_000 + number),
    orderId: idOf(1_000 + draw(orders)),
    runNumber: draw(9),
    actualExFactoryDate: orNull(oneOf(days)),
    retractedAt: null,
  })
  const byId = (records: readonly DemoRecord[]) =>
    new Map(records.map((record) => [String(record['id']), record]))
  const count = 150
  const isStaying = (number: number) => number % 2 === 0
  const first: State = {
    orders: byId(Array.from({ length: count }, (_, n) => orderOf(1_000 + n))),
    runs: byId(Array.from({ length: 60 }, (_, n) => runOf(n, count))),
  }
  const states: State[] = [first]
  await service.write(brand, {
    brand: [{ ...brandRecord(brand, seed), timezone: 'UTC' }],
    orders: [...first.orders.values()],
    'production-runs': [...first.runs.values()],
  })
  /** When each state was committed. */
  const committedAt = [Number.NEGATIVE_INFINITY]
  let isOver = false
  const waiting: (() => void)[] = []
  const orders = resourceAt(catalog, 'orders')
  const runs = resourceAt(catalog, 'production-runs')
  const writeOne = async () => {
    const { orders: before, runs: runsBefore } = states.at(-1) as State
    const numbers = [...new Set(Array.from({ length: 1 + draw(5) }, () => draw(count)))]
    const others = numbers.filter((number) => !isStaying(number))
    const isRemoval = draw(4) === 0
    const changed = isRemoval ? [] : others.map((number) => orderOf(1_000 + number))
    const removed = isRemoval ? others.map((number) => idOf(1_000 + number)) : []
    const changedRuns = [runOf(draw(60), count)]
    const after = new Map([...before, ...byId(changed)])
    for (const id of removed) after.delete(id)
    states.push({ orders: after, runs: new Map([...runsBefore, ...byId(changedRuns)]) })
    const isReplacement = draw(5) === 0
    await service.records.store.write(brand, async (writer) => {
      await writer.stage(orders, isReplacement ? [...after.values()] : changed)
      if (!isReplacement)
        await writer.stageRemoval(
          orders,
          removed.map((id) => [id]),
        )
      await writer.merge(orders, { replace: isReplacement })
      await writer.stage(runs, changedRuns)
      await writer.merge(runs)
    })
    committedAt[states.length - 1] = performance.now()
    for (const resolve of waiting.splice(0)) resolve()
    await new Promise((resolve) => setTimeout(resolve, draw(6)))
  }
  const writing = (async () => {
    while (!isOver) await writeOne()
  })()
  return {
    states,
    /** The ids of the orders that no import changes. */
    staying: [...first.orders.keys()].filter((_, number) => isStaying(number)),
    committed: () => {
      const until = performance.now() - noticedWithinMs
      return committedAt.findLastIndex((at) => at <= until)
    },
    /** Resolves when another import is done. */
    nextCommit: () => new Promise<void>((resolve) => waiting.push(resolve)),
    stop: async () => {
      isOver = true
      await writing
    },
  }
}

/** Walks, summaries, downloads and figures of the day beside a writer. */
export const walkQueries = async (options: QueryWalkOptions): Promise<WalkedQueries> => {
  const { service, key, brand, walks, seed } = options
  const { states, staying, committed, nextCommit, stop } = await startWriter(options)
  const misses: string[] = []
  const draw = seeded(seed + 1)
  const at = (rest: string) => `${queryBasePath}/brands/${brand}/${rest}`
  let pages = 0
  let changes = 0

  /** Reads something, and finds a state of its time in which it is right. */
  const judge = async <Result>(
    where: string,
    read: () => Promise<Result>,
    isOf: (result: Result, state: State) => boolean,
  ): Promise<{ readonly result: Result; readonly state: number | null }> => {
    const from = committed()
    const result = await read()
    const possible = states.slice(from)
    const match = possible.findIndex((state) => isOf(result, state))
    if (match === -1) misses.push(`${where} is not of any of ${possible.length} states`)
    return { result, state: match === -1 ? null : from + match }
  }
  const get = async (rest: string, headers: { readonly [name: string]: string } = {}) => {
    const answer = await service.get(at(rest), { key, headers })
    if (answer.status !== 200 && answer.status !== 304) {
      misses.push(`${rest}: ${answer.status} ${answer.text.slice(0, 300)}`)
    }
    return answer
  }

  const walk = async (list: WalkedList, turn: number) => {
    const { group, parameters, sort } = list
    const resource = resourceAt(catalog, group)
    const limit = 3 + draw(30)
    const where = `walk ${turn} of ${group}?${parameters}, limit ${limit}, seed ${seed},`
    const seen: DemoRecord[] = []
    let cursor: string | null = null
    let before: number | null = null
    do {
      const last: DemoRecord | undefined = seen.at(-1)
      const target = `${group}?${parameters}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
      const isPage = ({ items, nextCursor, totalItems }: PageBody, state: State): boolean => {
        const all = listed(list, state)
        const rest = last
          ? all.filter((each) => compareRecords(resource, sort, each, last) > 0)
          : all
        return (
          totalItems === all.length &&
          (nextCursor !== null) === rest.length > limit &&
          isDeepStrictEqual(items, rest.slice(0, limit))
        )
      }
      const { result: page, state } = await judge(
        `${where} page after ${seen.length} records`,
        () => get(target),
        ({ body }, each) => isPage(body, each),
      )
      const { items = [], nextCursor = null } = page.body as Partial<PageBody>
      // Unchanged means: still what a state has that could be seen since.
      if (draw(4) === 0) {
        const tag = { 'if-none-match': page.headers.get('etag') ?? '' }
        await judge(
          `${where} revalidated`,
          () => get(target, tag),
          (again, each) => isPage(again.status === 304 ? page.body : again.body, each),
        )
      }
      seen.push(...items)
      pages += 1
      // However busy the machine is, there are imports between the pages.
      if (draw(3) === 0) await nextCommit()
      if (before !== null && state !== null && state > before) changes += 1
      before = state
      cursor = nextCursor
      if (seen.length > 10_000) throw new RangeError(`${where} does not end`)
    } while (cursor !== null)
    if (group !== 'orders') return
    const [first] = states as [State]
    const meant = new Set(listed(list, first).map(({ id }) => String(id)))
    const expected = staying.filter((id) => meant.has(id))
    const stays = new Set(staying)
    const stayed = seen.map(({ id }) => String(id)).filter((id) => stays.has(id))
    if (!isDeepStrictEqual(stayed.toSorted(), expected.toSorted())) {
      misses.push(`${where} saw ${stayed.length} of ${expected.length} orders that stay`)
    }
  }

  const others: readonly ((where: string) => Promise<unknown>)[] = [
    (where) =>
      judge(
        `${where} summary`,
        () => get('orders/summary?by=status&min=orderDate'),
        ({ body }, state) => {
          const counts = Map.groupBy([...state.orders.values()], ({ status }) => status)
          return (
            body.totalItems === state.orders.size &&
            body.groups.length === counts.size &&
            body.groups.every(
              ({ by, items }: { by: { status: string }; items: number }) =>
                counts.get(by.status)?.length === items,
            )
          )
        },
      ),
    (where) => {
      const list = walkedLists[draw(walkedLists.length)] as WalkedList
      const target = at(`${list.group}/download?format=ndjson&${list.parameters}`)
      return judge(
        `${where} download of ${list.parameters}`,
        () => download(service.url + target, { key }),
        ({ body }, state) => {
          const lines = body.toString().split('\n').slice(0, -1)
          const records = lines.slice(0, -1).map((line) => JSON.parse(line))
          return isDeepStrictEqual(records, listed(list, state))
        },
      )
    },
    (where) =>
      judge(
        `${where} figures`,
        () => get(`today?asOf=${asOf}`),
        ({ body }, state) =>
          walkedLists
            .filter(({ view }) => view)
            .every((list) => {
              const name = list.group === 'orders' ? 'ordersLate' : 'productionBehindPlan'
              return body.figures?.[name]?.items === listed(list, state).length
            }),
      ),
    (where) =>
      judge(
        `${where} search`,
        () => get('search?q=po-100&groups=orders&limit=50'),
        ({ body }, state) => {
          const records = (body.items ?? []).map(({ record }: { record: DemoRecord }) => record)
          const meant = [...state.orders.values()].filter(({ orderNumber }) =>
            /^po-100/i.test(String(orderNumber)),
          )
          const inOrder = (records: readonly DemoRecord[]) =>
            records.toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1))
          return isDeepStrictEqual(inOrder(records), inOrder(meant))
        },
      ),
  ]

  let begun = 0
  const lane = async () => {
    for (let turn = begun; turn < walks; turn = begun) {
      begun += 1
      await walk(walkedLists[turn % walkedLists.length] as WalkedList, turn)
      await others[turn % others.length]?.(`after walk ${turn}, seed ${seed},`)
    }
  }
  try {
    await Promise.all(Array.from({ length: 4 }, lane))
  } finally {
    await stop()
  }
  return { walks: begun, pages, changes, writes: states.length - 1, misses }
}

interface PageBody {
  readonly items: readonly DemoRecord[]
  readonly nextCursor: string | null
  readonly totalItems: number
}
