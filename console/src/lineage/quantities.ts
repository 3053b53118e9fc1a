import { sumAmounts } from '../../../src/contract/index.ts'
import type { Api, Filters, Row } from '../api.ts'
import { readRows, type TooLong } from './rows.ts'

/** The stations of a piece, in order. Each is counted from the records of one collection. */
export const stations = ['ordered', 'made', 'shipped', 'received'] as const

export type Station = (typeof stations)[number]

/** Pieces at each station; null if there are no records of it yet. */
export type Counts = { [station in Station]: number | null }

export type Line = {
  /** The order line, or the SKU's order line. */
  orderItemId: string
  title: string
  counts: Counts
  /** Of the received pieces. */
  damaged: number
  /** The reasons for a difference, from the receipts. */
  reasons: readonly string[]
}

export type Money = { currency: string; ordered: string; invoiced: string; paid: string }

export type Quantities = {
  lines: readonly Line[]
  totals: Counts
  damaged: number
  /** True once nothing more is expected: a difference is then a shortfall. */
  settled: boolean
  money: Money | null
  /** Lists that are too long to be counted. If there is one, there are no figures. */
  tooLong: readonly TooLong[]
}

export type Gap = { from: Station; to: Station; pieces: number }

/** The longest list that is counted, and the most headers whose lines are read. */
export const quantityBounds = { rows: 500, headers: 25 }

/** Where pieces were lost or gained between the stations with counts. */
export const gapsOf = (counts: Counts): readonly Gap[] => {
  const counted = stations.filter((station) => counts[station] !== null)
  return counted.slice(1).flatMap((to, place) => {
    const from = counted[place] as Station
    const pieces = (counts[to] ?? 0) - (counts[from] ?? 0)
    return pieces === 0 ? [] : [{ from, to, pieces }]
  })
}

export const quantitiesOf = (
  api: Api,
  kind: string,
  id: string,
  signal?: AbortSignal,
): Promise<Quantities> =>
  kind === 'skus' ? quantitiesOfSku(api, id, signal) : quantitiesOfOrder(api, id, signal)

/** What was ordered, made, shipped and received of each line of an order. */
export const quantitiesOfOrder = async (
  api: Api,
  orderId: string,
  signal?: AbortSignal,
): Promise<Quantities> => {
  const reader = openReader(api, signal)
  const [order, items, runs, shipments, invoices] = await Promise.all([
    api.get('orders', orderId, signal && { signal }),
    reader.rows('order-items', { orderId }),
    reader.headers('production-runs', { orderId }),
    reader.headers('shipments', { orderId }),
    reader.rows('invoices', { orderId }),
  ])
  const receipts = (await reader.below('goods-receipts', 'shipmentId', shipments)).filter(isActive)
  const [made, shipped, received] = await Promise.all([
    reader.below('production-run-items', 'productionRunId', runs.filter(isActive)),
    reader.below('shipment-items', 'shipmentId', shipments.filter(isActive)),
    reader.below('goods-receipt-lines', 'goodsReceiptId', receipts),
  ])
  const mine = new Set(items.map(({ id }) => id))
  const ofOrder = (row: Row) => mine.has(row['orderItemId'] as string)
  const counted = await countLines(reader, items, {
    made: made.filter(ofOrder),
    shipped: shipped.filter(ofOrder).filter(isActive),
    received: received.filter(ofOrder),
  })
  return whole(reader, {
    ...counted,
    settled: isSettled(order),
    money: moneyOf(order, invoices.filter(isActive)),
  })
}

/** The figures, or none where a list was too long to be read: a part of a sum is not a sum. */
const whole = ({ tooLong }: Reader, counted: Omit<Quantities, 'tooLong'>): Quantities =>
  tooLong.length === 0
    ? { ...counted, tooLong }
    : { lines: [], totals: uncounted, damaged: 0, settled: false, money: null, tooLong }

const uncounted: Counts = { ordered: null, made: null, shipped: null, received: null }

/** The same for one SKU, over all the orders it is on. */
export const quantitiesOfSku = async (
  api: Api,
  skuId: string,
  signal?: AbortSignal,
): Promise<Quantities> => {
  const reader = openReader(api, signal)
  const [items, shipped, received] = await Promise.all([
    reader.rows('order-items', { skuId }, ['order']),
    reader.rows('shipment-items', { skuId }, ['shipment']),
    reader.rows('goods-receipt-lines', { skuId }, ['goodsReceipt']),
  ])
  // An order that is referred to and does not exist is null.
  const orders = items.map(({ order }) => (order ?? {}) as Row)
  const going = items.filter((_, place) => orders[place]?.['status'] !== 'cancelled')
  const made = await reader.below('production-run-items', 'orderItemId', going, ['productionRun'])
  const areActive = (name: string) => (row: Row) =>
    isActive(row) && isActive((row[name] ?? {}) as Row)
  const titled = going.map((item) => ({
    ...item,
    itemDescription: (item['order'] as Row | null | undefined)?.['orderNumber'] ?? item['id'],
  }))
  const counted = await countLines(reader, titled, {
    made: made.filter(areActive('productionRun')),
    shipped: shipped.filter(areActive('shipment')),
    received: received.filter(areActive('goodsReceipt')),
  })
  return whole(reader, { ...counted, settled: orders.every(isSettled), money: null })
}

