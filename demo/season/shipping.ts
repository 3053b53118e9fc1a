import { cubicMetres, kilograms, unitPrice } from './amounts.ts'
import { date, moment, momentIfPast } from './calendar.ts'
import { pad } from './codes.ts'
import type { SeasonContext } from './context.ts'
import { putDocument, putNote } from './documents.ts'
import {
  bookedDay,
  type Charge,
  type Leg,
  loadTypeOf,
  plannedDay,
  planWay,
  putBooking,
  putCharge,
  putLegs,
  type Way,
} from './freight.ts'
import { type Load, loadOf, putCartons, putPacking } from './packing.ts'
import {
  carried,
  hasLeft,
  incotermOf,
  isPacked,
  type OrderPlan,
  type PlannedShipment,
} from './plan.ts'
import { people } from './story-records.ts'

/** A written shipment, for receiving and payment. */
export interface Shipped {
  readonly plan: PlannedShipment
  readonly id: string
  readonly number: string
  /** In line order. */
  readonly itemIds: readonly string[]
  /** The shipment that reaches the warehouse: another one if a hub forwards the goods. */
  readonly last: { readonly id: string; readonly itemIds: readonly string[] }
  readonly packingListId: string | null
  readonly cartons: number
  readonly charges: readonly Charge[]
}

export const putShipment = (
  context: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  runItemIds: readonly string[],
): Shipped => {
  const { put, random, serials } = context
  serials.shipment += 1
  const id = random.id()
  const number = `S-${20_000 + serials.shipment}`
  const load = loadOf(plan, shipment)
  const way = planWay(context, plan, shipment)
  const bookingId =
    shipment.status === 'planned'
      ? null
      : putBooking(context, plan, shipment, way, runItemIds, load)
  putHead(context, plan, shipment, way, load, id, number)
  const createdAt = moment(plannedDay(shipment))
  if (bookingId !== null) {
    const bookedAt = moment(bookedDay(shipment))
    put('shipment-bookings', { shipmentId: id, bookingId, createdAt: bookedAt })
  }
  put('order-shipments', { orderId: plan.id, shipmentId: id, createdAt })
  const countedAt = isPacked(shipment) ? moment(shipment.ready) : createdAt
  const itemIds = putItems(context, plan, shipment, id, runItemIds, createdAt, countedAt)
  putLegs(context, plan, shipment, way, id, bookingId, itemIds)
  const packed = isPacked(shipment)
  const { containerNumber } = way
  const packingListId = packed
    ? putPacking(context, plan, shipment, {
        shipmentId: id,
        shipmentNumber: number,
        itemIds,
        containerNumber,
        load,
      })
    : null
  const charges = hasLeft(shipment)
    ? putDeparture(context, plan, shipment, way, load, id, number)
    : []
  const last = shipment.onward
    ? putOnward(context, plan, shipment, { id, number, itemIds, runItemIds, load, charges })
    : { id, itemIds }
  return {
    plan: shipment,
    id,
    number,
    itemIds,
    last,
    packingListId,
    cartons: load.cartons,
    charges,
  }
}

