import { money, percent, price, rate, unitPrice } from './amounts.ts'
import { date, isPast, moment, today } from './calendar.ts'
import type { SeasonContext } from './context.ts'
import { putDocument, putNote } from './documents.ts'
import { incotermOf, type OrderPlan } from './plan.ts'
import { at } from './random.ts'
import { putOrderSample } from './samples.ts'
import { hasOrdered } from './schedule.ts'
import { people } from './story-records.ts'

const channels = ['online', 'retail', 'wholesale'] as const

/** A change after the order was placed. Only an applied change counts as a revision. */
type Amended = 'applied' | 'rejected' | 'withdrawn' | 'proposed' | null

const amendedFor = ({ index, status }: OrderPlan): Amended => {
  if (!hasOrdered(status) || status === 'cancelled') return null
  if (index % 6 === 0) return 'applied'
  if (index % 7 === 1) return 'rejected'
  if (index % 7 === 3) return 'withdrawn'
  return status === 'confirmed' || status === 'in_production' ? 'proposed' : null
}

/** The day of the order's last event. */
const lastDay = (plan: OrderPlan): number => {
  switch (plan.status) {
    case 'draft':
    case 'sent':
      return plan.orderDay
    case 'confirmed':
      return plan.confirmDay
    case 'in_production':
      return plan.startDay
    case 'closed':
      return plan.closeDay
    case 'cancelled':
      return plan.cancelDay
    case 'received':
      return Math.max(...plan.shipments.map(({ receive }) => receive))
    default:
      return Math.max(...plan.shipments.map(({ depart }) => depart).filter(isPast))
  }
}

/** The order, its lines, its changes, its file and the sample made for it. */
export const putOrder = (context: SeasonContext, plan: OrderPlan): void => {
  const { put, random, wording } = context
  const { index, id, status, style, currency, orderDay, confirmDay } = plan
  const { supplier } = style
  const { languageCode } = supplier.trade
  const createdAt = moment(orderDay, 8 * 60 + (index % 540))
  const confirmedAt = hasOrdered(status) ? moment(confirmDay) : null
  const amended = amendedFor(plan)
  const removed = status === 'draft' && index % 40 === 6
  const removedAt = moment(today - 1, 17 * 60)
  put('orders', {
    id,
    orderNumber: plan.orderNumber,
    supplierId: supplier.id,
    quoteRevisionId: plan.offer.revisionId,
    kind: plan.isReorder ? 'reorder' : 'bulk',
    status,
    revisionNumber: amended === 'applied' ? 1 : 0,
    currency,
    exchangeRate: plan.rate === null ? null : rate(plan.rate),
    ...incotermOf(plan),
    paymentTermId: supplier.term.id,
    destinationLocationId: plan.warehouse.id,
    shipMode: plan.shipments[0]?.onward ? 'multimodal' : plan.isExpedited ? 'ocean' : plan.mode,
    orderDate: date(orderDay),
    requestedExFactoryDate: date(plan.wantedDay),
    confirmedExFactoryDate: confirmedAt === null ? null : date(plan.agreedDay),
    requestedDeliveryDate: date(plan.deliveryDay),
    overTolerancePercent: percent(plan.tolerancePercent),
    underTolerancePercent: percent(plan.tolerancePercent),
    totalQuantity: plan.totalQuantity,
    totalAmount: money(plan.totalCents),
    buyerUserId: people.buyer,
    memo:
      status === 'cancelled'
        ? 'Cancelled: the cloth could not be had in time.'
        : wording.remark(languageCode),
    supplierConfirmedAt: confirmedAt,
    closedAt: status === 'closed' ? moment(plan.closeDay) : null,
    cancelledAt: status === 'cancelled' ? moment(plan.cancelDay) : null,
    customFields: { channel: at(channels, index) },
    createdAt,
    updatedAt: removed ? removedAt : moment(lastDay(plan), 18 * 60),
    deletedAt: removed ? removedAt : null,
  })
  putItems(context, plan, createdAt, confirmedAt)
  putAmendment(context, plan, amended, createdAt)
  if (status === 'draft') return
  putDocument(context, {
    code: 'order',
    name: `Purchase order ${plan.orderNumber}`,
    reference: plan.orderNumber,
    day: orderDay + 1,
    partnerId: supplier.partnerId,
    orderId: id,
    shipmentId: null,
    userId: people.buyer,
  })
  if (index % 4 === 0) {
    const removedDay = index % 8 === 0 ? orderDay + 4 : null
    const body = `Ship the middle sizes first. ${wording.sentence(languageCode)}`
    putNote(context, { orderId: id }, body, orderDay + 2, removedDay)
  }
  if (plan.lateSoFar > 0) putDelayNote(context, plan)
  const making = hasOrdered(status) && status !== 'confirmed' && status !== 'cancelled'
  if (making && random.oneIn(2)) {
    putOrderSample(context.samples, style, id, plan.orderNumber, confirmDay + 2)
  }
}