type Moves = { [station in Exclude<Station, 'ordered'>]: readonly Row[] }

const countLines = async (
  reader: Reader,
  items: readonly Row[],
  moves: Moves,
): Promise<Pick<Quantities, 'lines' | 'totals' | 'damaged'>> => {
  const forwarded = await forwardedOnto(reader, moves.shipped)
  const sum = (rows: readonly Row[], field: string) =>
    rows.reduce((total, row) => total + Number(row[field] ?? 0), 0)
  const lines = items.map((item): Line => {
    const own = (rows: readonly Row[]) => rows.filter((row) => row['orderItemId'] === item['id'])
    const received = own(moves.received)
    const again = own(moves.shipped).reduce(
      (total, { id }) => total + (forwarded.get(id as string) ?? 0),
      0,
    )
    // A line that nothing was made or shipped of has none of it, once other lines have some.
    const counted = (rows: readonly Row[], field: string) =>
      rows.length === 0 ? null : sum(own(rows), field)
    const shipped = counted(moves.shipped, 'quantity')
    return {
      orderItemId: item['id'] as string,
      title: String(item['itemDescription'] ?? item['itemType'] ?? item['id']),
      counts: {
        ordered: Number(item['qty']),
        made: counted(moves.made, 'quantity'),
        shipped: shipped === null ? null : shipped - again,
        received: counted(moves.received, 'receivedQuantity'),
      },
      damaged: sum(received, 'damagedQuantity'),
      reasons: [
        ...new Set(
          received
            .map((row) => row['discrepancyReason'])
            .filter((each) => typeof each === 'string'),
        ),
      ],
    }
  })
  const total = (station: Station): number | null =>
    lines.every(({ counts }) => counts[station] === null)
      ? null
      : lines.reduce((all, { counts }) => all + (counts[station] ?? 0), 0)
  return {
    lines,
    totals: {
      ordered: total('ordered'),
      made: total('made'),
      shipped: total('shipped'),
      received: total('received'),
    },
    damaged: lines.reduce((all, { damaged }) => all + damaged, 0),
  }
}

/**
 * Goods forwarded from a hub are on two shipments and count once. Only a line that is on more
 * than one shipment can be such a one.
 */
const forwardedOnto = async (
  reader: Reader,
  shipped: readonly Row[],
): Promise<ReadonlyMap<string, number>> => {
  const byItem = Map.groupBy(shipped, (row) => row['orderItemId'])
  const candidates = [...byItem.values()].filter((rows) => rows.length > 1).flat()
  const lineages = await reader.below('shipment-item-lineages', 'targetShipmentItemId', candidates)
  const onto = new Map<string, number>()
  for (const { kind, targetShipmentItemId, quantity } of lineages) {
    if (kind !== 'forward') continue
    const target = targetShipmentItemId as string
    onto.set(target, (onto.get(target) ?? 0) + Number(quantity))
  }
  return onto
}

/** Retracted, removed, void and cancelled records count for nothing. */
const isActive = (row: Row): boolean =>
  !row['retractedAt'] &&
  !row['deletedAt'] &&
  row['status'] !== 'cancelled' &&
  row['status'] !== 'void'

const isSettled = (order: Row): boolean =>
  order['status'] === 'received' || order['status'] === 'closed'

const moneyOf = (order: Row, invoices: readonly Row[]): Money | null => {
  const currency = order['currency'] as string
  const goods = invoices.filter((invoice) => invoice['currency'] === currency)
  if (goods.length === 0) return null
  return {
    currency,
    ordered: String(order['totalAmount']),
    invoiced: sumAmounts(goods.map((invoice) => String(invoice['totalAmount']))),
    paid: sumAmounts(goods.map((invoice) => String(invoice['paidAmount']))),
  }
}

type Reader = {
  tooLong: TooLong[]
  rows(collection: string, filters: Filters, include?: string[]): Promise<readonly Row[]>
  headers(collection: string, filters: Filters): Promise<readonly Row[]>
  /** The records of a collection that name one of these. */
  below(
    collection: string,
    filter: string,
    of: readonly Row[],
    include?: string[],
  ): Promise<readonly Row[]>
}

const openReader = (api: Api, signal?: AbortSignal): Reader => {
  const tooLong: TooLong[] = []
  const rows = async (collection: string, filters: Filters, max: number, include?: string[]) => {
    const page = await readRows(api, collection, filters, {
      max,
      ...(include && { include }),
      ...(signal && { signal }),
    })
    if (page.rows === null) tooLong.push({ collection, filters, max })
    return page.rows ?? []
  }
  return {
    tooLong,
    rows: (collection, filters, include) => rows(collection, filters, quantityBounds.rows, include),
    headers: (collection, filters) => rows(collection, filters, quantityBounds.headers),
    below: async (collection, filter, of, include) => {
      if (of.length > quantityBounds.headers) {
        tooLong.push({ collection, filters: {}, max: quantityBounds.headers, isLookup: true })
        return []
      }
      const all = await Promise.all(
        of.map(({ id }) =>
          rows(collection, { [filter]: id as string }, quantityBounds.rows, include),
        ),
      )
      return all.flat()
    },
  }
}
