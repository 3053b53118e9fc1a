import { cartonVolume, centimetres, cubicMetres, kilograms } from './amounts.ts'
import { date, moment } from './calendar.ts'
import { sscc } from './codes.ts'
import type { SeasonContext } from './context.ts'
import { putDocument } from './documents.ts'
import { carried, type OrderPlan, type PlannedShipment } from './plan.ts'
import { people } from './story-records.ts'

/** The size of a shipment, in pieces, grams and litres. */
export interface Load {
  readonly cartons: number
  readonly quantity: number
  readonly netGrams: number
  readonly grossGrams: number
  readonly litres: number
}

/** Every carton holds one SKU. A remainder gets a carton with fewer pieces. */
export const loadOf = (plan: OrderPlan, shipment: PlannedShipment): Load => {
  const { pack, garment } = plan.style
  let cartons = 0
  let quantity = 0
  for (const line of shipment.lines) {
    const pieces = carried(shipment, line)
    quantity += pieces
    cartons += Math.ceil(pieces / pack.units)
  }
  const netGrams = quantity * garment.grams
  return {
    cartons,
    quantity,
    netGrams,
    grossGrams: netGrams + cartons * pack.tareGrams,
    litres: cartons * pack.litres,
  }
}

interface Packed {
  readonly shipmentId: string
  readonly shipmentNumber: string
  readonly itemIds: readonly string[]
  readonly containerNumber: string | null
  readonly load: Load
}

/** The packing list of a shipment, line by line, and its recorded cartons. */
export const putPacking = (
  context: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  packed: Packed,
): string => {
  const { put, random } = context
  const { load, shipmentId } = packed
  const { supplier } = plan.style
  const id = random.id()
  const reference = `PL-${packed.shipmentNumber}`
  const createdAt = moment(shipment.ready)
  const documentId = putDocument(context, {
    code: 'packing_list',
    name: `Packing list ${packed.shipmentNumber}`,
    reference,
    day: shipment.ready,
    partnerId: supplier.partnerId,
    orderId: plan.id,
    shipmentId,
    userId: people.logistics,
  })
  put('packing-lists', {
    id,
    documentId,
    orderId: plan.id,
    shipmentId,
    supplierId: supplier.id,
    grain: 'carton_range',
    reference,
    packingListDate: date(shipment.ready),
    statedTotalCartons: load.cartons,
    statedTotalQtyPacked: String(load.quantity),
    statedNetWeightKg: kilograms(load.netGrams),
    statedGrossWeightKg: kilograms(load.grossGrams),
    statedVolumeCbm: cubicMetres(load.litres),
    statedWeightUnit: 'KGM',
    statedVolumeUnit: 'MTQ',
    statedPalletCount: 0,
    enteredBy: people.logistics,
    createdAt,
  })
  putLines(context, plan, shipment, packed, id, createdAt)
  putCartons(context, plan, shipment, packed, id, createdAt)
  return id
}

const putLines = (
  { put, random }: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  { itemIds }: Packed,
  packingListId: string,
  createdAt: string,
): void => {
  const { pack, garment, name } = plan.style
  let lineNumber = 0
  let carton = 1
  shipment.lines.forEach((line, place) => {
    const pieces = carried(shipment, line)
    const rest = pieces % pack.units
    const runs = [
      [Math.floor(pieces / pack.units), pack.units],
      [rest === 0 ? 0 : 1, rest],
    ] as const
    for (const [cartons, each] of runs) {
      if (cartons === 0) continue
      lineNumber += 1
      const netGrams = cartons * each * garment.grams
      // Sometimes a typed number differs from the supplier's.
      const isMisread = plan.index % 71 === 33 && lineNumber === 2
      put('packing-list-lines', {
        id: random.id(),
        packingListId,
        lineNumber,
        orderItemId: line.id,
        shipmentItemId: itemIds[place] ?? null,
        skuId: line.skuId,
        matchStatus: isMisread ? 'mismatch' : 'matched',
        statedSkuCode: line.skuCode,
        statedDescription: name,
        statedColor: line.colour,
        statedSize: line.size,
        statedCartonFrom: String(carton),
        statedCartonTo: String(carton + cartons - 1),
        statedCartonCount: cartons,
        statedQtyPerCarton: String(isMisread ? each + 2 : each),
        statedQty: String(cartons * each),
        statedNetWeightKg: kilograms(netGrams),
        statedGrossWeightKg: kilograms(netGrams + cartons * pack.tareGrams),
        statedVolumeCbm: cubicMetres(cartons * pack.litres),
        createdAt,
      })
      carton += cartons
    }
  })
}

/** The cartons of a shipment. Without a packing list, they come from another shipment. */
export const putCartons = (
  { put, random, serials }: SeasonContext,
  plan: OrderPlan,
  shipment: PlannedShipment,
  { shipmentId, itemIds, containerNumber }: Packed,
  packingListId: string | null,
  createdAt: string,
): void => {
  const { pack, garment } = plan.style
  const [length, width, height] = pack.sides
  const lengthCm = centimetres(length)
  const widthCm = centimetres(width)
  const heightCm = centimetres(height)
  const volumeCbm = cartonVolume(pack.litres)
  let number = 0
  shipment.lines.forEach((line, place) => {
    const shipmentItemId = itemIds[place] as string
    for (let left = carried(shipment, line); left > 0; left -= pack.units) {
      const quantity = Math.min(left, pack.units)
      const id = random.id()
      const netGrams = quantity * garment.grams
      number += 1
      if (packingListId !== null) serials.carton += 1
      put('shipment-cartons', {
        id,
        shipmentId,
        packingListId,
        cartonSizeId: pack.cartonSizeId,
        packingTemplateId: pack.templateId,
        cartonNumber: String(number),
        // A forwarded carton keeps its label: the number stays with the first record.
        sscc: packingListId === null ? null : sscc(serials.carton),
        palletReference: packingListId === null ? `P${Math.ceil(number / 16)}` : null,
        containerNumber,
        lengthCm,
        widthCm,
        heightCm,
        netWeightKg: kilograms(netGrams),
        grossWeightKg: kilograms(netGrams + pack.tareGrams),
        volumeCbm,
        createdAt,
      })
      put('shipment-carton-items', {
        id: random.id(),
        shipmentCartonId: id,
        shipmentItemId,
        skuId: line.skuId,
        quantity,
        createdAt,
      })
    }
  })
}
