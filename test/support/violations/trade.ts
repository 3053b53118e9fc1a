import { type Broken, breaks, copy, edit, id, nobody, remove, storyRecord } from './story.ts'

const deletedAt = '2026-05-25T00:00:00.000Z'

const order = storyRecord('orders')
const secondOrder = copy(order, { orderNumber: 'PO-1' })
const indigoM = storyRecord('skus', { code: 'AM-1042-IND-M' })
const indigoL = storyRecord('skus', { code: 'AM-1042-IND-L' })
const itemM = storyRecord('order-items', { skuId: id(indigoM) })
const itemL = storyRecord('order-items', { skuId: id(indigoL) })
const amendment1 = storyRecord('order-amendments', { revisionNumber: 1 })
const amendment2 = storyRecord('order-amendments', { revisionNumber: 2 })
const quote = storyRecord('quotes')
const version2 = storyRecord('product-versions', { versionNumber: 2 })
const olderJacket = storyRecord('parent-products', { code: 'AM-0987' })
const otherOffer = copy(storyRecord('quote-revisions', { revisionNumber: 3 }), {
  quoteId: id(copy(quote)),
})
const bianchini = storyRecord('suppliers', { code: 'V-0108' })
const run1 = storyRecord('production-runs', { runNumber: 1 })
const run3 = storyRecord('production-runs', { runNumber: 3 })
const runItemM = storyRecord('production-run-items', { orderItemId: id(itemM) })
const runItemL = storyRecord('production-run-items', { orderItemId: id(itemL) })
const itemXl = storyRecord('order-items', { itemDescription: 'Harbour chore jacket ECR XL' })
const runItemXl = storyRecord('production-run-items', { orderItemId: id(itemXl) })
const secondRevision = storyRecord('production-run-item-revisions', { revisionNumber: 2 })
const sea = storyRecord('shipments', { shipmentNumber: 'S-9001' })
const air = storyRecord('shipments', { shipmentNumber: 'S-9002' })
const seaM = storyRecord('shipment-items', { shipmentId: id(sea), skuId: id(indigoM) })
const seaL = storyRecord('shipment-items', { shipmentId: id(sea), skuId: id(indigoL) })
const airM = storyRecord('shipment-items', { shipmentId: id(air), skuId: id(indigoM) })
const seaBooking = storyRecord('bookings', { bookingNumber: 'B-701' })
const bookedM = storyRecord('booking-items', { bookingId: id(seaBooking), skuId: id(indigoM) })
const seaPair = storyRecord('order-shipments', { shipmentId: id(sea) })
const carton = storyRecord('shipment-cartons', { shipmentId: id(sea), cartonNumber: '1' })
const cartonItem = storyRecord('shipment-carton-items', { shipmentCartonId: id(carton) })
const cartonOfM = storyRecord('shipment-carton-items', { shipmentItemId: id(seaM) })
const inlandLeg = storyRecord('legs', { shipmentId: id(sea), sequence: 1 })
const oceanLeg = storyRecord('legs', { shipmentId: id(sea), sequence: 2 })
const lastLeg = storyRecord('legs', { shipmentId: id(sea), sequence: 3 })
const legItem = storyRecord('leg-items', { legId: id(oceanLeg), shipmentItemId: id(seaM) })
const seaLink = storyRecord('shipment-bookings', { shipmentId: id(sea) })
const lineage = storyRecord('shipment-item-lineages')
const list = storyRecord('packing-lists', { reference: 'PL-9001' })
const line = storyRecord('packing-list-lines', { packingListId: id(list), lineNumber: 1 })
const lineM = storyRecord('packing-list-lines', { packingListId: id(list), lineNumber: 3 })
const seaReceipt = storyRecord('goods-receipts', { receiptNumber: 'GR-9001' })
const receivedM = storyRecord('goods-receipt-lines', { shipmentItemId: id(seaM) })
const receivedL = storyRecord('goods-receipt-lines', { shipmentItemId: id(seaL) })
const damaged = storyRecord('goods-receipt-lines', { discrepancyReason: 'damaged' })
const warehouse = storyRecord('brand-locations', { role: 'warehouse' })
const newYork = storyRecord('locations', { code: 'USNYC' })
const stockM = storyRecord('inventory', { skuId: id(indigoM) })
const stocks = ['AM-1042-IND', 'AM-1042-ECR'].flatMap((colour) =>
  ['XS', 'S', 'M', 'L', 'XL'].map((size) =>
    storyRecord('inventory', { skuId: id(storyRecord('skus', { code: `${colour}-${size}` })) }),
  ),
)
const byId = (a: { record: object }, b: { record: object }) =>
  JSON.stringify(a.record) < JSON.stringify(b.record) ? -1 : 1