const putHead = (
  { put }: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  way: Way,
  load: Load,
  id: string,
  shipmentNumber: string,
): void => {
  const { supplier } = plan.style
  const main = way.legs[way.main] as Leg
  const packed = isPacked(shipment)
  const left = hasLeft(shipment)
  const road = plan.mode === 'road'
  const createdAt = moment(plannedDay(shipment))
  put('shipments', {
    id,
    shipmentNumber,
    status: shipment.status ?? 'planned',
    mode: plan.mode,
    loadType: loadTypeOf(plan, load),
    supplierId: supplier.id,
    forwarderPartnerId: plan.carrier.partnerId,
    courierId: way.courierId,
    originLocationId: way.originId,
    destinationLocationId: way.destinationId,
    ...incotermOf(plan),
    masterBillNumber: left ? billNumber(plan, shipmentNumber) : null,
    trackingNumber: road && left ? `RD${shipmentNumber.slice(2)}` : null,
    cargoReadyDate: date(shipment.ready),
    estimatedDepartureAt: moment(main.expectedDepartDay, main.departMinute),
    actualDepartureAt: momentIfPast(main.departDay, main.departMinute),
    estimatedArrivalAt: moment(main.expectedArriveDay, main.arriveMinute),
    actualArrivalAt: momentIfPast(main.arriveDay, main.arriveMinute + main.late),
    customsClearedAt: road ? null : momentIfPast(shipment.clear, 16 * 60),
    deliveredAt: momentIfPast(shipment.deliver, 15 * 60),
    // Cartons are counted during packing; before that their number is unknown.
    totalCartons: packed ? load.cartons : null,
    totalQuantity: load.quantity,
    netWeightKg: packed ? kilograms(load.netGrams) : null,
    grossWeightKg: packed ? kilograms(load.grossGrams) : null,
    volumeCbm: packed ? cubicMetres(load.litres) : null,
    customFields: { insured: plan.index % 2 === 0 },
    createdAt,
    updatedAt: moment(lastDay(shipment), 16 * 60),
  })
}

/** The day of the shipment's last event. */
const lastDay = (shipment: PlannedShipment): number => {
  switch (shipment.status) {
    case 'received':
      return shipment.receive
    case 'delivered':
      return shipment.deliver
    case 'arrived':
      return shipment.clear
    case 'customs':
      return shipment.arrive
    case 'in_transit':
      return shipment.depart
    case 'ready':
      return shipment.ready
    case 'booked':
      return bookedDay(shipment)
    default:
      return plannedDay(shipment)
  }
}

const billNumber = ({ mode, carrier }: OrderPlan, shipmentNumber: string): string =>
  mode === 'air'
    ? `952-${pad(Number(shipmentNumber.slice(2)), 8)}`
    : `${carrier.invoicePrefix}${pad(Number(shipmentNumber.slice(2)), 9)}`

const putItems = (
  { put, random }: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  shipmentId: string,
  runItemIds: readonly string[],
  createdAt: string,
  updatedAt: string,
): readonly string[] => {
  const { garment, supplier } = plan.style
  const declared = unitPrice(plan.tenths)
  return shipment.lines.map((line, place) => {
    const id = random.id()
    const quantity = carried(shipment, line)
    put('shipment-items', {
      id,
      shipmentId,
      orderItemId: line.id,
      productionRunItemId: runItemIds[place] ?? null,
      skuId: line.skuId,
      quantity,
      countryOfOriginCode: supplier.trade.countryCode,
      htsCode: garment.htsCode,
      currency: plan.currency,
      declaredUnitValue: declared,
      netWeightKg: kilograms(quantity * garment.grams),
      createdAt,
      updatedAt,
    })
    return id
  })
}

/** The bill and the costs of a departed shipment. */
const putDeparture = (
  context: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  way: Way,
  load: Load,
  shipmentId: string,
  shipmentNumber: string,
): readonly Charge[] => {
  const { random } = context
  if (plan.mode !== 'road') {
    putDocument(context, {
      code: plan.mode === 'air' ? 'air_waybill' : 'bill_of_lading',
      name: `${plan.mode === 'air' ? 'Air waybill' : 'Bill of lading'} ${shipmentNumber}`,
      reference: billNumber(plan, shipmentNumber),
      day: shipment.depart,
      partnerId: plan.carrier.partnerId,
      orderId: plan.id,
      shipmentId,
      userId: people.logistics,
    })
  }
  if (plan.index % 13 === 0) {
    const body = `Forwarder asked for the commodity codes. ${context.wording.sentence('en')}`
    putNote(context, { shipmentId }, body, shipment.depart)
  }
  if (plan.isExpedited) {
    const body = 'Flown instead of shipped by sea: by sea it would have missed the delivery date.'
    putNote(context, { shipmentId }, body, shipment.depart - 1)
  }
  const disputed = plan.dispute === 'freight'
  const perCubicMetre = plan.mode === 'air' ? 60 : 14
  const freight = 20 + Math.ceil((load.litres * perCubicMetre) / 1000) + random.below(12)
  const main = way.legs[way.main] as Leg
  const of = { shipmentId, shipmentNumber, disputed }
  return [
    putCharge(context, plan, shipment, { ...of, legId: main.id, kind: 'freight', tens: freight }),
    putCharge(context, plan, shipment, {
      ...of,
      legId: null,
      kind: disputed ? 'demurrage' : 'destination_handling',
      tens: 8 + random.below(14),
    }),
  ]
}

