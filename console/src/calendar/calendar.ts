import type {
  Calendar,
  CalendarCollection,
  CalendarOrder,
  CalendarShipment,
  CalendarWindow,
} from '../../../client/src/index.ts'
import { type Weeks, weekAt, weeksAround } from './weeks.ts'

export const groupings = ['supplier', 'collection'] as const
export type CalendarGrouping = (typeof groupings)[number]

/** What is shown of a calendar. */
export interface CalendarChoice {
  readonly by: CalendarGrouping
  readonly supplier: string | null
  readonly collection: string | null
  readonly isLate: boolean
}

/** An order with the records that belong to it. */
export interface ShownOrder {
  readonly order: CalendarOrder
  /** The day on which it leaves the factory, as far as it is known. */
  readonly exFactory: string | null
  readonly shipments: readonly CalendarShipment[]
  readonly windows: readonly CalendarWindow[]
  /** Whether the order is late or one of its shipments is delayed. */
  readonly isLate: boolean
}

export interface OrderGroup {
  /** The id of the supplier or collection; empty for none. */
  readonly id: string
  /** Null if it has no name that can be read. */
  readonly name: string | null
  readonly orders: readonly ShownOrder[]
  readonly late: number
  readonly pieces: number
}

/** The orders of a calendar with their records. */
export const ordersOf = ({ orders, shipments, launchWindows }: Calendar): readonly ShownOrder[] => {
  const shipmentAt = new Map(shipments.map((each) => [each.id, each]))
  const windowAt = new Map(launchWindows.map((each) => [each.id, each]))
  return orders.map((order) => {
    const own = order.shipmentIds.flatMap((id) => shipmentAt.get(id) ?? [])
    const { actual, confirmed, requested } = order.exFactory
    return {
      order,
      exFactory: actual ?? confirmed ?? requested,
      shipments: own,
      windows: order.launchWindowIds.flatMap((id) => windowAt.get(id) ?? []),
      isLate: order.daysLate > 0 || own.some(({ isDelayed }) => isDelayed),
    }
  })
}

export const chosenOf = (
  orders: readonly ShownOrder[],
  { supplier, collection, isLate }: CalendarChoice,
): readonly ShownOrder[] =>
  orders.filter(
    ({ order, isLate: own }) =>
      (supplier === null || order.supplierId === supplier) &&
      (collection === null || order.collectionIds.includes(collection)) &&
      (!isLate || own),
  )

/**
 * Orders by supplier or collection, by name; those without one come last. An order of several
 * collections is in the group of each.
 */
export const groupsOf = (
  orders: readonly ShownOrder[],
  { suppliers, collections }: Pick<Calendar, 'suppliers' | 'collections'>,
  { by, collection }: CalendarChoice,
): readonly OrderGroup[] => {
  const names = new Map<string, string | null>(
    by === 'supplier'
      ? suppliers.map(({ id, name }) => [id, name])
      : collections.map((each) => [each.id, collectionName(each)]),
  )
  const members = new Map<string, ShownOrder[]>()
  for (const shown of orders) {
    const { supplierId, collectionIds } = shown.order
    const all = by === 'supplier' ? [supplierId ?? ''] : collectionIds
    const own = by === 'collection' && collection !== null ? [collection] : all
    for (const id of own.length === 0 ? [''] : own) {
      const group = members.get(id)
      if (group) group.push(shown)
      else members.set(id, [shown])
    }
  }
  return [...members]
    .map(
      ([id, own]): OrderGroup => ({
        id,
        name: names.get(id) ?? null,
        orders: own,
        late: own.filter(({ isLate }) => isLate).length,
        pieces: own.reduce((sum, { order }) => sum + order.pieces, 0),
      }),
    )
    .sort(
      (one, other) =>
        Number(one.name === null) - Number(other.name === null) ||
        (one.name ?? '').localeCompare(other.name ?? ''),
    )
}

export const collectionName = ({ name, season }: CalendarCollection): string =>
  season === null || name.includes(season) ? name : `${name} ${season}`

/** The weeks that the dates of orders need. */
export const weeksOfOrders = (orders: readonly ShownOrder[], today: string): Weeks =>
  weeksAround(
    today,
    orders.flatMap(({ exFactory, shipments, windows }) => [
      ...(exFactory ? [exFactory] : []),
      // Past launches of goods that are ordered again are of no interest.
      ...windows.filter(({ to }) => to >= today).flatMap(({ from, to }) => [from, to]),
      ...shipments.flatMap((each) => [dayOf(each.departure), dayOf(each.arrival)]).filter(isDay),
    ]),
  )

const isDay = (day: string | null): day is string => day !== null

/** When it happened, or when it is to happen. */
export const dayOf = ({
  planned,
  actual,
}: {
  readonly planned: string | null
  readonly actual: string | null
}): string | null => actual ?? planned

/** How many orders of a group leave in each week, and how many of them are late. */
export const leavingByWeek = (
  { orders }: Pick<OrderGroup, 'orders'>,
  weeks: Weeks,
): ReadonlyMap<number, { readonly items: number; readonly late: number }> => {
  const counts = new Map<number, { items: number; late: number }>()
  for (const { exFactory, order } of orders) {
    const week = exFactory === null ? null : weekAt(weeks, exFactory)
    if (week === null) continue
    const count = counts.get(week) ?? { items: 0, late: 0 }
    count.items += 1
    if (order.daysLate > 0) count.late += 1
    counts.set(week, count)
  }
  return counts
}

/** A line of the calendar. */
export type Line =
  | { readonly kind: 'group'; readonly group: OrderGroup }
  | { readonly kind: 'order'; readonly group: OrderGroup; readonly shown: ShownOrder }

/** The lines of groups, with the orders of the open ones. */
export const linesOf = (
  groups: readonly OrderGroup[],
  isOpen: (group: OrderGroup) => boolean,
): readonly Line[] =>
  groups.flatMap((group): Line[] => [
    { kind: 'group', group },
    ...(isOpen(group) ? group.orders : []).map((shown): Line => ({ kind: 'order', group, shown })),
  ])
