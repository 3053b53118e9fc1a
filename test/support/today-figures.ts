/** The figures of a day, worked out from the files of an export. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Find, moneyOf, summaryModel } from './summary-model.ts'
import {
  hasDeparted,
  localDay,
  type ViewContext,
  type ViewRecord,
  viewModel,
} from './view-model.ts'

export interface ExportedBrand {
  readonly timezone: string
  readonly baseCurrency: string
  all(path: string): readonly ViewRecord[]
  find: Find
}

/** Reads the NDJSON files of an export. */
export const readExport = (folder: string): ExportedBrand => {
  const read = new Map<string, readonly ViewRecord[]>()
  const indexes = new Map<string, ReadonlyMap<string, ViewRecord>>()
  const all = (path: string): readonly ViewRecord[] => {
    const cached = read.get(path)
    if (cached) return cached
    const records = readFileSync(join(folder, `${path}.ndjson`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ViewRecord)
    read.set(path, records)
    return records
  }
  const [own] = all('brand')
  return {
    timezone: own?.['timezone'],
    baseCurrency: own?.['baseCurrencyCode'],
    all,
    find: (path, id) => {
      const index = indexes.get(path) ?? new Map(all(path).map((each) => [each['id'], each]))
      indexes.set(path, index)
      return index.get(id)
    },
  }
}

/**
 * A figure of a response without the paths of its lists and records, and without what only a
 * snapshot knows of the week before.
 */
export const comparable = (name: string, { url, first, weekAgo, ...figure }: ViewRecord) => ({
  ...figure,
  ...(isOfPeriod(name) && { weekAgo }),
  ...(first && { first: first.map(({ url: path, ...record }: ViewRecord) => record) }),
})

/** Whether a figure counts receipts of some days: their dates decide, so it is known of any day. */
export const isOfPeriod = (name: string): boolean => Boolean(figures[name]?.isRecent)

/** The count and the sums of a part of a series. */
export const partFigures = ({ url, name, from, to, ...part }: ViewRecord) => part

interface Figure {
  readonly group: string
  readonly view: string
  readonly sum?: readonly string[]
  readonly days?: number
  /** Receipts of the last seven days only. */
  readonly isRecent?: true
  /** The date that decides which records come first. */
  readonly date?: (record: ViewRecord, on: Day) => string | null
  readonly amount?: string
  readonly quantity?: string
  readonly hasDays?: true
}

interface Day {
  readonly today: string
  readonly timezone: string
}

const cargo = ['totalQuantity', 'totalCartons', 'volumeCbm']
const order = ['totalQuantity', 'totalAmount']

const exFactory = (record: ViewRecord) =>
  record['confirmedExFactoryDate'] ?? record['requestedExFactoryDate']
const arrival = (record: ViewRecord) => record['estimatedArrivalAt']
const dueDate = (record: ViewRecord) => record['dueDate']

/** What a delayed shipment is late with: its departure, or else its arrival. */
const delay = (record: ViewRecord, { today, timezone }: Day) => {
  const departure = record['estimatedDepartureAt']
  const isLate = departure !== null && localDay(departure, timezone) < today
  return !hasDeparted(record) && isLate ? departure : record['estimatedArrivalAt']
}

const ofOrder = { amount: 'totalAmount', quantity: 'totalQuantity', date: exFactory }
const ofShipment = { quantity: 'totalQuantity', date: arrival }
const ofInvoice = { amount: 'balanceAmount', date: dueDate }

/** Written from the page about figures. */
const figures: { readonly [name: string]: Figure } = {
  ordersOpen: { group: 'orders', view: 'open', sum: order },
  ordersLate: { group: 'orders', view: 'late', sum: order, ...ofOrder, hasDays: true },
  ordersDueThisWeek: { group: 'orders', view: 'dueThisWeek', sum: order, ...ofOrder },
  productionBehindPlan: { group: 'production-runs', view: 'behindPlan' },
  shipmentsOnTheWay: { group: 'shipments', view: 'onTheWay', sum: cargo, ...ofShipment },
  shipmentsArrivingThisWeek: {
    group: 'shipments',
    view: 'arrivingThisWeek',
    sum: cargo,
    ...ofShipment,
  },
  shipmentsDelayed: { group: 'shipments', view: 'delayed', sum: cargo, ...ofShipment, date: delay },
  receiptsShort: { group: 'goods-receipts', view: 'short', isRecent: true },
  receiptsDamaged: { group: 'goods-receipts', view: 'damaged', isRecent: true },
  invoicesOverdue: {
    group: 'invoices',
    view: 'overdue',
    sum: ['balanceAmount'],
    ...ofInvoice,
    hasDays: true,
  },
  invoicesDueThisWeek: {
    group: 'invoices',
    view: 'dueThisWeek',
    sum: ['balanceAmount'],
    ...ofInvoice,
  },
  invoicesDueIn30Days: {
    group: 'invoices',
    view: 'dueWithin',
    sum: ['balanceAmount'],
    days: 30,
    ...ofInvoice,
  },
  milestonesReachedUnpaid: {
    group: 'payment-milestones',
    view: 'reachedUnpaid',
    sum: ['amount'],
    amount: 'amount',
    date: (record) => record['dueDate'] ?? record['reachedAt'],
  },
  stockOut: { group: 'inventory', view: 'out', sum: ['incomingQuantity'] },
  stockOutNothingIncoming: { group: 'inventory', view: 'outNothingIncoming' },
  skusOutEverywhere: { group: 'skus', view: 'outEverywhere' },
  stockBelowReserved: {
    group: 'inventory',
    view: 'belowReserved',
    sum: ['availableQuantity', 'reservedQuantity'],
  },
  stockIncoming: { group: 'inventory', view: 'incoming', sum: ['incomingQuantity'] },
}

const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)

