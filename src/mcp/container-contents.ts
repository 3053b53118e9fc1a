import {
  ApiError,
  catalog,
  documentLimits,
  formatCount,
  isJsonObject,
  type JsonValue,
  limits,
  queryLimits,
  type Resource,
  resourceAt,
} from '#contract'
import { cut } from '#request'
import { plainNumber, spellingsOf } from './container-number.ts'
import { namesOf } from './document.ts'
import { nameIn, pick, recordOf, rowsOf } from './document-rows.ts'
import { brandArgument } from './group.ts'
import { idsMax } from './named-record.ts'
import { openFor } from './passing-reader.ts'
import type { JsonRecord, QueryValues, Reader } from './reader.ts'
import { callOf, callSchema, callText, tool } from './tool.ts'
import { resultMax, truncateRecords } from './truncate.ts'

const cartons = resourceAt(catalog, 'shipment-cartons')
const cartonItems = resourceAt(catalog, 'shipment-carton-items')
const legs = resourceAt(catalog, 'legs')
const legItems = resourceAt(catalog, 'leg-items')
const shipments = resourceAt(catalog, 'shipments')
const shipmentItems = resourceAt(catalog, 'shipment-items')

/** Maximum number of cartons or items to read: more than any container has. */
const recordsMax = 2_000
/** Containers are reused, so only the latest shipments are shown. */
const shipmentsShown = 3

export const containerContents = tool({
  name: 'container_contents',
  title: 'Show what is in a container',
  description:
    'Answers what is in a container, in one call by its number: the goods with their pieces and orders, by shipment, and where the container is. The pieces are those of the cartons in it; without cartons those carried on its legs; without either those of the whole shipment, and basis says which.',
  arguments: {
    container: {
      kind: 'text',
      required: true,
      meaning: 'container number, such as MSKU1234565; case, spaces and hyphens do not matter',
    },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    container: { type: 'string' },
    total: { type: 'integer', description: 'All shipments with this container.' },
    shown: { type: 'integer' },
    legs: { type: 'array', description: 'Its movements.', items: { type: 'object' } },
    shipments: {
      type: 'array',
      description: 'The latest first, each with pieces, basis, orders and goods.',
      items: { type: 'object' },
    },
    records: { ...callSchema, description: 'The call that lists the records behind it.' },
  },
  run: async ({ container, brand }, caller) => {
    const reader = await openFor(caller, brand, shipments)
    const number = plainNumber(container)
    const spellings = await spellingsOf(reader, container)
    if (spellings.length === 0) throw unknownContainer(reader, container)
    const filters = { 'containerNumber.in': spellings.join(',') }
    const packed = await allRecords(reader, cartons, { ...filters, fields: 'shipmentId' })
    const { items: moves } = await reader.query(legs, {
      ...{ ...filters, 'deletedAt.isNull': 'true', limit: limits.pageSize.maximum },
      ...{ sort: '-estimatedDepartureAt', include: 'originLocation,destinationLocation' },
    })
    const ids = [...new Set([...moves, ...packed].map(({ shipmentId }) => String(shipmentId)))]
    if (ids.length === 0) throw unknownContainer(reader, container)
    const latest = await reader.query(shipments, {
      ...{ ids: ids.slice(0, idsMax).join(','), sort: '-estimatedDepartureAt' },
      ...{ include: 'originLocation,destinationLocation', limit: shipmentsShown },
    })
    const rows: JsonRecord[] = []
    let isWhole = ids.length === latest.items.length && packed.length < recordsMax
    for (const shipment of latest.items) {
      const own = ({ shipmentId }: JsonRecord) => shipmentId === shipment['id']
      const row = await shipmentRow(reader, shipment, packed.filter(own), moves.filter(own))
      rows.push(row.shown)
      isWhole &&= row.isWhole
    }
    const group = packed.length > 0 ? 'shipment-cartons' : 'legs'
    const call = callOf('list_records', { brand: reader.brand, group, filters })
    const { records: movements } = truncateRecords(moves.map(legRow), legsLengthMax)
    const pieces = rows.reduce((sum, each) => sum + Number(each['pieces']), 0)
    return {
      summary: [
        `${number}: ${formatCount(pieces, 'piece')} in ${formatCount(rows.length, 'shipment')} shown of ${ids.length}, ${formatCount(packed.length, 'carton')}.`,
        isWhole ? 'Nothing is truncated.' : `Not all goods fit; the records: ${callText(call)}.`,
      ].join(' '),
      ...{ brand: reader.brand, container: number, total: ids.length, shown: rows.length },
      ...{ legs: movements, shipments: rows, records: call },
      next: isWhole ? null : call,
    }
  },
})

/** Maximum number of legs of a shipment to read: more than a container has. */
const legsMax = 20
const legsLengthMax = 5_000
/** Maximum length of the goods of one shipment. */
const goodsLengthMax = Math.floor((resultMax - legsLengthMax - 3_000) / shipmentsShown)

const unknownContainer = (reader: Reader, text: string): ApiError =>
  new ApiError(
    'not_found',
    `No leg and no carton has the container number ${JSON.stringify(cut(text))}. ${callText(callOf('search', { brand: reader.brand, query: cut(text) }))} searches all groups.`,
    { details: { parameter: 'container' } },
  )

