import {
  catalog,
  documentLimits,
  formatCount,
  isJsonObject,
  type JsonValue,
  resourceAt,
} from '#contract'
import { nameIn, pick, recordOf, rowsOf } from './document-rows.ts'
import { brandArgument } from './group.ts'
import { findOrder } from './named-record.ts'
import { openFor } from './passing-reader.ts'
import type { JsonRecord } from './reader.ts'
import { queryArguments } from './records.ts'
import { callOf, callSchema, callText, tool } from './tool.ts'
import { truncateRecords } from './truncate.ts'

const orders = resourceAt(catalog, 'orders')
const legs = resourceAt(catalog, 'legs')

export const locateOrder = tool({
  name: 'locate_order',
  title: 'Show where an order is',
  description:
    'Answers where an order is, in one call by its number: pieces ordered, made, shipped and received with planned and actual dates, how late it is, and its shipments with where they are, vessel, container and expected arrival.',
  arguments: {
    order: { kind: 'text', required: true, meaning: 'number or id of the order, such as PO-5512' },
    asOf: queryArguments.asOf,
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    asOf: { type: 'string', description: 'The day that counts as today.' },
    order: { type: 'object' },
    deadlines: { type: 'array', items: { type: 'object' } },
    progress: {
      type: 'array',
      description: 'The stages of the order with their pieces, amounts and dates.',
      items: { type: 'object' },
    },
    total: { type: 'integer', description: 'All shipments of the order.' },
    shown: { type: 'integer' },
    shipments: {
      type: 'array',
      description: 'Each with the pieces of this order, and its legs that are on the way.',
      items: { type: 'object' },
    },
    receipts: { type: 'array', items: { type: 'object' } },
    records: { ...callSchema, description: 'The call that shows everything of the order.' },
  },
  run: async ({ order: name, asOf, brand }, caller) => {
    const reader = await openFor(caller, brand, orders)
    const id = String((await findOrder(reader, name))['id'])
    const limit = documentLimits.rows.maximum
    const document = await reader.document(orders, id, { limit, asOf })
    const { title = null, status = null, deadlines, progress, asOf: day } = document
    const record = isJsonObject(document['record']) ? document['record'] : {}
    const shipments = rowsOf(document, 'shipments')
    const ids = shipments.items.slice(0, legsOfMax).map((each) => String(idOf(each)))
    const moving =
      ids.length === 0
        ? []
        : (
            await reader.query(legs, {
              ...{ 'shipmentId.in': ids.join(','), status: 'departed', 'deletedAt.isNull': 'true' },
              ...{ include: 'originLocation,destinationLocation', limit: legsMax },
            })
          ).items
    const rows = shipments.items.map((each) => shipmentRow(each, moving))
    const receipts = rowsOf(document, 'receipts')
    const received = truncateRecords(receipts.items.map(receiptRow), receiptsLengthMax).records
    const { records: shown } = truncateRecords(rows, shipmentsLengthMax)
    const call = callOf('get_document', { brand: reader.brand, group: 'orders', id })
    const isWhole = shown.length === shipments.total && received.length === receipts.total
    return {
      summary: [
        `${String(title)} is ${String(status)} as of ${String(day)}: ${stagesText(progress)}; ${formatCount(shipments.total, 'shipment')}, ${shown.length} shown.`,
        isWhole ? 'Nothing is truncated.' : `For more: ${callText(call)}.`,
      ].join(' '),
      ...{ brand: reader.brand, asOf: day },
      order: orderHead(record),
      ...{ deadlines, progress, total: shipments.total, shown: shown.length },
      ...{ shipments: shown, receipts: received, records: call },
      next: isWhole ? null : call,
    }
  },
})

/** Maximum number of values of a filter, and of legs on a page. */
const legsOfMax = 50
const legsMax = 100
/** Maximum length of each list. The rest of a result is for the stages of the order. */
const shipmentsLengthMax = 14_000
const receiptsLengthMax = 6_000

const idOf = (row: JsonRecord): JsonValue => recordOf(row)['id'] ?? null

const orderHead = (record: JsonRecord): JsonRecord => ({
  ...pick(record, 'id', 'orderNumber', 'status', 'orderDate', 'shipMode'),
  supplier: nameIn(record, 'supplier'),
  destination: nameIn(record, 'destinationLocation'),
})

const shipmentRow = (row: JsonRecord, moving: readonly JsonRecord[]): JsonRecord => {
  const record = recordOf(row)
  const { figures } = row
  return {
    ...pick(record, 'id', 'shipmentNumber', 'status', 'mode', 'trackingNumber'),
    piecesOfOrder: isJsonObject(figures) ? (figures['pieces'] ?? null) : null,
    from: nameIn(record, 'originLocation'),
    to: nameIn(record, 'destinationLocation'),
    ...pick(record, 'estimatedDepartureAt', 'actualDepartureAt', 'estimatedArrivalAt'),
    ...pick(record, 'actualArrivalAt', 'deliveredAt'),
    onTheWay: moving
      .filter(({ shipmentId }) => shipmentId === record['id'])
      .map((leg) => ({
        ...pick(leg, 'id', 'mode', 'vesselName', 'voyageNumber', 'flightNumber'),
        ...pick(leg, 'containerNumber', 'actualDepartureAt', 'estimatedArrivalAt'),
        ...{ from: nameIn(leg, 'originLocation'), to: nameIn(leg, 'destinationLocation') },
      })),
  }
}

const receiptRow = (row: JsonRecord): JsonRecord => {
  const record = recordOf(row)
  const { figures } = row
  return {
    ...pick(record, 'id', 'receiptNumber', 'status', 'receivedAt'),
    location: nameIn(record, 'location'),
    ...(isJsonObject(figures) && pick(figures, 'expected', 'received', 'damaged')),
  }
}

/** `640 ordered, 636 shipped`. */
const stagesText = (progress: JsonValue | undefined): string => {
  const stages = (Array.isArray(progress) ? progress : []).filter(isJsonObject)
  const counted = stages.filter(({ pieces }) => typeof pieces === 'number')
  return counted.map(({ name, pieces }) => `${pieces} pieces ${name}`).join(', ') || 'no pieces'
}