/** Broken: what is ordered, made, shipped, packed and received. */
export const brokenTrade: readonly Broken[] = [
  breaks('ORD-01', edit(order, { totalQuantity: 641 }), order),
  breaks('ORD-01', edit(order, { totalAmount: '15872.01' }), order),
  breaks('ORD-01', remove(itemM), order),
  breaks('ORD-02', edit(order, { revisionNumber: 2 }), order),
  breaks('ORD-02', edit(amendment1, { deletedAt }), order),
  breaks('ORD-03', edit(order, { supplierId: id(bianchini) }), order),
  breaks('ORD-03', edit(order, { currency: 'USD' }), order),
  breaks(
    'ORD-04',
    [
      copy(version2, { productId: id(olderJacket) }),
      edit(itemM, { productVersionId: id(copy(version2)) }),
    ],
    itemM,
  ),
  breaks('ORD-05', edit(itemM, { unitPriceBase: '26.7841' }), itemM),
  breaks('ORD-06', edit(amendment1, { appliedAt: null }), amendment1),
  breaks('ORD-06', edit(amendment2, { appliedAt: '2026-03-02T00:00:00.000Z' }), amendment2),
  breaks('ORD-06', edit(amendment2, { rejectionNote: null }), amendment2),
  breaks(
    'ORD-06',
    [
      copy(quote, { quoteNumber: 'Q-1' }),
      otherOffer,
      edit(amendment1, { revisionId: id(otherOffer) }),
    ],
    amendment1,
  ),
  breaks(
    'ORD-07',
    edit(amendment2, {
      status: 'applied',
      baselineUpdatedAt: '2026-02-03T09:00:00.000Z',
      appliedAt: '2026-03-02T00:00:00.000Z',
    }),
    amendment2,
  ),
  breaks('ORD-07', edit(order, { updatedAt: '2026-02-04T09:00:00.000Z' }), amendment1),
  breaks(
    'PRD-01',
    [secondOrder, edit(run3, { orderId: id(secondOrder) }), copy(runItemM, runOf(run3))],
    copy(runItemM),
  ),
  breaks('PRD-02', edit(runItemM, { quantity: 165 }), itemM),
  breaks('PRD-02', [edit(run3, { retractedAt: null }), copy(runItemM, runOf(run3))], itemM),
  breaks('PRD-03', edit(secondRevision, { previousQuantity: 29 }), secondRevision),
  breaks('PRD-03', edit(runItemXl, { quantity: 27 }), secondRevision),
  breaks('PRD-04', edit(run3, { retractionReason: null }), run3),
  breaks('PRD-04', edit(run3, { retractedByUserId: null }), run3),
  breaks('PRD-04', edit(run1, { ...run3.record, ...keyOf(run1) }), run1),
  breaks('PRD-05', edit(run1, { originId: id(newYork) }), run1),
  breaks('SHP-01', edit(seaM, { skuId: id(indigoL) }), seaM),
  breaks('SHP-01', edit(seaM, { productionRunItemId: id(runItemL) }), seaM),
  breaks('SHP-01', edit(seaM, { orderItemId: null, skuId: id(indigoL) }), seaM),
  breaks('SHP-01', edit(bookedM, { orderItemId: id(itemL) }), bookedM),
  breaks('SHP-02', [secondOrder, edit(seaPair, { orderId: id(secondOrder) })], {
    ...seaPair,
    record: { ...seaPair.record, orderId: id(secondOrder) },
  }),
  breaks('SHP-02', remove(seaPair), firstItemOf(id(sea))),
  breaks('SHP-03', edit(seaM, { quantity: 121 }), runItemM),
  breaks('SHP-03', copy(seaM), runItemM),
  breaks('SHP-04', edit(cartonOfM, { quantity: 21 }), seaM),
  breaks('SHP-04', remove(cartonOfM), seaM),
  breaks('SHP-05', edit(cartonItem, { skuId: id(indigoM) }), cartonItem),
  breaks('SHP-05', edit(cartonOfM, { shipmentItemId: id(airM) }), cartonOfM),
  breaks('SHP-06', edit(carton, { grossWeightKg: '17.999' }), carton),
  breaks('SHP-06', edit(carton, { heightCm: '40.1' }), carton),
  breaks('SHP-07', edit(sea, { totalQuantity: 399 }), sea),
  breaks('SHP-07', edit(sea, { totalCartons: 21 }), sea),
  breaks('SHP-07', edit(sea, { netWeightKg: '360.001' }), sea),
  breaks('SHP-07', edit(sea, { grossWeightKg: '384.001' }), sea),
  breaks('SHP-07', edit(sea, { volumeCbm: '1.921' }), sea),
  breaks('SHP-08', edit(lastLeg, { sequence: 4 }), lastLeg),
  breaks('SHP-08', edit(inlandLeg, { originLocationId: id(newYork) }), inlandLeg),
  breaks('SHP-08', edit(lastLeg, { destinationLocationId: id(newYork) }), lastLeg),
  breaks('SHP-08', edit(lastLeg, { originLocationId: nobody }), lastLeg),
  breaks('SHP-09', edit(inlandLeg, { actualArrivalAt: '2026-04-24T14:00:00.000Z' }), inlandLeg),
  breaks('SHP-09', edit(sea, { estimatedArrivalAt: '2026-04-01T00:00:00.000Z' }), sea),
  breaks('SHP-09', edit(lastLeg, { actualDepartureAt: '2026-05-11T10:00:00.000Z' }), lastLeg),
  breaks('SHP-10', edit(legItem, { quantity: 121 }), legItem),
  breaks('SHP-10', edit(legItem, { shipmentItemId: id(airM), quantity: 1 }), legItem),
  breaks('SHP-11', remove(seaLink), oceanLeg),
  breaks('SHP-12', edit(bookedM, { quantity: 119 }), bookedM),
  breaks('SHP-12', remove(bookedM), seaM),
  breaks('SHP-13', edit(lineage, { targetShipmentItemId: id(seaM) }), lineage),
  breaks('SHP-13', edit(airM, { skuId: id(indigoL) }), lineage),
  breaks('SHP-13', edit(lineage, { quantity: 41 }), lineage),
  breaks(
    'SHP-13',
    copy(lineage, { sourceShipmentItemId: id(airM), targetShipmentItemId: id(seaM) }),
    copy(lineage),
    lineage,
  ),
  breaks('SHP-14', copy(sea, { shipmentNumber: 'S-1', supplierId: null }), copy(sea)),
  breaks('PKL-01', edit(list, { statedTotalCartons: 21 }), list),
  breaks('PKL-01', edit(line, { statedGrossWeightKg: '38.401' }), list),
  breaks('PKL-02', edit(list, { statedTotalQtyPacked: '401' }), list),
  breaks('PKL-02', edit(carton, { packingListId: null }), list),
  breaks('PKL-02', edit(carton, { grossWeightKg: '19.300' }), list),
  breaks('PKL-03', edit(list, { supplierId: id(bianchini) }), list),
  breaks('PKL-03', edit(sea, { supplierId: id(bianchini) }), list),
  breaks('PKL-03', remove(seaPair), list),
  breaks('PKL-04', edit(line, { statedQty: '41' }), line),
  breaks('PKL-04', edit(lineM, { shipmentItemId: id(seaL) }), lineM),
  breaks('RCV-01', edit(damaged, { damagedQuantity: 30, rejectedQuantity: 21 }), damaged),
  breaks('RCV-01', edit(receivedM, { discrepancyReason: null }), receivedM),
  breaks('RCV-01', edit(damaged, { discrepancyReason: null }), damaged),
  breaks('RCV-02', edit(receivedL, { receivedQuantity: 101 }), seaL),
  breaks('RCV-02', remove(receivedL), seaL),
  breaks(
    'RCV-03',
    edit(warehouse, { receivesGoods: false }),
    ...[seaReceipt, storyRecord('goods-receipts', { receiptNumber: 'GR-9002' })].sort(byId),
  ),
  breaks('RCV-03', edit(sea, { destinationLocationId: id(newYork) }), seaReceipt),
  breaks('RCV-03', edit(receivedM, { shipmentItemId: id(airM) }), receivedM),
  breaks('RCV-04', edit(seaReceipt, { status: 'in_progress' }), sea),
  breaks('RCV-04', edit(seaReceipt, { deletedAt }), sea),
  breaks('RCV-04', edit(seaReceipt, { receivedAt: '2026-05-15T13:59:59.999Z' }), sea),
  breaks('INV-01', edit(stockM, { reservedQuantity: 11 }), stockM),
  breaks('INV-01', edit(stockM, { availableQuantity: -10, reservedQuantity: 168 }), stockM),
  breaks('INV-01', edit(warehouse, { deletedAt }), ...stocks.toSorted(byId)),
  breaks('INV-02', edit(stockM, { onHandQuantity: 159, availableQuantity: 149 }), stockM),
]

function runOf(run: { record: object }) {
  return { productionRunId: id(run as typeof run3) }
}

function keyOf(run: typeof run1) {
  return { id: id(run), runNumber: 1 }
}

/** The item that stands for the pair: the first by identity. */
function firstItemOf(shipmentId: string) {
  const items = [seaM, seaL].concat(
    ['XS', 'S', 'XL'].map((size) =>
      storyRecord('shipment-items', {
        shipmentId,
        skuId: id(storyRecord('skus', { code: `AM-1042-IND-${size}` })),
      }),
    ),
  )
  return items.toSorted(byId)[0] ?? seaM
}
