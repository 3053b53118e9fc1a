import { cubicMetres, kilograms, money, rate } from './amounts.ts'
import { date, isPast, moment, momentIfPast } from './calendar.ts'
import { container, imo, pad } from './codes.ts'
import type { SeasonContext } from './context.ts'
import type { Load } from './packing.ts'
import { carried, hasLeft, isPacked, type OrderPlan, type PlannedShipment } from './plan.ts'
import { at } from './random.ts'
import { dollarRates, vessels } from './trades.ts'

/** The route of a shipment: the start and end of each leg, with times. */
export interface Way {
  readonly originId: string
  readonly destinationId: string
  readonly courierId: string
  readonly containerNumber: string | null
  readonly legs: readonly Leg[]
  /** The index of the main leg, which crosses the sea, the border or the land. */
  readonly main: number
}

export interface Leg {
  readonly id: string
  readonly mode: string
  readonly fromId: string
  readonly toId: string
  readonly courierId: string | null
  readonly expectedDepartDay: number
  readonly departDay: number
  readonly departMinute: number
  readonly expectedArriveDay: number
  readonly arriveDay: number
  readonly arriveMinute: number
  /** Minutes of delay. */
  readonly late: number
}

const hour = 60
const containerOwners = ['SVDU', 'ORSU', 'ATLU'] as const

export const planWay = (
  context: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
): Way => {
  const { random, shared, places, serials } = context
  const { supplier } = plan.style
  const { warehouse, mode } = plan
  const originId = supplier.locationId
  const destinationId = shipment.onward ? places.hubId : warehouse.id
  const { depart, arrive, deliver, expectedDepart, expectedArrive } = shipment
  const expectedDeliver = deliver - arrive + expectedArrive
  const inland = warehouse.inEurope || shipment.onward ? shared.roadEurope : shared.roadAmerica
  if (mode === 'road') {
    const leg: Leg = {
      id: random.id(),
      mode,
      fromId: originId,
      toId: destinationId,
      courierId: shared.roadEurope,
      expectedDepartDay: expectedDepart,
      departDay: depart,
      departMinute: 7 * hour,
      expectedArriveDay: expectedDeliver,
      arriveDay: deliver,
      arriveMinute: 15 * hour,
      late: 0,
    }
    const courierId = shared.roadEurope
    return { originId, destinationId, courierId, containerNumber: null, legs: [leg], main: 0 }
  }
  const [fromId, toId, courierId] =
    mode === 'air'
      ? [supplier.airportId, warehouse.airportId, at(shared.air, plan.index)]
      : mode === 'rail'
        ? [places.railFromId, places.railToId, shared.rail]
        : [
            supplier.portId,
            shipment.onward ? places.idOf('NLRTM') : warehouse.portId,
            at(shared.ocean, plan.index),
          ]
  const boxed = mode !== 'air'
  return {
    originId,
    destinationId,
    courierId,
    containerNumber: boxed
      ? container(at(containerOwners, plan.index), 100_000 + serials.shipment)
      : null,
    legs: [
      {
        id: random.id(),
        mode: 'road',
        fromId: originId,
        toId: fromId,
        courierId: null,
        expectedDepartDay: expectedDepart,
        departDay: depart,
        departMinute: 5 * hour,
        expectedArriveDay: expectedDepart,
        arriveDay: depart,
        arriveMinute: 12 * hour,
        late: 0,
      },
      {
        id: random.id(),
        mode,
        fromId,
        toId,
        courierId,
        expectedDepartDay: expectedDepart,
        departDay: depart,
        departMinute: 18 * hour,
        expectedArriveDay: expectedArrive,
        arriveDay: arrive,
        arriveMinute: 6 * hour,
        late: random.below(5 * hour),
      },
      {
        id: random.id(),
        mode: 'road',
        fromId: toId,
        toId: destinationId,
        courierId: inland,
        expectedDepartDay: expectedDeliver,
        departDay: deliver,
        departMinute: 7 * hour,
        expectedArriveDay: expectedDeliver,
        arriveDay: deliver,
        arriveMinute: 15 * hour,
        late: 0,
      },
    ],
    main: 1,
  }
}

