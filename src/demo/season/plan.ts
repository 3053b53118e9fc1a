import { worth } from './amounts.ts'
import { dayOf, isPast, today } from './calendar.ts'
import type { SeasonContext } from './context.ts'
import type { Instalment } from './library.ts'
import type { Carrier } from './partners.ts'
import type { Warehouse } from './places.ts'
import { type Offer, tenthsFor } from './quotes.ts'
import { at, type Random } from './random.ts'
import type { Style } from './styles.ts'
import { dollarRates } from './trades.ts'

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

/** One SKU on an order, from what was asked for to what was sent. */
export interface PlannedLine {
  readonly id: string
  readonly skuId: string
  readonly sku: number
  readonly skuCode: string
  readonly colour: string
  readonly size: string
  readonly quantity: number
  readonly made: number
  readonly shipped: number
}

/** The days of a shipment; `received` is the day it is counted at the warehouse. */
export interface PlannedShipment {
  readonly lines: readonly PlannedLine[]
  readonly ready: number
  readonly depart: number
  readonly arrive: number
  readonly clear: number
  readonly deliver: number
  /** The goods are forwarded from a hub by road: the day they leave it and the day they arrive. */
  readonly onward: { readonly depart: number; readonly deliver: number } | null
  readonly receive: number
  /** Null while it is too early to plan it. */
  readonly status: ShipmentStatus | null
  readonly payDay: number
  readonly dueDay: number
}

/** An order with everything that follows from it, decided before a record is written. */
export interface OrderPlan {
  readonly index: number
  readonly id: string
  readonly orderNumber: string
  readonly status: OrderStatus
  readonly style: Style
  readonly offer: Offer
  readonly isReorder: boolean
  readonly warehouse: Warehouse
  readonly warehousePlace: number
  readonly carrier: Carrier
  readonly mode: Mode
  readonly currency: string
  /** Thousandths of a dollar; null until the order is confirmed. */
  readonly rate: number | null
  /** Unit price in tenths of the currency. */
  readonly tenths: number
  readonly tolerancePercent: number
  readonly lines: readonly PlannedLine[]
  /** What the tool costs, in cents, where the order pays for one. */
  readonly toolingCents: number
  readonly totalQuantity: number
  readonly totalCents: number
  readonly orderDay: number
  readonly confirmDay: number
  readonly startDay: number
  readonly cancelDay: number
  readonly closeDay: number
  readonly depositPayDay: number
  readonly deposit: Instalment | null
  readonly balance: Instalment
  readonly shipments: readonly PlannedShipment[]
}

/**
 * The fate of an order follows from its number, so that every status comes up within twenty orders
 * and the rarer things (a hub, a dispute, a reversal) within the first few.
 */
const statuses: readonly OrderStatus[] = [
  ...(['closed', 'received', 'in_production', 'shipped', 'partially_shipped'] as const),
  ...(['cancelled', 'draft', 'sent', 'confirmed', 'closed'] as const),
  ...(['closed', 'received', 'shipped', 'in_production', 'closed'] as const),
  ...(['received', 'confirmed', 'closed', 'closed', 'received'] as const),
]

/** No order is older than the last offer. */
const firstOrderDay = dayOf('2025-06-10')

export const hasOrdered = (status: OrderStatus): boolean => status !== 'draft' && status !== 'sent'

