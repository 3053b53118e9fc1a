import { isPast, today } from './calendar.ts'
import type { Instalment } from './library.ts'
import type { Random } from './random.ts'

export type OrderStatus =
  | 'draft'
  | 'sent'
  | 'confirmed'
  | 'in_production'
  | 'partially_shipped'
  | 'shipped'
  | 'received'
  | 'closed'
  | 'cancelled'

export type Mode = 'ocean' | 'air' | 'road' | 'rail'

export type ShipmentStatus =
  | 'planned'
  | 'booked'
  | 'ready'
  | 'in_transit'
  | 'customs'
  | 'arrived'
  | 'delivered'
  | 'received'

export const hasOrdered = (status: OrderStatus): boolean => status !== 'draft' && status !== 'sent'

/** The first orders cover every status; later ones are random, with these weights. */
const firstStatuses: readonly OrderStatus[] = [
  ...(['closed', 'received', 'in_production', 'shipped', 'partially_shipped'] as const),
  ...(['cancelled', 'draft', 'sent', 'confirmed', 'closed'] as const),
  ...(['closed', 'received', 'shipped', 'in_production', 'closed'] as const),
  ...(['received', 'confirmed', 'closed', 'closed', 'received'] as const),
]

const statusWeights: readonly (readonly [OrderStatus, weight: number])[] = [
  ['closed', 39],
  ['received', 15],
  ['shipped', 11],
  ['partially_shipped', 4],
  ['in_production', 14],
  ['confirmed', 7],
  ['sent', 4],
  ['draft', 3],
  ['cancelled', 3],
]

const totalWeight = statusWeights.reduce((sum, [, weight]) => sum + weight, 0)

export const statusFor = (random: Random, index: number): OrderStatus => {
  const first = firstStatuses[index]
  if (first !== undefined) return first
  let left = random.below(totalWeight)
  for (const [status, weight] of statusWeights) {
    if (left < weight) return status
    left -= weight
  }
  return 'closed'
}

/** The deviation of production from its plan. */
export interface Delay {
  /** Days from the agreed day until the goods leave the factory. */
  readonly days: number
  /** The part of the delay that has passed, for goods that have not left; otherwise 0. */
  readonly lateSoFar: number
}

const onTime: Delay = { days: 0, lateSoFar: 0 }

/** An order in production is on time so far or late; a shipped one may have left late. */
export const delayFor = (random: Random, status: OrderStatus): Delay => {
  switch (status) {
    case 'in_production':
    case 'partially_shipped': {
      if (!random.oneIn(5)) return onTime
      const lateSoFar = random.below(10) < 7 ? random.between(1, 8) : random.between(9, 23)
      return { days: lateSoFar + random.between(1, 8), lateSoFar }
    }
    case 'shipped':
    case 'received':
    case 'closed': {
      const fate = random.below(100)
      if (fate < 79) return onTime
      if (fate < 91) return { days: random.between(1, 4), lateSoFar: 0 }
      if (fate < 97) return { days: random.between(5, 12), lateSoFar: 0 }
      return { days: random.between(13, 25), lateSoFar: 0 }
    }
    default:
      return onTime
  }
}

/** The days of a shipment, counted from the order. */
export interface Route {
  readonly ready: number
  readonly depart: number
  readonly arrive: number
  readonly clear: number
  readonly deliver: number
  /** Road transport from a hub: the days of departure and delivery; null if there is none. */
  readonly onward: { readonly depart: number; readonly deliver: number } | null
  readonly receive: number
}

/** An actual route, with its expected days. */
export interface ActualRoute extends Route {
  readonly expectedDepart: number
  readonly expectedArrive: number
}

/**
 * The second of two shipments leaves while the first is still under way, so that an order is
 * "shipped" for some days before any of it is received.
 */
const gaps: Record<Mode, number> = { ocean: 12, rail: 10, air: 5, road: 5 }

/** The planned routes of an order's shipments, the first one ready on a given day. */
export const planRoutes = (
  random: Random,
  mode: Mode,
  isFar: boolean,
  inTwo: boolean,
  isForwarded: boolean,
  firstReady: number,
): readonly Route[] =>
  Array.from({ length: inTwo ? 2 : 1 }, (_, place): Route => {
    const ready = firstReady + place * gaps[mode]
    if (mode === 'road') {
      const depart = ready + 2
      const deliver = depart + 5
      const receive = deliver + 4
      return { ready, depart, arrive: deliver, clear: deliver, deliver, onward: null, receive }
    }
    const slow = mode === 'ocean' || mode === 'rail'
    const transit =
      mode === 'air'
        ? 2
        : mode === 'rail'
          ? random.between(16, 18)
          : isFar
            ? random.between(20, 30)
            : random.between(14, 18)
    const depart = ready + (slow ? random.between(2, 4) : 2)
    const arrive = depart + transit
    const clear = arrive + (slow ? random.between(1, 2) : 2)
    const deliver = clear + (slow ? random.between(1, 2) : 2)
    const onward = isForwarded ? { depart: deliver + 1, deliver: deliver + 3 } : null
    const receive = (onward?.deliver ?? deliver) + (slow ? random.between(1, 2) : 2)
    return { ready, depart, arrive, clear, deliver, onward, receive }
  })

