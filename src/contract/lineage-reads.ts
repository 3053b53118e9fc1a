import type { GroupScope } from './group-scope.ts'
import type { Directions } from './lineage.ts'
import type { LineageRecord, WalkNode } from './lineage-graph.ts'
import {
  type GetRelation,
  type LineageRelation,
  type ListRelation,
  lineageIncludes,
  relationName,
} from './lineage-relations.ts'
import type { Resource } from './resource.ts'

/** Reads the records of a lineage walk. */
export interface LineageReader<R extends LineageRecord> {
  /** Null if the record does not exist: references may dangle. */
  get(resource: Resource, id: string, ask: GetAsk): Promise<R | null>
  list(resource: Resource, ask: ListAsk): Promise<LineagePage<R>>
}

interface GetAsk {
  readonly include: readonly string[]
  readonly signal?: AbortSignal | undefined
}

interface ListAsk extends GetAsk {
  readonly filters: { readonly [name: string]: string }
  readonly limit: number
  readonly cursor?: string | undefined
}

export interface LineagePage<R> {
  readonly items: readonly R[]
  readonly totalItems: number
  readonly nextCursor: string | null
}

/** One call of the reader. */
export interface PlannedRead {
  /** The key of the record whose relation is read. */
  readonly from: string
  readonly relation: LineageRelation
  /** The remaining directions from the records that it finds. */
  readonly directions: Directions
  /** Continues a list that was partly read before. */
  readonly after?: TruncatedList<LineageRecord>
}

/** A list with only some of its records in the walk. */
export interface TruncatedList<R extends LineageRecord> {
  /** The key of the record that the list belongs to. */
  readonly from: string
  readonly relation: ListRelation
  readonly total: number
  readonly shown: number
  /** Records that were read but are not part of the walk; null if they are no longer in memory. */
  readonly waiting: readonly R[] | null
  readonly nextCursor: string | null
}

export type ReadResult<R extends LineageRecord> =
  | {
      readonly kind: 'get'
      readonly from: WalkNode<R>
      readonly relation: GetRelation
      readonly record: R | null
    }
  | {
      readonly kind: 'list'
      readonly from: WalkNode<R>
      readonly relation: ListRelation
      readonly page: LineagePage<R>
    }

/** Reads the neighbours of a record. */
export const executeRead = async <R extends LineageRecord>(
  reader: LineageReader<R>,
  nodes: ReadonlyMap<string, WalkNode<R>>,
  { from: key, relation, after }: PlannedRead,
  { scope, signal }: { readonly scope: GroupScope; readonly signal: AbortSignal | undefined },
): Promise<ReadResult<R>> => {
  const from = nodes.get(key) as WalkNode<R>
  const include = lineageIncludes(relation.to, scope)
  if (relation.kind === 'get') {
    const id = String(from.record[relation.field])
    const record = await reader.get(relation.to, id, { include, signal })
    return { kind: 'get', from, relation, record }
  }
  if (after?.waiting && (after.waiting.length > 0 || after.nextCursor === null)) {
    const items = after.waiting as readonly R[]
    const page = { items, totalItems: after.total, nextCursor: after.nextCursor }
    return { kind: 'list', from, relation, page }
  }
  const narrowing = await narrowingOf(reader, nodes, from, relation, signal)
  if (relation.within && typeof narrowing?.[relation.within.field] !== 'string') {
    return { kind: 'list', from, relation, page: { items: [], totalItems: 0, nextCursor: null } }
  }
  const page = await reader.list(relation.to, {
    filters: listFilters(relation, from.record, narrowing),
    include,
    limit: pageSize,
    cursor: after?.nextCursor ?? undefined,
    signal,
  })
  return { kind: 'list', from, relation, page }
}

const pageSize = 25

/** The record that narrows a list, usually one of the walk. */
const narrowingOf = async <R extends LineageRecord>(
  reader: LineageReader<R>,
  nodes: ReadonlyMap<string, WalkNode<R>>,
  from: WalkNode<R>,
  { within }: ListRelation,
  signal: AbortSignal | undefined,
): Promise<R | null> => {
  const id = within && from.record[within.relation.field]
  if (!within || typeof id !== 'string') return null
  const target = nodes.get(targetOf(from, within.relation))?.record
  return target ?? reader.get(within.relation.to, id, { include: [], signal })
}

const listFilters = (
  { filter, by, within }: ListRelation,
  record: LineageRecord | undefined,
  narrowing: LineageRecord | null | undefined,
): { readonly [name: string]: string } => ({
  [filter]: String(record?.[by]),
  ...(within && narrowing && { [within.field]: String(narrowing[within.field]) }),
})

/** The filters of a list that belongs to a record of a walk. */
export const filtersIn = (
  nodes: ReadonlyMap<string, WalkNode<LineageRecord>>,
  key: string,
  relation: ListRelation,
): { readonly [name: string]: string } => {
  const from = nodes.get(key)
  const { within } = relation
  const narrowing = from && within && nodes.get(targetOf(from, within.relation))?.record
  return listFilters(relation, from?.record, narrowing)
}

/** Unique key of a relation of one record. */
export const relationKey = (key: string, relation: LineageRelation): string =>
  `${key} ${relationName(relation)}`

/** The key of a reference's target. */
export const targetOf = (
  { record }: { record: LineageRecord },
  { to, field }: GetRelation,
): string => `${to.path}/${String(record[field])}`