/** All records of a list, up to a maximum. */
const allRecords = async (
  reader: Reader,
  resource: Resource,
  parameters: QueryValues,
): Promise<readonly JsonRecord[]> => {
  const records: JsonRecord[] = []
  let cursor: string | undefined
  do {
    const page = await reader.query(resource, {
      ...{ ...parameters, limit: limits.pageSize.maximum, cursor },
    })
    records.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && records.length < recordsMax)
  return records
}

/** Pieces by shipment item; null if the container's contents are not recorded. */
type Pieces = ReadonlyMap<string, number>

const shipmentRow = async (
  reader: Reader,
  shipment: JsonRecord,
  packed: readonly JsonRecord[],
  moves: readonly JsonRecord[],
): Promise<{ readonly shown: JsonRecord; readonly isWhole: boolean }> => {
  const id = String(shipment['id'])
  const inCartons = packed.length > 0 ? await piecesInCartons(reader, packed) : null
  const onLegs = inCartons ? null : await piecesOnLegs(reader, moves)
  const limit = documentLimits.rows.maximum
  const document = await reader.document(shipments, id, { limit })
  const lines = rowsOf(document, 'lines')
  const orders = new Map(
    rowsOf(document, 'orders').items.map((row) => [
      recordOf(row)['id'],
      recordOf(row)['orderNumber'],
    ]),
  )
  const named = new Map(lines.items.map((row) => [String(recordOf(row)['id']), row]))
  const pieces: Pieces = inCartons ?? onLegs ?? (await piecesOfShipment(reader, id))
  const goods = [...pieces].map(([itemId, quantity]): JsonRecord => {
    const line = named.get(itemId)
    const { orderItem } = line ? recordOf(line) : {}
    const orderId = isJsonObject(orderItem) ? orderItem['orderId'] : undefined
    return {
      ...{ shipmentItemId: itemId, pieces: quantity },
      order: orders.get(orderId ?? null) ?? null,
      ...(line && namesOf(line)),
    }
  })
  const { records: shown } = truncateRecords(
    goods.map(({ figures: _, ...row }) => row),
    goodsLengthMax,
  )
  return {
    shown: {
      ...pick(shipment, 'id', 'shipmentNumber', 'status', 'estimatedDepartureAt'),
      ...pick(shipment, 'actualDepartureAt', 'estimatedArrivalAt', 'actualArrivalAt'),
      ...{ from: nameIn(shipment, 'originLocation'), to: nameIn(shipment, 'destinationLocation') },
      basis: inCartons ? 'cartons' : onLegs ? 'legs' : 'shipment',
      cartons: packed.length,
      pieces: [...pieces.values()].reduce((sum, each) => sum + each, 0),
      orders: [...new Set(goods.flatMap(({ order }) => (order ? [order] : [])))] as JsonValue,
      items: goods.length,
      goods: shown as JsonValue,
    },
    isWhole: shown.length === goods.length,
  }
}

const piecesInCartons = async (
  reader: Reader,
  packed: readonly JsonRecord[],
): Promise<Pieces | null> => {
  const pieces = new Map<string, number>()
  for (let from = 0; from < packed.length; from += queryLimits.values) {
    const ids = packed.slice(from, from + queryLimits.values).map(({ id }) => String(id))
    const filters = { 'shipmentCartonId.in': ids.join(',') }
    const sums = await reader.summary(cartonItems, {
      ...{ ...filters, sum: 'quantity', by: 'shipmentItemId' },
    })
    for (const [itemId, quantity] of quantitiesIn(sums)) {
      pieces.set(itemId, (pieces.get(itemId) ?? 0) + quantity)
    }
  }
  return pieces.size > 0 ? pieces : null
}

/**
 * A container keeps its goods from leg to leg, so the pieces of its legs are not added up. Each leg
 * has a separate summary: a summary has a limited number of groups.
 */
const piecesOnLegs = async (
  reader: Reader,
  moves: readonly JsonRecord[],
): Promise<Pieces | null> => {
  const pieces = new Map<string, number>()
  for (const { id } of moves.slice(0, legsMax)) {
    const sums = await reader.summary(legItems, {
      ...{ legId: String(id), sum: 'quantity', by: 'shipmentItemId' },
    })
    for (const [itemId, quantity] of quantitiesIn(sums)) {
      pieces.set(itemId, Math.max(pieces.get(itemId) ?? 0, quantity))
    }
  }
  return pieces.size > 0 ? pieces : null
}

const piecesOfShipment = async (reader: Reader, shipmentId: string): Promise<Pieces> => {
  const items = await allRecords(reader, shipmentItems, {
    ...{ shipmentId, 'deletedAt.isNull': 'true', fields: 'quantity' },
  })
  return new Map(items.map(({ id, quantity }) => [String(id), Number(quantity)]))
}

const quantitiesIn = ({ groups }: JsonRecord): readonly (readonly [string, number])[] =>
  (Array.isArray(groups) ? groups : [])
    .filter(isJsonObject)
    .map(({ by, sum }) => [
      String(isJsonObject(by) ? by['shipmentItemId'] : ''),
      Number(isJsonObject(sum) ? sum['quantity'] : 0),
    ])

const legRow = (leg: JsonRecord): JsonRecord => ({
  ...pick(leg, 'id', 'shipmentId', 'sequence', 'mode', 'status', 'vesselName', 'voyageNumber'),
  ...{ from: nameIn(leg, 'originLocation'), to: nameIn(leg, 'destinationLocation') },
  ...pick(leg, 'estimatedDepartureAt', 'actualDepartureAt', 'estimatedArrivalAt'),
  ...pick(leg, 'actualArrivalAt', 'containerType', 'sealNumber'),
})
