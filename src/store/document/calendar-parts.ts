import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Catalog,
  type Condition,
  calendarLaunches,
  calendarLines,
  calendarShipments,
  dayIn,
  resourceAt,
  type Today,
} from '#contract'
import { type PlainOrder, startsOf } from './calendar-orders.ts'
import { follow } from './follow.ts'
import { type DocumentWalk, walk } from './walk.ts'

interface PlannedDay {
  readonly planned: string | null
  readonly actual: string | null
}

/** A shipment of open orders; its times are days in the brand's time zone. */
export interface CalendarShipment {
  readonly id: string
  readonly shipmentNumber: string
  readonly status: string
  readonly departure: PlannedDay
  readonly arrival: PlannedDay
  readonly isDelayed: boolean
}

export interface CalendarCollection {
  readonly id: string
  readonly name: string
  readonly season: string | null
}

export interface CalendarWindow {
  readonly id: string
  readonly name: string
  readonly channel: string | null
  readonly from: string
  readonly to: string
}

const shipmentFields = [
  ...['shipmentNumber', 'status', 'estimatedDepartureAt', 'actualDepartureAt'],
  ...['estimatedArrivalAt', 'actualArrivalAt'],
]

/** Shipments whose days are worked out in one turn of the event loop: a few milliseconds. */
const shipmentsPerTurn = 200

/** Reads the shipments of orders. */
export const readShipments = async (
  read: DocumentWalk,
  orders: readonly PlainOrder[],
  { timezone }: Today,
  isDelayed: Condition,
) => {
  const dayOf = (time: string | null | undefined): string | null =>
    time ? dayIn(timezone, Date.parse(time)) : null
  const all = new Map<string, CalendarShipment>()
  const byOrder = new Map<string, string[]>()
  for await (const batch of walk(read, startsOf(orders), calendarShipments, shipmentFields)) {
    for (const { origin, key, values } of batch) {
      const [id = ''] = key
      const ids = byOrder.get(origin) ?? []
      if (!ids.includes(id)) byOrder.set(origin, [...ids, id])
      if (all.has(id)) continue
      if (all.size % shipmentsPerTurn === 0) await nextTurn()
      all.set(id, {
        id,
        shipmentNumber: values['shipmentNumber'] ?? '',
        status: values['status'] ?? '',
        departure: {
          planned: dayOf(values['estimatedDepartureAt']),
          actual: dayOf(values['actualDepartureAt']),
        },
        arrival: {
          planned: dayOf(values['estimatedArrivalAt']),
          actual: dayOf(values['actualArrivalAt']),
        },
        isDelayed: false,
      })
    }
  }
  const delayed = { group: 'shipments', column: 'id', values: [...all.keys()], fields: [] }
  for await (const batch of follow(read, { ...delayed, where: isDelayed })) {
    for (const { from } of batch) {
      const shipment = all.get(from)
      if (shipment) all.set(from, { ...shipment, isDelayed: true })
    }
  }
  return { all: [...all.values()], byOrder }
}

/** The SKUs of orders, read so far. */
export interface CalendarGoods {
  /** How many orders have been followed. */
  done: number
  readonly skus: Map<string, Set<string>>
}

export const newGoods = (): CalendarGoods => ({ done: 0, skus: new Map() })

/** Orders whose lines are followed before progress is noted: mostly in one statement. */
const ordersAtOnce = 50

/**
 * Follows the lines of the orders that have not been followed yet. Two reads may add to the same
 * progress: all orders before `done` have their goods, whichever of them read these.
 */
export const readGoods = async (
  read: DocumentWalk,
  orders: readonly PlainOrder[],
  progress: CalendarGoods,
): Promise<void> => {
  while (progress.done < orders.length) {
    const { done } = progress
    const next = orders.slice(done, done + ordersAtOnce)
    for await (const batch of walk(read, startsOf(next), calendarLines, ['skuId'])) {
      for (const { origin, values } of batch) add(progress.skus, origin, values['skuId'])
    }
    progress.done = done + next.length
  }
}

const add = (sets: Map<string, Set<string>>, name: string, value: string | null | undefined) => {
  if (!value) return
  const set = sets.get(name) ?? new Set()
  sets.set(name, set.add(value))
}

/** Entries of sets that are followed in one turn of the event loop: a few milliseconds. */
const entriesPerTurn = 5_000

/** The entries of sets, with pauses: the sets of thousands of orders have hundreds of thousands. */
async function* entriesOf(
  sets: ReadonlyMap<string, ReadonlySet<string>>,
): AsyncGenerator<readonly (readonly [order: string, entry: string])[]> {
  let entries: (readonly [string, string])[] = []
  for (const [order, own] of sets) {
    for (const entry of own) {
      entries.push([order, entry])
      if (entries.length < entriesPerTurn) continue
      yield entries
      await nextTurn()
      entries = []
    }
  }
  yield entries
}

