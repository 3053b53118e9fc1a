import { parseDecimal, signOf, sumAmounts } from '../../../src/contract/index.ts'
import type { Api, Filters, Row } from '../api.ts'
import { type Domain, domains, type Group, groupAt, groups } from '../contract.ts'
import { readRows, type TooLong } from '../lineage/rows.ts'

/** The longest list that a chart is based on. For a longer list there is no chart: a sum over its
 * first records would be wrong. */
export const rowsMax = 1_000

/** One bar. Its filters link to the list closest to what it counts. */
export type Count = { name: string; count: number; filters: Filters }

export type StatusCounts = { total: number; counts: readonly Count[] }

/** Counts the records of a list exactly. */
export type CountRecords = (collection: string, filters?: Filters) => Promise<number>

/** The exact number of records of each status; those with an unknown status come last. */
export const statusCounts = async (
  count: CountRecords,
  collection: string,
): Promise<StatusCounts> => {
  const [total, ...counts] = await Promise.all([
    count(collection),
    ...statusesOf(collection).map(async (name): Promise<Count> => {
      const filters = { status: name }
      return { name, filters, count: await count(collection, filters) }
    }),
  ])
  const other = total - counts.reduce((sum, { count: one }) => sum + one, 0)
  return {
    total,
    counts: other > 0 ? [...counts, { name: 'other', count: other, filters: {} }] : counts,
  }
}

/** The known statuses of a collection, in the order of its lifecycle. */
export const statusesOf = (collection: string): readonly string[] =>
  groupAt(collection)?.fields.find(({ name }) => name === 'status')?.values ?? []

/** The groups that can be listed and counted. */
export const lists: readonly Group[] = groups.filter(({ hasList }) => hasList)

export type DomainTotal = {
  domain: Domain
  groups: readonly { group: Group; total: number | undefined }[]
  /** Of the groups that have been counted. */
  total: number
  /** True once every group is counted. */
  whole: boolean
}

/** The domains with their groups, from the totals that are loaded so far. */
export const domainTotals = (
  totals: ReadonlyMap<string, number | undefined>,
): readonly DomainTotal[] =>
  domains.map((domain) => {
    const own = lists
      .filter((group) => group.domain === domain)
      .map((group) => ({ group, total: totals.get(group.path) }))
    return {
      domain,
      groups: own,
      total: own.reduce((sum, { total = 0 }) => sum + total, 0),
      whole: own.every(({ total }) => total !== undefined),
    }
  })

/** The progress of a shipment, in a few phases. */
export const phases = ['planned', 'under way', 'arrived', 'cancelled'] as const

export type Phase = (typeof phases)[number]

const phaseByStatus: { readonly [status: string]: Phase } = {
  planned: 'planned',
  booked: 'planned',
  ready: 'planned',
  in_transit: 'under way',
  customs: 'under way',
  arrived: 'arrived',
  delivered: 'arrived',
  received: 'arrived',
  cancelled: 'cancelled',
}

export type Month = {
  /** `2026-04`, or null for shipments without a date. */
  month: string | null
  count: number
  byPhase: { readonly [phase in Phase]: number }
  /** The status that all of them have, if there is one: the nearest filter. */
  filters: Filters
}

export type ShipmentMonths = { months: readonly Month[]; tooLong: readonly TooLong[] }

/** Shipments by month of departure: actual, else estimated, else cargo ready. */
export const shipmentMonths = async (
  api: Api,
  signal?: AbortSignal,
  read = readRows,
): Promise<ShipmentMonths> => {
  const { rows } = await read(api, 'shipments', {}, bound(signal))
  if (rows === null) return { months: [], tooLong: [longer('shipments')] }
  const byMonth = Map.groupBy(rows, departureMonth)
  const dated = [...byMonth.keys()].filter((month) => month !== null).toSorted()
  const [first, last] = [dated[0], dated.at(-1)]
  const every = first && last ? monthsBetween(first, last) : []
  const shown = [...every, ...(byMonth.has(null) ? [null] : [])]
  return { months: shown.map((month) => monthOf(month, byMonth.get(month) ?? [])), tooLong: [] }
}

/** Null if a list it is based on is too long. */
export type Units = { name: 'ordered' | 'shipped' | 'received'; units: number | null }

export type UnitTotals = {
  units: readonly Units[]
  tooLong: readonly TooLong[]
  /** Whether there is nothing to count. */
  empty: boolean
}

/**
 * Pieces ordered, shipped and received. Cancelled and deleted records are not counted. Goods
 * forwarded from a hub are on two shipments and are counted once.
 */
export const unitTotals = async (
  api: Api,
  signal?: AbortSignal,
  read = readRows,
): Promise<UnitTotals> => {
  const [orders, shipments, lines, forwarded] = await Promise.all([
    read(api, 'orders', {}, bound(signal)),
    read(api, 'shipments', {}, bound(signal)),
    read(api, 'goods-receipt-lines', {}, { ...bound(signal), include: ['goodsReceipt'] }),
    read(api, 'shipment-item-lineages', forwards, bound(signal)),
  ])
  const left = shipments.rows?.filter(isActive).filter(hasLeft)
  const received = lines.rows?.filter(({ goodsReceipt }) => isActive((goodsReceipt ?? {}) as Row))
  return {
    units: [
      { name: 'ordered', units: orders.rows && sum(orders.rows.filter(isActive), 'totalQuantity') },
      {
        name: 'shipped',
        units:
          left && forwarded.rows
            ? sum(left, 'totalQuantity') - sum(forwarded.rows, 'quantity')
            : null,
      },
      { name: 'received', units: received ? sum(received, 'receivedQuantity') : null },
    ],
    tooLong: [
      ...(orders.rows ? [] : [longer('orders')]),
      ...(shipments.rows ? [] : [longer('shipments')]),
      ...(lines.rows ? [] : [longer('goods-receipt-lines')]),
      ...(forwarded.rows ? [] : [longer('shipment-item-lineages', forwards)]),
    ],
    empty: [orders, shipments, lines].every(({ total }) => total === 0),
  }
}