const daysFrom = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / 86_400_000

const firstAmount = ({ group, amount = '' }: Figure, record: ViewRecord, find: Find) => ({
  currency: moneyOf(group, amount, find)?.currency(record) ?? null,
  amount: record[amount],
})

const titles: { readonly [group: string]: string } = {
  orders: 'orderNumber',
  shipments: 'shipmentNumber',
  invoices: 'invoiceNumber',
  'payment-milestones': 'name',
}

/** Figures that were worked out already, by brand and day: several tests compare with the same. */
const workedOut = new WeakMap<ExportedBrand, Map<string, ReturnType<typeof workOut>>>()

/** The count, the sums, the days and the first records of every figure, with the records as they are. */
export const figuresOfExport = (brand: ExportedBrand, today: string) => {
  const ofBrand = workedOut.get(brand) ?? new Map<string, ReturnType<typeof workOut>>()
  workedOut.set(brand, ofBrand)
  const ofDay = ofBrand.get(today) ?? workOut(brand, today)
  ofBrand.set(today, ofDay)
  return ofDay
}

const workOut = (brand: ExportedBrand, today: string) => {
  const { timezone, baseCurrency, find } = brand
  const on = { today, timezone }
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => {
      const { group, view, sum = [], days = null, isRecent, date, hasDays } = figure
      /** Receipts of the seven days that end with one. */
      const isUntil = (record: ViewRecord, last: string) => {
        if (!isRecent) return true
        if (record['receivedAt'] === null) return false
        const day = localDay(record['receivedAt'], timezone)
        return day >= daysBefore(last, 6) && day <= last
      }
      const inView = inViewOf(brand, group, view, today, days)
      const matching = inView.filter((record) => isUntil(record, today))
      const total = (records: readonly ViewRecord[]) => {
        const request = { group, sum, min: [], max: [], by: [], today, timezone, baseCurrency }
        return summaryModel(records, request, find).total
      }
      const dated = date
        ? matching
            .flatMap((record) => {
              const at = date(record, on)
              if (at === null) return []
              const day = at.includes('T') ? localDay(at, timezone) : at
              return [{ record, at, day, days: daysFrom(day, today) }]
            })
            .sort((one, other) =>
              one.at === other.at
                ? one.record['id'] < other.record['id']
                  ? -1
                  : 1
                : one.at < other.at
                  ? -1
                  : 1,
            )
        : []
      const late = dated.map((each) => each.days).sort((one, other) => one - other)
      return [
        name,
        {
          ...total(matching),
          ...(isRecent && {
            weekAgo: total(inView.filter((record) => isUntil(record, daysBefore(today, 7)))),
          }),
          ...(hasDays && {
            days:
              late.length === 0
                ? null
                : { max: late.at(-1), median: late[Math.ceil(late.length / 2) - 1] },
          }),
          ...(date && {
            first: dated.slice(0, 3).map(({ record, day, days: ago }) => ({
              id: record['id'],
              title: record[titles[group] ?? ''],
              date: day,
              days: ago,
              amount: figure.amount ? firstAmount(figure, record, find) : null,
              quantity: figure.quantity ? record[figure.quantity] : null,
            })),
          }),
        },
      ]
    }),
  )
}

