import { isPast, moment } from './calendar.ts'
import type { SeasonContext } from './context.ts'
import { putPicture } from './pictures.ts'
import { carried, counted, hasLeft, type OrderPlan } from './plan.ts'
import type { Shipped } from './shipping.ts'
import { people } from './story-records.ts'

/** Maximum number of pictures of damage. It does not grow with the season. */
const damagePicturesMax = 4

/** The counted arrivals. Goods that are still under way are expected in the stock. */
export const putReceiving = (context: SeasonContext, plan: OrderPlan, shipped: Shipped): void => {
  const { stock } = context
  const { plan: shipment } = shipped
  if (!hasLeft(shipment)) return
  if (isPast(shipment.receive)) {
    putCount(context, plan, shipped)
    return
  }
  for (const line of shipment.lines) {
    stock.expect(line.sku, plan.warehousePlace, carried(shipment, line))
  }
  // The lorry has arrived, but nothing is counted yet: a receipt without lines.
  if (shipment.status === 'delivered') {
    putReceipt(context, plan, shipped, plan.index % 2 === 0 ? 'expected' : 'in_progress')
  }
}

const putReceipt = (
  { put, random, wording, serials }: SeasonContext,
  plan: OrderPlan,
  { plan: shipment, last, packingListId, cartons }: Shipped,
  status: 'expected' | 'in_progress' | 'completed',
): string => {
  const id = random.id()
  const completed = status === 'completed'
  serials.receipt += 1
  const receivedAt = completed ? moment(shipment.receive, 14 * 60) : null
  const createdAt = moment(shipment.onward?.deliver ?? shipment.deliver, 16 * 60)
  put('goods-receipts', {
    id,
    receiptNumber: `GR-${20_000 + serials.receipt}`,
    shipmentId: last.id,
    packingListId: shipment.onward ? null : packingListId,
    locationId: plan.warehouse.id,
    status,
    reference: `DN-${20_000 + serials.receipt}`,
    receivedAt,
    receivedByUserId: completed ? people.warehouse : null,
    totalCartons: status === 'expected' ? null : cartons,
    comment: wording.remark('en'),
    createdAt,
    updatedAt: receivedAt ?? createdAt,
  })
  return id
}

const wetCarton = 'Carton wet on one side'

const shortComment = (pieces: number): string =>
  pieces < 8 ? `Counted twice: ${pieces} missing` : 'One carton was not on the lorry'

const putCount = (context: SeasonContext, plan: OrderPlan, shipped: Shipped): void => {
  const { put, random, stock, serials } = context
  const { plan: shipment, last } = shipped
  const goodsReceiptId = putReceipt(context, plan, shipped, 'completed')
  const createdAt = moment(shipment.receive, 14 * 60)
  shipment.lines.forEach((line, place) => {
    const expected = carried(shipment, line)
    const received = counted(shipment, line)
    const fate = random.below(90)
    const damaged = fate < 2 ? 1 + fate : 0
    const rejected = fate === 2 ? 2 : 0
    const isShort = received < expected
    put('goods-receipt-lines', {
      id: random.id(),
      goodsReceiptId,
      shipmentItemId: last.itemIds[place] ?? null,
      orderItemId: line.id,
      skuId: line.skuId,
      expectedQuantity: expected,
      receivedQuantity: received,
      damagedQuantity: damaged,
      rejectedQuantity: rejected,
      discrepancyReason: isShort
        ? 'short'
        : damaged > 0
          ? 'damaged'
          : rejected > 0
            ? 'quality'
            : null,
      comment: isShort ? shortComment(expected - received) : damaged > 0 ? wetCarton : null,
      createdAt,
    })
    stock.receive(line.sku, plan.warehousePlace, received, damaged, rejected)
    if (damaged > 0 && serials.damagePicture < damagePicturesMax) {
      serials.damagePicture += 1
      putPicture(put, random, {
        kind: 'defect',
        goodsReceiptId,
        skuId: line.skuId,
        fileName: `damage-${serials.damagePicture}.png`,
        altText: 'Water stain on the hem',
        createdAt,
      })
    }
  })
}
