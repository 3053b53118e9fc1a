import {
  type EndReason,
  type GroupScope,
  type LineageEvent,
  type LineageReader,
  type LineageRelation,
  type PlannedRead,
  type WalkOptions,
  type WalkStart,
  walkBounds,
  walkLineage,
} from '../../../src/contract/index.ts'
import { type Api, type Row, SelvedgeError } from '../api.ts'
import type { Group } from '../contract.ts'
import { type Lineage, lineageIn, withEvent, withoutTruncated } from './lineage.ts'

/** The part of the API that lineages use. */
type LineageApi = Pick<Api, 'brand' | 'canRead' | 'list' | 'get' | 'lineage'>

export type Ended = {
  reason: EndReason
  /** The limit that was reached, if any. */
  limit: number | null
  /** The number of planned reads that were not made. */
  left: number
}

export type Walk = {
  lineage: Lineage
  reads: number
  /** Null while the walk is running. */
  ended: Ended | null
}

export type LoadOptions = Omit<WalkOptions, 'directions'> & { onChange?: (walk: Walk) => void }

/** The maximum number of records, and the lines to list first. */
export type LineageOptions = {
  limit?: number
  first?: readonly string[]
  signal?: AbortSignal
}

/** Reads a lineage in one request. */
export const readLineage = async (
  api: LineageApi,
  group: Group,
  id: string,
  { limit = walkBounds.records, ...options }: LineageOptions = {},
): Promise<Walk> => {
  const body = await api.lineage(group.path, id, { limit, ...options })
  const left = body.left.length
  const ended: Record<typeof body.ended, Ended> = {
    complete: { reason: 'complete', limit: null, left },
    depth: { reason: 'depth', limit: null, left },
    limit: { reason: 'records', limit, left },
    reads: { reason: 'reads', limit: walkBounds.reads, left },
    time: { reason: 'cancelled', limit: null, left },
  }
  return { lineage: lineageIn(body), reads: body.reads, ended: ended[body.ended] }
}

/**
 * Continues a lineage until it is complete, a limit is reached or it is cancelled. Rejects if a
 * read fails. `onChange` has received everything found before, and the walk can continue from
 * there.
 */
export const walk = (api: LineageApi, lineage: Lineage, options: LoadOptions = {}): Promise<Walk> =>
  load(api, lineage, { nodes: lineage.nodes, ...lineage.pending }, options)

/** Follows one relation of one record. */
export const follow = (
  api: LineageApi,
  lineage: Lineage,
  from: string,
  relation: LineageRelation,
  signal?: AbortSignal,
): Promise<Lineage> => readOne(api, lineage, { from, relation, directions: nowhere }, signal)

/** Shows the next records of a truncated list. */
export const showMore = async (
  api: LineageApi,
  lineage: Lineage,
  key: string,
  signal?: AbortSignal,
): Promise<Lineage> => {
  const after = lineage.truncated.get(key)
  if (!after) return lineage
  const { from, relation } = after
  const read = { from, relation, directions: nowhere, after }
  return readOne(api, withoutTruncated(lineage, key), read, signal)
}

const nowhere = { up: false, down: false }

/** Records added by one click. */
export const pageOfRecords = 10

/** A walk with a single read, which leaves the rest of the lineage unchanged. */
const readOne = async (
  api: LineageApi,
  lineage: Lineage,
  read: PlannedRead,
  signal: AbortSignal | undefined,
): Promise<Lineage> => {
  const start = { nodes: lineage.nodes, reads: [read], planned: new Set<string>() }
  const unlimited = Number.POSITIVE_INFINITY
  const bounds = {
    ...walkBounds,
    ...{ records: unlimited, recordsPerGroup: unlimited, reads: 1 },
    ...{ wholeList: pageOfRecords, firstOfList: pageOfRecords },
  }
  const { lineage: after } = await load(api, lineage, start, { bounds, signal })
  return { ...after, pending: lineage.pending }
}

const load = async (
  api: LineageApi,
  from: Lineage,
  start: WalkStart<Row>,
  { onChange, ...options }: LoadOptions,
): Promise<Walk> => {
  let state: Walk = { lineage: from, reads: 0, ended: null }
  const scope = scopeOf(api)
  for await (const event of walkLineage(readerOf(api), start, { ...options, scope })) {
    state = { ...state, lineage: withEvent(state.lineage, event) }
    if (event.kind === 'read') state = { ...state, reads: event.reads }
    if (event.kind === 'ended') {
      state = { ...state, ended: endedOf(event, options.bounds) }
    }
    if (event.kind === 'read' || event.kind === 'ended') onChange?.(state)
    if (event.kind === 'ended' && event.reason === 'failed') throw event.error
  }
  return state
}

const endedOf = (
  { reason, checkpoint }: LineageEvent<Row> & { kind: 'ended' },
  bounds = walkBounds,
): Ended => ({
  reason,
  limit: reason === 'records' || reason === 'reads' ? bounds[reason] : null,
  left: checkpoint.reads.length,
})

/** The groups that the walk enters: those of the key, as on the server. */
const scopeOf = ({ canRead }: LineageApi): GroupScope => ({
  id: 'of the key',
  isWhole: false,
  has: (group) => canRead(group),
})

const readerOf = (api: LineageApi): LineageReader<Row> => ({
  get: async ({ path }, id, { include, signal }) => {
    try {
      return await api.get(path, id, { include: [...include], ...(signal && { signal }) })
    } catch (error) {
      if (error instanceof SelvedgeError && error.status === 404) return null
      throw error
    }
  },
  list: async ({ path }, { filters, include, limit, cursor, signal }) => {
    const { items, total, next } = await api.list(path, {
      ...{ filters: { ...filters }, include: [...include], limit },
      ...(cursor && { cursor }),
      ...(signal && { signal }),
    })
    return { items, totalItems: total, nextCursor: next }
  },
})