/** Days of delay in transit: few by air and road, some by sea. */
const transitDelay = (random: Random, mode: Mode): number => {
  const fate = random.below(100)
  if (mode === 'air' || mode === 'road') return fate < 86 ? 0 : random.between(1, 2)
  if (fate < 64) return 0
  if (fate < 84) return random.between(1, 4)
  return fate < 96 ? random.between(5, 8) : random.between(9, 13)
}

/** The actual routes: later than planned if the factory or the carrier was late. */
export const followRoutes = (
  random: Random,
  mode: Mode,
  planned: readonly Route[],
  delay: Delay,
): readonly ActualRoute[] =>
  planned.map((route, place): ActualRoute => {
    // In a partially shipped order, the remaining shipment is the late one.
    const waiting = delay.lateSoFar > 0
    const factory = waiting && place < planned.length - 1 ? 0 : delay.days
    const transit = transitDelay(random, mode)
    const port = !waiting && random.oneIn(8) ? random.between(1, 3) : 0
    const depart = route.depart + factory + port
    const later = factory + port + transit
    // Most waiting shipments still have their first estimate.
    const isStale = waiting && factory > 0 && !random.oneIn(3)
    return {
      ready: route.ready + factory,
      depart,
      arrive: route.arrive + later,
      clear: route.clear + later,
      deliver: route.deliver + later,
      onward: route.onward && {
        depart: route.onward.depart + later,
        deliver: route.onward.deliver + later,
      },
      receive: route.receive + later,
      expectedDepart: isStale ? route.depart : depart - port,
      expectedArrive: isStale ? route.arrive : route.arrive + later - transit,
    }
  })

/** The due day of a shipment's invoice by its terms, and the day of payment: mostly in time. */
export const payDaysOf = (random: Random, route: Route, { trigger, offsetDays }: Instalment) => {
  const due = (trigger === 'goods_received' ? route.receive : route.depart) + offsetDays
  const isLate = random.oneIn(9)
  const pay = isLate ? due + random.between(2, 20) : due - random.between(0, 3)
  return { due, pay: Math.max(route.depart + 2, pay) }
}

interface Course {
  readonly confirm: number
  readonly start: number
  readonly cancel: number
  readonly close: number
  readonly delay: Delay
  readonly planned: readonly Route[]
  readonly routes: readonly ActualRoute[]
  /** Maximum age of an order. */
  readonly eldest: number
}

/** Days since the order was placed, such that it has its status today. */
export const ageFor = (random: Random, status: OrderStatus, course: Course): number => {
  const { confirm, start, cancel, close, delay, planned, routes, eldest } = course
  const [first, second] = routes as readonly [ActualRoute, ActualRoute?]
  const last = second ?? first
  const agreed = planned[planned.length - 1]?.depart ?? 0
  switch (status) {
    case 'draft':
      return random.between(1, 8)
    case 'sent':
      return random.between(2, confirm)
    case 'confirmed':
      return random.between(confirm + 1, start)
    case 'in_production':
      if (delay.lateSoFar > 0) return agreed + delay.lateSoFar
      return random.between(start + 1, Math.max(start + 1, planned[0]?.depart ?? 0))
    case 'partially_shipped':
      if (delay.lateSoFar > 0) return agreed + delay.lateSoFar
      return random.between(
        first.depart + 1,
        Math.max(first.depart + 1, Math.min(first.receive, last.ready)),
      )
    case 'shipped':
      return random.between(last.depart + 1, Math.max(last.depart + 1, first.receive))
    case 'received': {
      const received = Math.max(...routes.map(({ receive }) => receive))
      return received + random.between(1, 28)
    }
    case 'closed':
      return random.between(close + 1, Math.max(close + 1, eldest))
    case 'cancelled':
      return random.between(cancel + 1, eldest)
  }
}

const plannedAheadDays = 35
const bookedAheadDays = 21

/** The status of a shipment today; null if it is too early to plan it. */
export const shipmentStatus = (
  order: OrderStatus,
  days: Pick<Route, 'ready' | 'depart' | 'arrive' | 'clear' | 'deliver' | 'receive'>,
  isForwarded: boolean,
): ShipmentStatus | null => {
  if (!hasOrdered(order) || order === 'cancelled' || order === 'confirmed') return null
  if (!isPast(days.ready)) {
    if (days.ready - today > plannedAheadDays) return null
    return days.ready - today > bookedAheadDays ? 'planned' : 'booked'
  }
  if (!isPast(days.depart)) return 'ready'
  if (!isPast(days.arrive)) return 'in_transit'
  if (!isPast(days.clear)) return 'customs'
  if (!isPast(days.deliver)) return 'arrived'
  // Forwarded goods are received with the shipment that leaves the hub.
  if (!isPast(days.receive) || isForwarded) return 'delivered'
  return 'received'
}
