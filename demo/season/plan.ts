import { worth } from './amounts.ts'
import { dayOf, isPast, today } from './calendar.ts'
import type { SeasonContext } from './context.ts'
import type { Instalment } from './library.ts'
import type { Carrier } from './partners.ts'
import type { Warehouse } from './places.ts'
import { type Offer, tenthsFor } from './quotes.ts'
import { at, type Random } from './random.ts'
import {
  type ActualRoute,
  ageFor,
  delayFor,
  followRoutes,
  hasOrdered,
  type Mode,
  type OrderStatus,
  payDaysOf,
  planRoutes,
  type Route,
  type ShipmentStatus,
  shipmentStatus,
  statusFor,
} from './schedule.ts'
import type { Style } from './styles.ts'
import { dollarRates } from './trades.ts'

/** One SKU of an order, from the ordered to the shipped quantity. */
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

/** Pieces of a line that are missing at the warehouse. */
export interface Short {
  /** The index of the line in the shipment. */
  readonly place: number
  readonly pieces: number
}

/** The days of a shipment; `receive` is the day of the count at the warehouse. */
export interface PlannedShipment extends ActualRoute {
  readonly lines: readonly PlannedLine[]
  readonly short: Short | null
  /** Null if it is too early to plan it. */
  readonly status: ShipmentStatus | null
  readonly payDay: number
  readonly dueDay: number
}

/** The subject of a dispute: the supplier's or the forwarder's invoice. */
export type Dispute = 'goods' | 'freight' | null

/** An order and all its consequences, decided before any record is written. */
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
  /** Sent by air instead of sea, because the goods were late. */
  readonly isExpedited: boolean
  /** The current delay in days of goods that have not left. */
  readonly lateSoFar: number
  readonly dispute: Dispute
  /** Whether half of the forwarder's invoice is paid. */
  readonly paysHalf: boolean
  readonly currency: string
  /** Thousandths of a dollar; null until the order is confirmed. */
  readonly rate: number | null
  /** Unit price in tenths of the currency. */
  readonly tenths: number
  readonly tolerancePercent: number
  readonly lines: readonly PlannedLine[]
  /** The price of the tool in cents, if the order pays for one. */
  readonly toolingCents: number
  readonly totalQuantity: number
  readonly totalCents: number
  readonly orderDay: number
  /** The handover day of the last goods: agreed by the supplier, and requested by the brand. */
  readonly agreedDay: number
  readonly wantedDay: number
  readonly deliveryDay: number
  readonly confirmDay: number
  readonly startDay: number
  readonly cancelDay: number
  readonly closeDay: number
  readonly depositPayDay: number
  readonly deposit: Instalment | null
  readonly balance: Instalment
  readonly shipments: readonly PlannedShipment[]
}

/** No order is older than the last offer. */
const firstOrderDay = dayOf('2025-06-10')

/** The first orders include rare cases, so that the smallest season has one of each. */
const firstOrders = 20

