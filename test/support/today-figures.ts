/** The figures of a day, worked out from the files of an export. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Find, summaryModel } from './summary-model.ts'
import { localDay, type ViewContext, type ViewRecord, viewModel } from './view-model.ts'

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

interface Figure {
  readonly group: string
  readonly view: string
  readonly sum?: readonly string[]
  readonly days?: number
  /** Receipts of the last seven days only. */
  readonly isRecent?: true
}

const cargo = ['totalQuantity', 'totalCartons', 'volumeCbm']
const order = ['totalQuantity', 'totalAmount']

/** Written from the page about figures. */
const figures: { readonly [name: string]: Figure } = {
  ordersOpen: { group: 'orders', view: 'open', sum: order },
  ordersLate: { group: 'orders', view: 'late', sum: order },
  ordersDueThisWeek: { group: 'orders', view: 'dueThisWeek', sum: order },
  productionBehindPlan: { group: 'production-runs', view: 'behindPlan' },
  shipmentsOnTheWay: { group: 'shipments', view: 'onTheWay', sum: cargo },
  shipmentsArrivingThisWeek: { group: 'shipments', view: 'arrivingThisWeek', sum: cargo },
  shipmentsDelayed: { group: 'shipments', view: 'delayed', sum: cargo },
  receiptsShort: { group: 'goods-receipts', view: 'short', isRecent: true },
  receiptsDamaged: { group: 'goods-receipts', view: 'damaged', isRecent: true },
  invoicesOverdue: { group: 'invoices', view: 'overdue', sum: ['balanceAmount'] },
  invoicesDueThisWeek: { group: 'invoices', view: 'dueThisWeek', sum: ['balanceAmount'] },
  invoicesDueIn30Days: { group: 'invoices', view: 'dueWithin', sum: ['balanceAmount'], days: 30 },
  milestonesReachedUnpaid: {
    group: 'payment-milestones',
    view: 'reachedUnpaid',
    sum: ['amount'],
  },
  stockOut: { group: 'inventory', view: 'out', sum: ['incomingQuantity'] },
  stockBelowReserved: {
    group: 'inventory',
    view: 'belowReserved',
    sum: ['availableQuantity', 'reservedQuantity'],
  },
  stockIncoming: { group: 'inventory', view: 'incoming', sum: ['incomingQuantity'] },
}

const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)

/** The count and the sums of every figure on a day. */
export const figuresOfExport = (brand: ExportedBrand, today: string) => {
  const { timezone, baseCurrency, all, find } = brand
  // A look-up for each receipt would read every line again.
  const linesOf = Map.groupBy(all('goods-receipt-lines'), (line) => line['goodsReceiptId'])
  return Object.fromEntries(
    Object.entries(figures).map(([name, { group, view, sum = [], days = null, isRecent }]) => {
      const matching = all(group).filter((record) => {
        const context: ViewContext = {
          today,
          timezone,
          days,
          find,
          all: (path) =>
            path === 'goods-receipt-lines' ? (linesOf.get(record['id']) ?? []) : all(path),
        }
        const isSince =
          !isRecent ||
          (record['receivedAt'] !== null &&
            localDay(record['receivedAt'], timezone) >= daysBefore(today, 6))
        return isSince && viewModel[group]?.[view]?.(record, context)
      })
      const request = { group, sum, min: [], max: [], by: [], today, timezone, baseCurrency }
      return [name, summaryModel(matching, request, find).total]
    }),
  )
}

/** How many records of each group were changed since the beginning of the day before. */
export const changedOfExport = (brand: ExportedBrand, today: string, groups: readonly string[]) => {
  const yesterday = daysBefore(today, 1)
  const isChanged = (record: ViewRecord) => {
    const at = record['updatedAt'] ?? record['createdAt']
    return at !== undefined && localDay(at, brand.timezone) >= yesterday
  }
  return Object.fromEntries(
    groups
      .map((group) => [group, brand.all(group).filter(isChanged).length] as const)
      .filter(([, items]) => items > 0),
  )
}
