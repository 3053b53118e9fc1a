import { date, moment } from './calendar.ts'
import type { SeasonContext } from './context.ts'
import { putNote } from './documents.ts'
import { hasLeft, isPacked, type OrderPlan, type PlannedShipment } from './plan.ts'
import { hasOrdered } from './schedule.ts'
import { people } from './story-records.ts'

/** The run items of a shipment's goods, in line order. */
export type RunItems = ReadonlyMap<PlannedShipment, readonly string[]>

/** A run for each shipment; none before production starts. */
export const putProduction = (context: SeasonContext, plan: OrderPlan): RunItems => {
  const { status } = plan
  const items = new Map<PlannedShipment, readonly string[]>()
  if (!hasOrdered(status) || status === 'confirmed' || status === 'cancelled') return items
  plan.shipments.forEach((shipment, place) => {
    items.set(shipment, putRun(context, plan, shipment, place + 1))
  })
  // In every tenth order, from the third, the first run was entered twice.
  const [first] = plan.shipments
  if (plan.index % 10 === 2 && first) {
    putRetracted(context, plan, first, plan.shipments.length + 1)
  }
  return items
}

const putRun = (
  context: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  runNumber: number,
): readonly string[] => {
  const { put, random } = context
  const id = random.id()
  const left = hasLeft(shipment)
  const createdAt = moment(plan.startDay)
  const updatedAt = left ? moment(shipment.depart, 7 * 60) : createdAt
  const countedAt = moment(Math.max(plan.startDay, shipment.ready - 1), 16 * 60)
  put('production-runs', {
    id,
    orderId: plan.id,
    originId: plan.style.supplier.locationId,
    runNumber,
    actualExFactoryDate: left ? date(shipment.depart) : null,
    createdAt,
    updatedAt,
  })
  if (plan.index % 9 === 0) {
    const { languageCode } = plan.style.supplier.trade
    const body = `Cutting began a day late. ${context.wording.letter(languageCode)}`
    putNote(context, { productionRunId: id }, body, plan.startDay)
  }
  const counted = isPacked(shipment)
  return shipment.lines.map((line) => {
    const itemId = random.id()
    const revised = counted && line.made !== line.quantity
    put('production-run-items', {
      id: itemId,
      productionRunId: id,
      orderItemId: line.id,
      quantity: revised ? line.made : line.quantity,
      source: revised ? 'inspection' : counted ? 'supplier_report' : 'plan',
      createdAt,
      updatedAt: counted ? countedAt : createdAt,
    })
    put('production-run-item-revisions', {
      id: random.id(),
      productionRunItemId: itemId,
      revisionNumber: 1,
      quantity: line.quantity,
      source: 'plan',
      revisedByUserId: people.buyer,
      createdAt,
    })
    if (revised) {
      put('production-run-item-revisions', {
        id: random.id(),
        productionRunItemId: itemId,
        revisionNumber: 2,
        previousQuantity: line.quantity,
        quantity: line.made,
        source: 'inspection',
        reason:
          line.made < line.quantity ? 'Rejected in final inspection' : 'Cloth for more pieces',
        createdAt: countedAt,
      })
    }
    return itemId
  })
}

const putRetracted = (
  { put, random }: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  runNumber: number,
): void => {
  const id = random.id()
  const createdAt = moment(plan.startDay, 10 * 60)
  const retractedAt = moment(plan.startDay, 15 * 60)
  put('production-runs', {
    id,
    orderId: plan.id,
    originId: plan.style.supplier.locationId,
    runNumber,
    retractedAt,
    retractedByUserId: people.buyer,
    retractionReason: 'Entered twice',
    createdAt,
    updatedAt: retractedAt,
  })
  for (const line of shipment.lines) {
    const itemId = random.id()
    put('production-run-items', {
      id: itemId,
      productionRunId: id,
      orderItemId: line.id,
      quantity: line.quantity,
      source: 'manual',
      createdAt,
    })
    put('production-run-item-revisions', {
      id: random.id(),
      productionRunItemId: itemId,
      revisionNumber: 1,
      quantity: line.quantity,
      source: 'manual',
      revisedByUserId: people.buyer,
      createdAt,
    })
  }
}