export const planOrder = (context: SeasonContext, index: number): OrderPlan => {
  const { random, offered, places, carriers } = context
  const status = statusFor(random, index)
  const isForwarded = index === 0 || (status === 'closed' && random.oneIn(10))
  const { style, offer } = index < offered.length ? at(offered, index) : random.pick(offered)
  const { supplier } = style
  const warehousePlace = isForwarded ? 3 : random.below(places.warehouses.length)
  const warehouse = at(places.warehouses, warehousePlace)
  const plannedMode = isForwarded ? 'ocean' : modeFor(random, style, warehouse)
  const tolerancePercent = random.oneIn(2) ? 3 : 5
  const lines = planLines(random, style, tolerancePercent)
  const goods = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const tenths = tenthsFor(style, goods)
  const toolingCents = hasOrdered(status) && index % firstOrders === 8 ? 45_000 : 0
  const delay = delayFor(random, status)
  const canSplit = lines.length >= 4 && !isForwarded && !(status === 'in_production' && delay.days)
  const inTwo = status === 'partially_shipped' || (index % 3 === 1 && canSplit)

  const confirm = random.between(3, 6)
  const start = confirm + random.between(10, 18)
  const { instalments } = supplier.term
  const balance = instalments[instalments.length - 1] as Instalment
  const deposit = instalments.length > 1 ? (instalments[0] as Instalment) : null
  const routesBy = (mode: Mode): readonly Route[] =>
    planRoutes(
      random,
      mode,
      !supplier.trade.byRoad,
      inTwo,
      isForwarded,
      confirm + supplier.leadTimeDays,
    )
  const planned = routesBy(plannedMode)
  const isExpedited =
    plannedMode === 'ocean' &&
    !isForwarded &&
    delay.days > expeditedAfterDays &&
    delay.lateSoFar === 0
  const mode = isExpedited ? 'air' : plannedMode
  const routes = followRoutes(random, mode, isExpedited ? routesBy(mode) : planned, delay)
  const payDays = routes.map((route) => payDaysOf(random, route, balance))
  const received = Math.max(...routes.map(({ receive }) => receive))
  const close = Math.max(received, ...payDays.map(({ pay }) => pay)) + random.between(2, 6)
  const cancel = confirm + random.between(2, 8)
  const depositPay = confirm + random.between(2, 7)
  const eldest = today - firstOrderDay
  const course = { confirm, start, cancel, close, delay, planned, routes, eldest }
  const orderDay = today - ageFor(random, status, course)
  const last = planned[planned.length - 1] as Route

  const half = Math.ceil(lines.length / 2)
  const shipments = routes.map((route, place): PlannedShipment => {
    const days = fromDay(route, orderDay)
    const own = !inTwo ? lines : place === 0 ? lines.slice(0, half) : lines.slice(half)
    const { pay = 0, due = 0 } = payDays[place] ?? {}
    return {
      lines: own,
      short: isForwarded ? null : shortFor(random, own),
      ...days,
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
    isExpedited,
    lateSoFar: delay.lateSoFar,
    dispute: disputeFor(random, index, status),
    paysHalf: index === 15 || (status === 'received' && random.oneIn(20)),
    currency: supplier.trade.currency,
    rate: hasOrdered(status) ? base + random.between(0, spread) : null,
    tenths,
    tolerancePercent,
    lines,
    toolingCents,
    totalQuantity: goods + (toolingCents > 0 ? 1 : 0),
    totalCents: worth(goods, tenths) + toolingCents,
    orderDay,
    agreedDay: orderDay + last.depart,
    wantedDay: orderDay + last.depart - (random.oneIn(4) ? random.between(2, 9) : 0),
    deliveryDay: orderDay + last.receive + random.between(3, 7),
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

/** Goods with a longer delay are sent by air. */
const expeditedAfterDays = 7

const disputeFor = (random: Random, index: number, status: OrderStatus): Dispute => {
  if (index < firstOrders) return index === 1 ? 'goods' : index === 11 ? 'freight' : null
  if (status !== 'shipped' && status !== 'received' && status !== 'partially_shipped') return null
  return random.oneIn(25) ? 'goods' : random.oneIn(25) ? 'freight' : null
}

/** One shipment in six is short of some pieces, or of a carton. */
const shortFor = (random: Random, lines: readonly PlannedLine[]): Short | null => {
  const place = random.below(lines.length)
  const shipped = lines[place]?.shipped ?? 0
  const pieces = random.oneIn(4) ? random.between(8, 12) : random.between(1, 4)
  return random.oneIn(6) && shipped > pieces ? { place, pieces } : null
}

/** Shifts a route to start on a day. */
const fromDay = (route: ActualRoute, day: number): ActualRoute => ({
  ready: day + route.ready,
  depart: day + route.depart,
  arrive: day + route.arrive,
  clear: day + route.clear,
  deliver: day + route.deliver,
  onward: route.onward && {
    depart: day + route.onward.depart,
    deliver: day + route.onward.deliver,
  },
  receive: day + route.receive,
  expectedDepart: day + route.expectedDepart,
  expectedArrive: day + route.expectedArrive,
})

const modeFor = (random: Random, { supplier }: Style, warehouse: Warehouse): Mode => {
  const { trade } = supplier
  if (trade.byRoad && warehouse.inEurope) return 'road'
  if (trade.countryCode === 'CN' && warehouse.code === 'WH3' && random.oneIn(2)) return 'rail'
  return random.oneIn(5) ? 'air' : 'ocean'
}

/** The number of colours in an order of a style, for about ten SKUs in all. */
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
      // Some lines lose a piece or two in the last inspection, and some are overproduced; the
      // surplus stays at the factory.
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

/** Whether a shipment has left: its cartons are closed and its invoice is written. */
export const hasLeft = (shipment: PlannedShipment): boolean => isPast(shipment.depart)

/** Whether the goods are made and packed. Before that, quantities are plans. */
export const isPacked = ({ status }: PlannedShipment): boolean =>
  status !== null && status !== 'planned' && status !== 'booked'

/** The quantity of a line on a shipment: the ordered one until it is packed, then the made one. */
export const carried = (shipment: PlannedShipment, line: PlannedLine): number =>
  isPacked(shipment) ? line.shipped : line.quantity

/** The handover of the goods: on board in the supplier's port, or at the factory. */
export const incotermOf = ({ mode, style }: OrderPlan) =>
  mode === 'ocean'
    ? { incotermCode: 'FOB', incotermPlace: style.supplier.trade.incotermPlace }
    : { incotermCode: 'FCA', incotermPlace: style.supplier.city }

/** The warehouse's count of a shipment line. */
export const counted = (shipment: PlannedShipment, line: PlannedLine): number => {
  const { short } = shipment
  const missing = short && shipment.lines[short.place] === line ? short.pieces : 0
  return carried(shipment, line) - missing
}

/** The price of a shipment's missing pieces, in cents. */
export const shortCents = ({ short }: PlannedShipment, { tenths }: OrderPlan): number =>
  short === null ? 0 : worth(short.pieces, tenths)