const distinct = async (
  sets: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<readonly string[]> => {
  const values = new Set<string>()
  for await (const entries of entriesOf(sets)) for (const [, entry] of entries) values.add(entry)
  return [...values]
}

/** Reads the styles and options of goods, by order. */
const readStyles = async (read: DocumentWalk, { skus }: CalendarGoods) => {
  const values = await distinct(skus)
  const fields = ['productId', 'productOptionId']
  const records = new Map<string, { readonly [field: string]: string | null }>()
  const request = { group: 'skus', column: 'id', values, fields, where: null }
  for await (const batch of follow(read, request)) {
    for (const { from, values: row } of batch) records.set(from, row)
  }
  const products = new Map<string, Set<string>>()
  const options = new Map<string, Set<string>>()
  for await (const entries of entriesOf(skus)) {
    for (const [order, sku] of entries) {
      add(products, order, records.get(sku)?.['productId'])
      add(options, order, records.get(sku)?.['productOptionId'])
    }
  }
  return { products, options }
}

/** Reads the collections and launch windows of goods. */
export const readLaunches = async (read: DocumentWalk, goods: CalendarGoods) => {
  const { products, options } = await readStyles(read, goods)
  const linked = async (
    group: string,
    column: string,
    made: ReadonlyMap<string, ReadonlySet<string>>,
    field: string,
  ): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
    const values = await distinct(made)
    const links = new Map<string, Set<string>>()
    const request = { group, column, values, fields: [field], where: null }
    for await (const batch of follow(read, request)) {
      for (const { from, values: link } of batch) add(links, from, link[field])
    }
    const byOrder = new Map<string, Set<string>>()
    for await (const entries of entriesOf(made)) {
      for (const [order, each] of entries) {
        for (const link of links.get(each) ?? []) add(byOrder, order, link)
      }
    }
    return byOrder
  }
  const ofOptions = await linked(
    'product-option-collections',
    'productOptionId',
    options,
    'collectionId',
  )
  const ofProducts = await linked('product-collections', 'productId', products, 'collectionId')
  const ofWindows = await linked('product-launch-windows', 'productId', products, 'launchWindowId')
  const named = async (
    group: string,
    ids: Iterable<ReadonlySet<string>>,
    fields: readonly string[],
  ) => {
    const values = [...new Set([...ids].flatMap((each) => [...each]))]
    const records = new Map<string, { readonly [field: string]: string | null }>()
    const request = {
      group,
      column: 'id',
      values,
      fields,
      where: read.resolve(calendarLaunches, group),
    }
    for await (const batch of follow(read, request)) {
      for (const { from, values: row } of batch) records.set(from, row)
    }
    return records
  }
  const collections = await named(
    'collections',
    [...ofOptions.values(), ...ofProducts.values()],
    ['name', 'season'],
  )
  const windows = await named('launch-windows', ofWindows.values(), [
    ...['name', 'channel', 'startDate', 'endDate'],
  ])
  const shown = (ids: Iterable<string>, records: { has(id: string): boolean }) =>
    [...new Set(ids)].filter((id) => records.has(id)).sort()
  return {
    collections: [...collections].map(
      ([id, { name, season }]): CalendarCollection => ({
        id,
        name: name ?? '',
        season: season ?? null,
      }),
    ),
    windows: [...windows].map(
      ([id, { name, channel, startDate, endDate }]): CalendarWindow => ({
        id,
        name: name ?? '',
        channel: channel ?? null,
        from: startDate ?? '',
        to: endDate ?? '',
      }),
    ),
    of: (order: string) => ({
      collectionIds: shown(
        [...(ofOptions.get(order) ?? []), ...(ofProducts.get(order) ?? [])],
        collections,
      ),
      launchWindowIds: shown(ofWindows.get(order) ?? [], windows),
    }),
  }
}

/** Reads the names of the orders' suppliers. */
export const readSuppliers = async (
  read: DocumentWalk,
  catalog: Catalog,
  orders: readonly PlainOrder[],
): Promise<ReadonlyMap<string, string | null>> => {
  const { title = 'name' } = resourceAt(catalog, 'suppliers')
  const values = orders.flatMap(({ supplierId }) => supplierId ?? [])
  const names = new Map<string, string | null>()
  const request = { group: 'suppliers', column: 'id', values, fields: [title], where: null }
  for await (const batch of follow(read, request)) {
    for (const { from, values: row } of batch) names.set(from, row[title] ?? null)
  }
  return names
}