const forwards = { kind: 'forward' }

const longer = (collection: string, filters: Filters = {}): TooLong => ({
  collection,
  filters,
  max: rowsMax,
})

/** The statuses of an invoice with an open balance. */
export const openStatuses = ['received', 'approved', 'partially_paid', 'disputed'] as const

export type Due = {
  currency: string
  /** `2026-06`; null without a date. */
  month: string | null
  overdue: boolean
  amount: string
  invoices: number
  filters: Filters
}

export type OpenInvoices = {
  dues: readonly Due[]
  invoices: number
  /** If this is not empty, there are no sums. */
  tooLong: readonly TooLong[]
}

/** Open balances by currency and month of the due date. Nothing is converted. */
export const openInvoices = async (
  api: Api,
  today: string,
  signal?: AbortSignal,
): Promise<OpenInvoices> => {
  const lists = await Promise.all(
    openStatuses.map((status) => readRows(api, 'invoices', { status }, bound(signal))),
  )
  const tooLong = openStatuses.flatMap((status, place) =>
    lists[place]?.rows ? [] : [longer('invoices', { status })],
  )
  if (tooLong.length > 0) return { dues: [], invoices: 0, tooLong }
  const owed = lists
    .flatMap(({ rows }) => rows ?? [])
    .filter((row) => !row['deletedAt'] && signOf(parseDecimal(String(row['balanceAmount']))) !== 0)
  const keyOf = (row: Row) =>
    [row['currency'], monthOfDate(row['dueDate']) ?? '', isOverdue(row, today)].join(' ')
  const dues = [...Map.groupBy(owed, keyOf).values()].map((rows): Due => {
    const [first = {}] = rows
    const currency = String(first['currency'])
    return {
      currency,
      month: monthOfDate(first['dueDate']),
      overdue: isOverdue(first, today),
      amount: sumAmounts(rows.map((row) => String(row['balanceAmount']))),
      invoices: rows.length,
      filters: { currency, ...sharedStatus(rows) },
    }
  })
  return {
    dues: dues.toSorted(
      (a, b) =>
        a.currency.localeCompare(b.currency) ||
        (a.month ?? '9999').localeCompare(b.month ?? '9999') ||
        Number(b.overdue) - Number(a.overdue),
    ),
    invoices: owed.length,
    tooLong: [],
  }
}

/** The order suggested for its lineage: one that was received, or else any. */
export const orderToFollow = async (api: Api, signal?: AbortSignal): Promise<Row | null> => {
  for (const filters of [{ status: 'received' }, { status: 'closed' }, {}]) {
    const { items } = await api.list('orders', { filters, limit: 1, ...(signal && { signal }) })
    if (items[0]) return items[0]
  }
  return null
}

const bound = (signal?: AbortSignal) => ({ max: rowsMax, ...(signal && { signal }) })

const sum = (rows: readonly Row[], field: string): number =>
  rows.reduce((total, row) => total + Number(row[field] ?? 0), 0)

const isActive = (row: Row): boolean => !row['deletedAt'] && row['status'] !== 'cancelled'

const hasLeft = ({ status }: Row): boolean => phaseByStatus[String(status)] !== 'planned'

const departureMonth = (row: Row): string | null =>
  monthOfDate(row['actualDepartureAt'] ?? row['estimatedDepartureAt'] ?? row['cargoReadyDate'])

const monthOfDate = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, 7) : null

const monthOf = (month: string | null, rows: readonly Row[]): Month => {
  const of = (phase: Phase) =>
    rows.filter(({ status }) => (phaseByStatus[String(status)] ?? 'planned') === phase).length
  return {
    month,
    count: rows.length,
    byPhase: {
      planned: of('planned'),
      'under way': of('under way'),
      arrived: of('arrived'),
      cancelled: of('cancelled'),
    },
    filters: sharedStatus(rows),
  }
}

const sharedStatus = (rows: readonly Row[]): Filters => {
  const statuses = new Set(rows.map(({ status }) => String(status)))
  const [only] = statuses
  return statuses.size === 1 && only !== undefined ? { status: only } : {}
}

const isOverdue = ({ dueDate }: Row, today: string): boolean =>
  typeof dueDate === 'string' && dueDate < today

const months = { least: 12, most: 24 }

/** Every month up to the last, 12 to 24 of them, so that empty months are shown. */
const monthsBetween = (first: string, last: string): readonly string[] => {
  const all: string[] = []
  const at = new Date(`${last}-01T00:00:00Z`)
  while (all.length < months.most) {
    const month = at.toISOString().slice(0, 7)
    if (month < first && all.length >= months.least) break
    all.unshift(month)
    at.setUTCMonth(at.getUTCMonth() - 1)
  }
  return all
}