interface FirstPart {
  readonly id: string
  readonly number: string
  readonly itemIds: readonly string[]
  readonly runItemIds: readonly string[]
  readonly load: Load
  readonly charges: readonly Charge[]
}

/** The onward transport of the goods from the hub by road, on a separate shipment. */
const putOnward = (
  context: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  first: FirstPart,
): Shipped['last'] => {
  const { put, random, places, shared, serials } = context
  const { onward } = shipment
  if (!onward) return first
  serials.shipment += 1
  const id = random.id()
  const { load } = first
  const createdAt = moment(shipment.deliver, 17 * 60)
  const departedAt = moment(onward.depart, 7 * 60)
  const deliveredAt = moment(onward.deliver, 15 * 60)
  put('shipments', {
    id,
    shipmentNumber: `S-${20_000 + serials.shipment}`,
    status: 'received',
    mode: 'road',
    loadType: 'ltl',
    supplierId: plan.style.supplier.id,
    forwarderPartnerId: plan.carrier.partnerId,
    courierId: shared.roadEurope,
    originLocationId: places.hubId,
    destinationLocationId: plan.warehouse.id,
    trackingNumber: `RD${20_000 + serials.shipment}`,
    cargoReadyDate: date(shipment.deliver),
    estimatedDepartureAt: departedAt,
    actualDepartureAt: departedAt,
    estimatedArrivalAt: deliveredAt,
    actualArrivalAt: deliveredAt,
    deliveredAt,
    totalCartons: load.cartons,
    totalQuantity: load.quantity,
    netWeightKg: kilograms(load.netGrams),
    grossWeightKg: kilograms(load.grossGrams),
    volumeCbm: cubicMetres(load.litres),
    createdAt,
    updatedAt: moment(shipment.receive),
  })
  put('order-shipments', { orderId: plan.id, shipmentId: id, createdAt })
  const itemIds = putItems(context, plan, shipment, id, first.runItemIds, createdAt, createdAt)
  const legId = random.id()
  put('legs', {
    id: legId,
    shipmentId: id,
    sequence: 1,
    mode: 'road',
    status: 'completed',
    originLocationId: places.hubId,
    destinationLocationId: plan.warehouse.id,
    courierId: shared.roadEurope,
    trackingNumber: `RD${20_000 + serials.shipment}`,
    estimatedDepartureAt: departedAt,
    actualDepartureAt: departedAt,
    estimatedArrivalAt: deliveredAt,
    actualArrivalAt: deliveredAt,
    createdAt,
    updatedAt: deliveredAt,
  })
  shipment.lines.forEach((line, place) => {
    const quantity = carried(shipment, line)
    const targetShipmentItemId = itemIds[place] as string
    put('leg-items', {
      id: random.id(),
      legId,
      shipmentItemId: targetShipmentItemId,
      quantity,
      createdAt,
    })
    put('shipment-item-lineages', {
      id: random.id(),
      sourceShipmentItemId: first.itemIds[place] as string,
      targetShipmentItemId,
      kind: 'forward',
      quantity,
      reason: 'On from the hub by road',
      createdAt,
    })
  })
  const number = `S-${20_000 + serials.shipment}`
  const packed = { shipmentId: id, shipmentNumber: number, itemIds, containerNumber: null, load }
  putCartons(context, plan, shipment, packed, null, createdAt)
  return { id, itemIds }
}