/** The day on which a shipment is first planned: before any that is planned today. */
export const plannedDay = ({ ready }: PlannedShipment): number => ready - 36

/** The day on which space is requested. */
export const bookedDay = ({ ready }: PlannedShipment): number => ready - 24

/** The requested space, with its intended goods. */
export const putBooking = (
  { put, random, serials }: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  way: Way,
  runItemIds: readonly string[],
  load: Load,
): string => {
  const { mode, carrier } = plan
  const main = way.legs[way.main] as Leg
  const id = random.id()
  serials.booking += 1
  const bookingNumber = `B-${10_000 + serials.booking}`
  const askedDay = bookedDay(shipment)
  const sure = isPacked(shipment) || isPast(askedDay + 3)
  const createdAt = moment(askedDay)
  const ocean = mode === 'ocean'
  put('bookings', {
    id,
    bookingNumber,
    carrierBookingReference: sure ? `${carrier.invoicePrefix}-${bookingNumber}` : null,
    status: hasLeft(shipment) ? 'completed' : sure ? 'confirmed' : 'requested',
    mode,
    loadType: loadTypeOf(plan, load),
    forwarderPartnerId: carrier.partnerId,
    courierId: way.courierId,
    originLocationId: main.fromId,
    destinationLocationId: main.toId,
    equipmentType: way.containerNumber === null ? null : '45G1',
    equipmentCount: way.containerNumber === null ? null : 1,
    vesselName: ocean ? at(vessels, plan.index) : null,
    voyageNumber: ocean ? voyageOf(plan) : null,
    flightNumber: mode === 'air' ? flightOf(plan) : null,
    cargoReadyDate: date(shipment.ready),
    cargoCutoffAt: ocean ? moment(shipment.depart - 1, 12 * hour) : null,
    documentCutoffAt: ocean ? moment(shipment.depart - 1, 10 * hour) : null,
    estimatedDepartureAt: moment(main.expectedDepartDay, main.departMinute),
    estimatedArrivalAt: moment(main.expectedArriveDay, main.arriveMinute),
    totalCartons: load.cartons,
    grossWeightKg: kilograms(load.grossGrams),
    volumeCbm: cubicMetres(load.litres),
    requestedAt: createdAt,
    confirmedAt: sure ? moment(askedDay + 2) : null,
    createdAt,
    updatedAt: sure ? moment(askedDay + 2) : createdAt,
  })
  shipment.lines.forEach((line, place) => {
    const quantity = carried(shipment, line)
    put('booking-items', {
      id: random.id(),
      bookingId: id,
      orderItemId: line.id,
      productionRunItemId: runItemIds[place] ?? null,
      skuId: line.skuId,
      quantity,
      cartonCount: Math.ceil(quantity / plan.style.pack.units),
      createdAt,
    })
  })
  return id
}

export const loadTypeOf = ({ mode }: OrderPlan, { litres }: Load): string => {
  if (mode === 'air') return 'air_freight'
  if (mode === 'road') return litres > 2000 ? 'ftl' : 'ltl'
  return litres > 2000 ? 'fcl' : 'lcl'
}

const voyageOf = ({ index }: OrderPlan): string => `${100 + (index % 80)}W`
const flightOf = ({ index }: OrderPlan): string => `SV${pad(100 + (index % 800), 4)}`

