import {
  ApiError,
  type CollectedLineage,
  collectLineage,
  type EndReason,
  filtersIn,
  type GroupScope,
  type LineageReader,
  limits,
  lineageIncludes,
  lineageLimits,
  queryBasePath,
  type Resource,
  relationName,
  relationsOf,
  walkBounds,
  walkLineage,
} from '#contract'
import { encodeValue, type LineageParameters, lineageParameters } from '#request'
import { decodeBody, type GetRequest, type Reserve, type Store } from '#store'
import { type JsonRecord, parseRecords } from './parse-records.ts'
import { nextTurn } from './turn.ts'

export interface LineageRequest extends LineageParameters {
  readonly resource: Resource
  readonly brand: string
  readonly id: string
  /** The groups that the walk may enter. */
  readonly scope: GroupScope
}

/** Parses requests for the lineages of a group from an id and the parameters' text. */
export const createLineageQueries = (resource: Resource) => {
  const parse = lineageParameters(resource)
  return (brand: string, id: string, queryText: string, scope: GroupScope): LineageRequest => ({
    resource,
    brand,
    id,
    scope,
    ...parse(queryText, id),
  })
}

export interface LineageReadOptions {
  readonly reserve?: Reserve
  readonly isCancelled?: GetRequest['isCancelled']
}

/** The records along the chain from a record; null if it does not exist. */
export const readLineage = async (
  store: Store,
  request: LineageRequest,
  options: LineageReadOptions = {},
): Promise<CollectedLineage<JsonRecord> | null> => {
  const { resource, brand, id, scope, directions, depth, limit, first } = request
  const stop = new AbortController()
  const reader = storeReader(store, brand, {
    ...options,
    onCancelled: () => stop.abort(),
  })
  const record = await reader.get(resource, id, { include: lineageIncludes(resource, scope) })
  if (!record) return null
  const bounds = {
    ...walkBounds,
    records: limit,
    depth: depth ?? Number.POSITIVE_INFINITY,
  }
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(lineageLimits.timeMs)])
  const walk = walkLineage(
    reader,
    { resource, record },
    { directions, bounds, prefer: first, scope, signal },
  )
  const lineage = await collectLineage(walk)
  if (lineage.reason === 'failed') throw lineage.error
  return lineage
}

interface StoreReaderOptions extends LineageReadOptions {
  readonly onCancelled: () => void
}

/** Reads directly from the store. Other requests are served between any two reads. */
const storeReader = (
  store: Store,
  brand: string,
  { reserve, isCancelled, onCancelled }: StoreReaderOptions,
): LineageReader<JsonRecord> => {
  const shared = {
    brand,
    isCancelled,
    reserve: (bytes: number) => {
      if (bytes > lineageLimits.bytes) throw tooLarge()
      return reserve?.(bytes)
    },
  }
  const including = (resource: Resource, include: readonly string[]) =>
    relationsOf(resource).filter(({ name }) => include.includes(name))
  const enter = async () => {
    await nextTurn()
    if (isCancelled?.()) onCancelled()
  }
  const list: LineageReader<JsonRecord>['list'] = async (resource, ask) => {
    await enter()
    const page = await store.list({
      ...shared,
      resource,
      filters: new Map(Object.entries(ask.filters)),
      limit: ask.limit,
      after: null,
      include: including(resource, ask.include),
    })
    const items = await parseRecords(decodeBody(page.items))
    return { items, totalItems: page.total, nextCursor: null }
  }
  return {
    list,
    get: async (resource, id, ask) => {
      // There is one brand, whatever its id.
      if (resource.lookup)
        return (await list(resource, { ...ask, filters: {}, limit: 1 })).items[0] ?? null
      await enter()
      const include = including(resource, ask.include)
      const record = await store.get({ ...shared, resource, key: [id], include })
      return record ? (JSON.parse(decodeBody(record.body)) as JsonRecord) : null
    },
  }
}

const tooLarge = () =>
  new ApiError(
    'page_too_large',
    `The records of this lineage have more than ${lineageLimits.bytes} bytes. Use a smaller limit.`,
    { details: [{ parameter: 'limit', issue: 'is too large for these records' }] },
  )

const endings: Record<Exclude<EndReason, 'failed'>, string> = {
  complete: 'complete',
  depth: 'depth',
  records: 'limit',
  reads: 'reads',
  cancelled: 'time',
}

/** A lineage as JSON, in pieces. Reserves its memory. */
export const lineageJson = async (
  { resource, brand, id }: LineageRequest,
  lineage: CollectedLineage<JsonRecord>,
  reserve?: Reserve,
): Promise<readonly Uint8Array[]> => {
  const { nodes, edges, truncated, followed, left, reads, reason } = lineage
  const numbers = new Map([...nodes.keys()].map((key, index) => [key, index]))
  const at = (key: string) => numbers.get(key) ?? 0
  const pieces: Uint8Array[] = []
  let bytes = 0
  let sinceTurn = 0
  for (const { key, resource: own, record, depth, isMissing, arrival } of nodes.values()) {
    const head = JSON.stringify({
      group: own.path,
      id: key.slice(own.path.length + 1),
      depth,
      isMissing,
      reachedBy: arrival && {
        record: at(arrival.from.key),
        relation: relationName(arrival.relation),
      },
    })
    const comma = pieces.length === 0 ? '' : ','
    const piece = Buffer.from(`${comma}${head.slice(0, -1)},"record":${JSON.stringify(record)}}`)
    pieces.push(piece)
    bytes += piece.length
    sinceTurn += piece.length
    if (bytes > lineageLimits.bytes) throw tooLarge()
    if (sinceTurn < bytesPerTurn) continue
    sinceTurn = 0
    await nextTurn()
  }
  if (bytes > limits.unreservedBytes) await reserve?.(bytes)
  const start = JSON.stringify({
    group: resource.path,
    id,
    ended: endings[reason === 'failed' ? 'cancelled' : reason],
    reads,
  })
  const end = JSON.stringify({
    references: edges.map(({ from, to, via }) => ({ from: at(from), to: at(to), via })),
    truncated: truncated.map(({ from, relation, total, shown }) => ({
      record: at(from),
      relation: relationName(relation),
      totalItems: total,
      shown,
      url: listUrl(brand, relation.to, filtersIn(nodes, from, relation)),
    })),
    followed: followed.map(({ from, relation }) => ({
      record: at(from),
      relation: relationName(relation),
    })),
    left: left.map(({ from, relation, directions }) => ({
      record: at(from),
      relation: relationName(relation),
      ...directions,
    })),
  })
  return [
    Buffer.from(`${start.slice(0, -1)},"records":[`),
    ...pieces,
    Buffer.from(`],${end.slice(1)}`),
  ]
}

/** Encoding this much takes a few milliseconds. */
const bytesPerTurn = 262_144

const listUrl = (
  brand: string,
  { path }: Resource,
  filters: { readonly [name: string]: string },
): string => {
  const query = Object.entries(filters).map(([name, value]) => `${name}=${encodeValue(value)}`)
  return `${queryBasePath}/brands/${brand}/${path}?${query.join('&')}`
}