export const planOrder = (context: SeasonContext, index: number): OrderPlan => {
  const { random, offered, places, carriers } = context
  const status = at(statuses, index)
  const goesOn = index % statuses.length === 0
  const { style, offer } = index < offered.length ? at(offered, index) : random.pick(offered)
  const { supplier } = style
  const warehousePlace = goesOn ? 3 : random.below(places.warehouses.length)
  const warehouse = at(places.warehouses, warehousePlace)
  const mode = goesOn ? 'ocean' : modeFor(random, style, warehouse)
  const tolerancePercent = random.oneIn(2) ? 3 : 5
  const lines = planLines(random, style, tolerancePercent)
  const goods = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const tenths = tenthsFor(style, goods)
  const toolingCents = index % statuses.length === 8 ? 45_000 : 0
  const inTwo = status === 'partially_shipped' || (index % 3 === 1 && lines.length >= 4 && !goesOn)

  const confirm = random.between(3, 6)
  const start = confirm + random.between(10, 18)
  const { instalments } = supplier.term
  const balance = instalments[instalments.length - 1] as Instalment
  const deposit = instalments.length > 1 ? (instalments[0] as Instalment) : null
  const routes = planRoutes(random, style, mode, inTwo, goesOn, confirm + supplier.leadTimeDays)
  const payDays = routes.map((route) => payDaysOf(random, route, balance))
  const received = Math.max(...routes.map(({ receive }) => receive))
  const close = Math.max(received, ...payDays.map(({ pay }) => pay)) + random.between(2, 6)
  const cancel = confirm + random.between(2, 8)
  const depositPay = confirm + random.between(2, 7)
  const age = ageFor(random, status, { confirm, start, cancel, close, received, routes })
  const orderDay = today - age

  const half = Math.ceil(lines.length / 2)
  const shipments = routes.map((route, place): PlannedShipment => {
    const days = {
      ready: orderDay + route.ready,
      depart: orderDay + route.depart,
      arrive: orderDay + route.arrive,
      clear: orderDay + route.clear,
      deliver: orderDay + route.deliver,
      receive: orderDay + route.receive,
    }
    const { pay = 0, due = 0 } = payDays[place] ?? {}
    return {
      lines: !inTwo ? lines : place === 0 ? lines.slice(0, half) : lines.slice(half),
      ...days,
      onward: route.onward && {
        depart: orderDay + route.onward.depart,
        deliver: orderDay + route.onward.deliver,
      },
      status: shipmentStatus(status, days, route.onward !== null),
      payDay: orderDay + pay,
      dueDay: orderDay + due,
    }
  })
  const { base = 1000, spread = 0 } = dollarRates[supplier.trade.currency] ?? {}
  return {
    index,
    id: random.id(),
    orderNumber: `PO-${10_000 + index}`,
    status,
    style,
    offer,
    isReorder: index >= offered.length,
    warehouse,
    warehousePlace,
    carrier: at(carriers, warehousePlace),
    mode,
    currency: supplier.trade.currency,
    rate: hasOrdered(status) ? base + random.between(0, spread) : null,
    tenths,
    tolerancePercent,
    lines,
    toolingCents,
    totalQuantity: goods + (toolingCents > 0 ? 1 : 0),
    totalCents: worth(goods, tenths) + toolingCents,
    orderDay,
    confirmDay: orderDay + confirm,
    startDay: orderDay + start,
    cancelDay: orderDay + cancel,
    closeDay: orderDay + close,
    depositPayDay: orderDay + depositPay,
    deposit,
    balance,
    shipments,
  }
}

const modeFor = (random: Random, { supplier }: Style, warehouse: Warehouse): Mode => {
  const { trade } = supplier
  if (trade.byRoad && warehouse.inEurope) return 'road'
  if (trade.countryCode === 'CN' && warehouse.code === 'WH3' && random.oneIn(2)) return 'rail'
  return random.oneIn(5) ? 'air' : 'ocean'
}

/** Colours that an order takes of a style, about ten SKUs in all. */
const coloursFor = (random: Random, style: Style): number => {
  if (style.garment.sizing === 'one') return style.colourways.length
  if (style.garment.sizing === 'waist') return random.oneIn(8) ? 2 : 1
  return at([2, 2, 2, 1, 3], random.below(5))
}

const planLines = (
  random: Random,
  style: Style,
  tolerancePercent: number,
): readonly PlannedLine[] => {
  const count = coloursFor(random, style)
  const first = random.below(style.colourways.length)
  const lines: PlannedLine[] = []
  for (let place = 0; place < count; place += 1) {
    const colourway = at(style.colourways, first + place)
    const times = random.below(10) < 7 ? 1 : 2
    style.range.sizes.forEach((size, index) => {
      const quantity = style.pack.units * size.share * times
      // Some lines lose a piece or two in the last inspection, some come out a little over; what
      // is over the order stays at the factory.
      const fate = random.below(24)
      const made =
        fate < 2
          ? quantity - 1 - random.below(2)
          : fate === 2
            ? quantity + Math.floor((quantity * tolerancePercent) / 100)
            : quantity
      lines.push({
        id: random.id(),
        skuId: colourway.skuIds[index] as string,
        sku: colourway.firstSku + index,
        skuCode: `${style.code}-${colourway.code}-${size.label}`,
        colour: colourway.code,
        size: size.label,
        quantity,
        made,
        shipped: Math.min(made, quantity),
      })
    })
  }
  return lines
}

/** The days of a shipment, counted from the day of the order. */
interface Route {
  readonly ready: number
  readonly depart: number
  readonly arrive: number
  readonly clear: number
  readonly deliver: number
  readonly onward: { readonly depart: number; readonly deliver: number } | null
  readonly receive: number
}