/** The legs of a shipment, with their goods once it is packed. */
export const putLegs = (
  { put, random }: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  way: Way,
  shipmentId: string,
  bookingId: string | null,
  itemIds: readonly string[],
): void => {
  const createdAt = moment(plannedDay(shipment))
  const packed = isPacked(shipment)
  way.legs.forEach((leg, place) => {
    const isMain = place === way.main
    const ocean = leg.mode === 'ocean'
    const departed = isPast(leg.departDay)
    const arrived = isPast(leg.arriveDay)
    const waiting = arrived && place === way.main && !isPast(shipment.deliver)
    put('legs', {
      id: leg.id,
      shipmentId,
      bookingId: isMain ? bookingId : null,
      sequence: place + 1,
      mode: leg.mode,
      status: waiting
        ? 'arrived'
        : arrived
          ? 'completed'
          : departed
            ? 'departed'
            : bookingId === null
              ? 'planned'
              : 'booked',
      originLocationId: leg.fromId,
      destinationLocationId: leg.toId,
      courierId: leg.courierId,
      vesselName: ocean ? at(vessels, plan.index) : null,
      vesselImo: ocean ? imo(930_100 + 7 * (plan.index % vessels.length)) : null,
      voyageNumber: ocean ? voyageOf(plan) : null,
      flightNumber: leg.mode === 'air' ? flightOf(plan) : null,
      containerNumber: isMain && packed ? way.containerNumber : null,
      containerType: isMain && packed && way.containerNumber !== null ? '45G1' : null,
      sealNumber:
        isMain && departed && way.containerNumber !== null ? `SL${pad(plan.index, 7)}` : null,
      estimatedDepartureAt: moment(leg.expectedDepartDay, leg.departMinute),
      actualDepartureAt: momentIfPast(leg.departDay, leg.departMinute),
      estimatedArrivalAt: moment(leg.expectedArriveDay, leg.arriveMinute),
      actualArrivalAt: momentIfPast(leg.arriveDay, leg.arriveMinute + leg.late),
      createdAt,
      updatedAt: arrived
        ? moment(leg.arriveDay, 16 * hour)
        : departed
          ? moment(leg.departDay, 19 * hour)
          : createdAt,
    })
    if (!packed) return
    const loadedAt = moment(shipment.ready)
    shipment.lines.forEach((line, index) => {
      put('leg-items', {
        id: random.id(),
        legId: leg.id,
        shipmentItemId: itemIds[index] as string,
        quantity: carried(shipment, line),
        createdAt: loadedAt,
      })
    })
  })
}

/** A cost of a shipment, in cents of the forwarder's currency. */
export interface Charge {
  readonly id: string
  readonly kind: string
  readonly cents: number
  readonly shipmentNumber: string
}

/** The day of the forwarder's invoice; its charges are estimates until then. */
export const freightInvoiceDay = (shipment: PlannedShipment): number =>
  (shipment.onward?.deliver ?? shipment.deliver) + 2

/** The exchange rate of the forwarder's currency, in thousandths of a dollar. */
export const carrierRate = ({ carrier, index }: OrderPlan): number => {
  const { base, spread } = dollarRates[carrier.currency] ?? { base: 1000, spread: 0 }
  return base + (index % (spread + 1))
}

/** Amounts are whole tens, so that they have no fraction of a cent in dollars. */
const ten = 1000

export const putCharge = (
  { put, random }: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  of: {
    readonly shipmentId: string
    readonly shipmentNumber: string
    readonly legId: string | null
    readonly kind: string
    readonly tens: number
    readonly disputed: boolean
  },
): Charge => {
  const id = random.id()
  const cents = of.tens * ten
  const invoiced = isPast(freightInvoiceDay(shipment))
  const dollars = carrierRate(plan)
  const day = invoiced ? freightInvoiceDay(shipment) : shipment.depart
  const createdAt = moment(shipment.depart)
  put('shipment-charges', {
    id,
    shipmentId: of.shipmentId,
    legId: of.legId,
    partnerId: plan.carrier.partnerId,
    kind: of.kind,
    stage: !invoiced ? 'estimated' : of.disputed ? 'disputed' : 'invoiced',
    currency: plan.carrier.currency,
    amount: money(cents),
    exchangeRate: rate(dollars),
    baseAmount: money((cents * dollars) / 1000),
    allocationMethod: of.kind === 'freight' ? 'by_volume' : 'by_quantity',
    chargeDate: date(day),
    createdAt,
    updatedAt: moment(day),
  })
  return { id, kind: of.kind, cents, shipmentNumber: of.shipmentNumber }
}