/** The records of a view. */
const inViewOf = (
  { all, find, timezone }: ExportedBrand,
  group: string,
  view: string,
  today: string,
  days: number | null = null,
): readonly ViewRecord[] => {
  // A look-up for each receipt would read every line again.
  const linesOf = Map.groupBy(all('goods-receipt-lines'), (line) => line['goodsReceiptId'])
  return all(group).filter((record) => {
    const context: ViewContext = {
      today,
      timezone,
      days,
      find,
      all: (path) =>
        path === 'goods-receipt-lines' ? (linesOf.get(record['id']) ?? []) : all(path),
    }
    return viewModel[group]?.[view]?.(record, context)
  })
}

const stages = ['sent', 'confirmed', 'in_production', 'partially_shipped', 'shipped']
const ages: readonly (readonly [name: string, from: number, to: number])[] = [
  ['notDue', Number.NEGATIVE_INFINITY, 0],
  ['1-30', 1, 30],
  ['31-60', 31, 60],
  ['61-90', 61, 90],
  ['over90', 91, Number.POSITIVE_INFINITY],
]

/** The parts of every series: their names, counts and sums. */
export const seriesOfExport = (brand: ExportedBrand, today: string) => {
  const { timezone, baseCurrency, find } = brand
  const total = (group: string, sum: readonly string[], records: readonly ViewRecord[]) => {
    const request = { group, sum, min: [], max: [], by: [], today, timezone, baseCurrency }
    return summaryModel(records, request, find).total
  }
  const monday = daysBefore(today, (new Date(today).getUTCDay() + 6) % 7)
  const mondays = Array.from({ length: 12 }, (_, at) => daysBefore(monday, 28 - 7 * at))
  const weeks = (view: string, field: string) => {
    const records = inViewOf(brand, 'shipments', view, today)
    const at = (isIn: (day: string) => boolean) =>
      total(
        'shipments',
        ['totalQuantity'],
        records.filter((each) => each[field] !== null && isIn(localDay(each[field], timezone))),
      )
    const [first = '', last = ''] = [mondays[0], mondays.at(-1)]
    return [
      at((day) => day < first),
      ...mondays.map((from) => at((day) => day >= from && day < daysBefore(from, -7))),
      at((day) => day >= daysBefore(last, -7)),
      total(
        'shipments',
        ['totalQuantity'],
        records.filter((each) => each[field] === null),
      ),
    ]
  }
  const open = inViewOf(brand, 'orders', 'open', today)
  const unpaid = inViewOf(brand, 'invoices', 'unpaid', today)
  return {
    ordersByStage: stages.map((status) =>
      total(
        'orders',
        order,
        open.filter((each) => each['status'] === status),
      ),
    ),
    shipmentsArrived: weeks('hasArrived', 'actualArrivalAt'),
    shipmentsExpected: weeks('toArrive', 'estimatedArrivalAt'),
    invoicesByAge: [
      ...ages.map(([, from, to]) =>
        total(
          'invoices',
          ['balanceAmount'],
          unpaid.filter(({ dueDate: due }) => {
            const days = due === null ? Number.NaN : daysFrom(due, today)
            return days >= from && days <= to
          }),
        ),
      ),
      total(
        'invoices',
        ['balanceAmount'],
        unpaid.filter(({ dueDate: due }) => due === null),
      ),
    ],
  }
}

/** How many records of each group were created or changed on a day or the day before. */
export const changedOfExport = (brand: ExportedBrand, today: string, groups: readonly string[]) => {
  const yesterday = daysBefore(today, 1)
  const isChanged = (record: ViewRecord) => {
    const days = [record['createdAt'], record['updatedAt']].map(
      (at) => at && localDay(at, brand.timezone),
    )
    return days.some((day) => day >= yesterday && day <= today)
  }
  return Object.fromEntries(
    groups
      .map((group) => [group, brand.all(group).filter(isChanged).length] as const)
      .filter(([, items]) => items > 0),
  )
}