/**
 * The second of two shipments leaves while the first is still under way, so that an order is
 * "shipped" for some days before any of it is received.
 */
const gaps: Record<Mode, number> = { ocean: 12, rail: 10, air: 5, road: 5 }

const planRoutes = (
  random: Random,
  { supplier }: Style,
  mode: Mode,
  inTwo: boolean,
  goesOn: boolean,
  firstReady: number,
): readonly Route[] => {
  const far = !supplier.trade.byRoad
  return Array.from({ length: inTwo ? 2 : 1 }, (_, place): Route => {
    const ready = firstReady + place * gaps[mode]
    if (mode === 'road') {
      const depart = ready + 2
      const deliver = depart + 5
      return {
        ready,
        depart,
        arrive: deliver,
        clear: deliver,
        deliver,
        onward: null,
        receive: deliver + 4,
      }
    }
    const slow = mode === 'ocean' || mode === 'rail'
    const transit =
      mode === 'air'
        ? 2
        : mode === 'rail'
          ? random.between(16, 18)
          : far
            ? random.between(20, 30)
            : random.between(14, 18)
    const depart = ready + (slow ? random.between(2, 4) : 2)
    const arrive = depart + transit
    const clear = arrive + (slow ? random.between(1, 2) : 2)
    const deliver = clear + (slow ? random.between(1, 2) : 2)
    const onward = goesOn ? { depart: deliver + 1, deliver: deliver + 3 } : null
    const receive = (onward?.deliver ?? deliver) + (slow ? random.between(1, 2) : 2)
    return { ready, depart, arrive, clear, deliver, onward, receive }
  })
}

/** When the invoice of a shipment is due by its terms, and when it is paid. */
const payDaysOf = (random: Random, route: Route, { trigger, offsetDays }: Instalment) => {
  const due = (trigger === 'goods_received' ? route.receive : route.depart) + offsetDays
  return { due, pay: Math.max(route.depart + 2, due - random.between(0, 3)) }
}

interface Course {
  readonly confirm: number
  readonly start: number
  readonly cancel: number
  readonly close: number
  readonly received: number
  readonly routes: readonly Route[]
}

/** Days since the order was placed: such that today finds it in its status. */
const ageFor = (random: Random, status: OrderStatus, course: Course): number => {
  const { confirm, start, cancel, close, received, routes } = course
  const [first, second] = routes as readonly [Route, Route?]
  const last = second ?? first
  const eldest = today - firstOrderDay
  switch (status) {
    case 'draft':
      return random.between(1, 8)
    case 'sent':
      return random.between(2, confirm)
    case 'confirmed':
      return random.between(confirm + 1, start)
    case 'in_production':
      return random.between(start + 1, first.depart)
    case 'partially_shipped':
      return random.between(first.depart + 1, Math.min(first.receive, last.ready))
    case 'shipped':
      return random.between(last.depart + 1, first.receive)
    case 'received':
      return random.between(received + 1, received + 30)
    case 'closed':
      return random.between(close + 1, Math.max(close + 1, eldest))
    case 'cancelled':
      return random.between(cancel + 1, eldest)
  }
}

const plannedAheadDays = 35
const bookedAheadDays = 21

const shipmentStatus = (
  order: OrderStatus,
  days: Pick<PlannedShipment, 'ready' | 'depart' | 'arrive' | 'clear' | 'deliver' | 'receive'>,
  goesOn: boolean,
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
  // Forwarded goods are received with the shipment that takes them from the hub.
  if (!isPast(days.receive) || goesOn) return 'delivered'
  return 'received'
}

/** Whether a shipment has left: its cartons are closed and its invoice is written. */
export const hasLeft = (shipment: PlannedShipment): boolean => isPast(shipment.depart)

/** Whether the goods are made and packed; before that, what will be made is a plan. */
export const isPacked = ({ status }: PlannedShipment): boolean =>
  status !== null && status !== 'planned' && status !== 'booked'

/** What a shipment carries of a line: what was ordered until it is packed, then what was made. */
export const carried = (shipment: PlannedShipment, line: PlannedLine): number =>
  isPacked(shipment) ? line.shipped : line.quantity

/** Where the supplier hands the goods over: on board in its port, or at its door. */
export const incotermOf = ({ mode, style }: OrderPlan) =>
  mode === 'ocean'
    ? { incotermCode: 'FOB', incotermPlace: style.supplier.trade.incotermPlace }
    : { incotermCode: 'FCA', incotermPlace: style.supplier.city }
