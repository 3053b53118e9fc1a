import { activeInvoice, parseDecimal, signOf, sumAmounts } from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import type { DocumentRow, PageDocument } from '../document/document.ts'
import { fulfils } from '../explorer/row-condition.ts'

/** The stages of a document that count pieces, in order. */
export const stations = ['ordered', 'made', 'shipped', 'received'] as const

export type Station = (typeof stations)[number]

/** Pieces at each station; null if no piece has reached it. */
export type Counts = { [station in Station]: number | null }

export type Line = {
  /** The order line, or the SKU's order line. */
  orderItemId: string
  title: string
  counts: Counts
  /** Damaged pieces among the received ones. */
  damaged: number
  /** The reasons for a difference, from the receipts. */
  reasons: readonly string[]
}

export type Money = {
  currency: string
  ordered: string
  invoiced: string
  paid: string
  /** The unpaid amount, and its earliest due date. */
  open: string
  dueDate: string | null
}

export type Quantities = {
  /** The first lines. */
  lines: readonly Line[]
  /** The number of further lines. */
  otherLines: number
  totals: Counts
  /** Null if there are further lines, whose damaged pieces are unknown. */
  damaged: number | null
  /** True if nothing more is expected, so that a difference is a shortfall. */
  settled: boolean
  money: Money | null
}

export type Gap = { from: Station; to: Station; pieces: number }

/** The differences between consecutive stations with counts. */
export const gapsOf = (counts: Counts): readonly Gap[] => {
  const counted = stations.filter((station) => counts[station] !== null)
  return counted.slice(1).flatMap((to, place) => {
    const from = counted[place] as Station
    const pieces = (counts[to] ?? 0) - (counts[from] ?? 0)
    return pieces === 0 ? [] : [{ from, to, pieces }]
  })
}

/** Whether pieces of a line were lost, added or damaged on the way. */
export const differs = ({ counts, damaged }: Line): boolean =>
  gapsOf(counts).length > 0 || damaged > 0

/** The counts of an order or a SKU, from its document. */
export const quantitiesIn = (document: PageDocument): Quantities => {
  const isOrder = document.group === 'orders'
  const stages = new Map(document.progress.map((stage) => [stage.name, stage]))
  const totals = countsOf((station) => stages.get(station)?.pieces || null)
  const sections = (isOrder ? ['lines'] : ['openOrders', 'pastOrders']).flatMap(
    (name) => document.sections[name] ?? [],
  )
  const reasons = reasonsIn(document.sections['discrepancies']?.items ?? [])
  const lines = sections.flatMap(({ items }) =>
    items.map((row) => lineOf(row, totals, reasons, isOrder)),
  )
  const otherLines = sections.reduce((sum, { totalItems }) => sum + totalItems, 0) - lines.length
  return {
    lines,
    otherLines,
    totals,
    damaged: otherLines > 0 ? null : lines.reduce((sum, { damaged }) => sum + damaged, 0),
    settled: isOrder
      ? stages.get('received')?.state === 'done'
      : document.sections['openOrders']?.totalItems === 0,
    money: isOrder ? moneyOf(document) : null,
  }
}

const countsOf = (count: (station: Station) => number | null): Counts => ({
  ordered: count('ordered'),
  made: count('made'),
  shipped: count('shipped'),
  received: count('received'),
})

const reasonsIn = (rows: readonly DocumentRow[]): ReadonlyMap<unknown, readonly string[]> => {
  const byItem = Map.groupBy(rows, ({ record }) => record['orderItemId'])
  return new Map(
    [...byItem].map(([item, own]) => [
      item,
      [...new Set(own.map(({ record }) => String(record['discrepancyReason'])))],
    ]),
  )
}

const lineOf = (
  { record, figures }: DocumentRow,
  totals: Counts,
  reasons: ReadonlyMap<unknown, readonly string[]>,
  isOrder: boolean,
): Line => {
  const order = record['order'] as Row | null | undefined
  const name = isOrder ? (record['itemDescription'] ?? record['itemType']) : order?.['orderNumber']
  return {
    orderItemId: String(record['id']),
    title: String(name ?? record['id']),
    // Once some line has pieces at a station, the lines without any count as 0.
    counts: countsOf((station) => (totals[station] === null ? null : (figures?.[station] ?? 0))),
    damaged: figures?.['damaged'] ?? 0,
    reasons: reasons.get(record['id']) ?? [],
  }
}

/** The amounts of an order in its currency. Null if it has no invoice, or more than are shown. */
const moneyOf = ({ record, progress, sections }: PageDocument): Money | null => {
  const currency = String(record['currency'])
  const { items, totalItems } = sections['invoices'] ?? { items: [], totalItems: 0 }
  if (items.length < totalItems) return null
  const invoices = items
    .map((item) => item.record)
    .filter((invoice) => fulfils(invoice, activeInvoice, () => 'text'))
    .filter((invoice) => invoice['currency'] === currency)
  if (invoices.length === 0) return null
  const amountAt = (name: string) =>
    progress
      .find((stage) => stage.name === name)
      ?.amounts.find((amount) => amount.currency === currency)?.amount ?? '0'
  const due = invoices
    .filter(({ balanceAmount }) => signOf(parseDecimal(String(balanceAmount))) > 0)
    .flatMap(({ dueDate }) => (typeof dueDate === 'string' ? [dueDate] : []))
  return {
    currency,
    ordered: amountAt('ordered'),
    invoiced: amountAt('invoiced'),
    paid: amountAt('paid'),
    open: sumAmounts(invoices.map(({ balanceAmount }) => String(balanceAmount))),
    dueDate: due.toSorted()[0] ?? null,
  }
}