const delayReasons = [
  'The dye house is behind; the supplier asks for',
  'Zips are held in customs; the supplier asks for',
  'Two sewing lines were down this week; the supplier asks for',
  'Lab dip was rejected twice; the supplier asks for',
] as const

/** The supplier's note about overdue goods. */
const putDelayNote = (context: SeasonContext, plan: OrderPlan): void => {
  const { random } = context
  const last = plan.shipments[plan.shipments.length - 1]
  const days = (last?.depart ?? today) - plan.agreedDay
  const body = `${random.pick(delayReasons)} ${days} more days in all.`
  putNote(context, { orderId: plan.id }, body, today - random.between(1, plan.lateSoFar))
}

const putItems = (
  { put, random, wording }: SeasonContext,
  plan: OrderPlan,
  createdAt: string,
  confirmedAt: string | null,
): void => {
  const { garment, name, versionId, supplier } = plan.style
  const { languageCode } = supplier.trade
  const updatedAt = confirmedAt ?? createdAt
  const written = unitPrice(plan.tenths)
  // Tenths x thousandths are ten-thousandths, without rounding.
  const base = plan.rate === null ? null : plan.tenths * plan.rate
  const writtenBase = base === null ? null : price(base)
  for (const line of plan.lines) {
    put('order-items', {
      id: line.id,
      orderId: plan.id,
      skuId: line.skuId,
      productVersionId: versionId,
      qty: line.quantity,
      supplierConfirmedAt: confirmedAt,
      unitPrice: written,
      unitPriceBase: writtenBase,
      duty:
        base === null
          ? null
          : money(Math.round((line.quantity * base * garment.dutyPercent) / 10_000)),
      htsCode: garment.htsCode,
      itemType: 'product',
      itemDescription: `${name} ${line.colour} ${line.size}`,
      memo: wording.remark(languageCode),
      step: 'production',
      category: garment.category,
      createdAt,
      updatedAt,
    })
  }
  if (plan.toolingCents === 0 || plan.rate === null) return
  put('order-items', {
    id: random.id(),
    orderId: plan.id,
    qty: 1,
    supplierConfirmedAt: confirmedAt,
    unitPrice: unitPrice(plan.toolingCents / 10),
    unitPriceBase: price((plan.toolingCents / 10) * plan.rate),
    itemType: 'tooling',
    itemDescription: 'Cutting die for the pocket',
    step: 'development',
    createdAt,
    updatedAt,
  })
}

const putAmendment = (
  { put, random }: SeasonContext,
  plan: OrderPlan,
  amended: Amended,
  createdAt: string,
): void => {
  const [line] = plan.lines
  if (amended === null || line === undefined) return
  const applied = amended === 'applied'
  const more = plan.style.pack.units
  const askedAt = moment(plan.orderDay + 1)
  const answeredAt = moment(plan.orderDay + 2)
  const withdrawn = amended === 'withdrawn'
  put('order-amendments', {
    id: random.id(),
    orderId: plan.id,
    revisionId: applied && plan.index % 12 === 0 ? plan.offer.revisionId : null,
    appliedByUserId: applied ? people.buyer : null,
    status: amended,
    revisionNumber: 1,
    data: {
      changes: [
        {
          collection: 'order-items',
          id: line.id,
          field: 'qty',
          from: applied ? line.quantity + more : line.quantity,
          to: applied ? line.quantity : line.quantity + more,
        },
      ],
    },
    baselineUpdatedAt: createdAt,
    appliedAt: applied ? answeredAt : null,
    deletedAt: withdrawn ? answeredAt : null,
    createdAt: askedAt,
    updatedAt: amended === 'proposed' ? askedAt : answeredAt,
    rejectionNote: amended === 'rejected' ? 'Cloth already cut.' : null,
  })
}
