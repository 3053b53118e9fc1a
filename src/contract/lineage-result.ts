import type { Catalog } from './catalog.ts'
import type { Edge, LineageRecord, WalkNode } from './lineage-graph.ts'
import type { PlannedRead, TruncatedList } from './lineage-reads.ts'
import type { LineageRelation } from './lineage-relations.ts'
import { type Arrival, type EndReason, type LineageEvent, walkBounds } from './lineage-walk.ts'
import type { QueryOperation } from './query.ts'

/** Limits of a lineage request of the query API. */
export const lineageLimits = {
  /** Records, including the start. */
  records: { minimum: 1, maximum: 100, default: walkBounds.records },
  /** Steps from the start. Unlimited by default. */
  depth: { minimum: 1, maximum: 100 },
  /** Maximum number of identities to prefer in truncated lists. */
  first: 100,
  /** Bytes of a single read, and of all records together. */
  bytes: 4_194_304,
  timeMs: 8_000,
} as const

/** `up` leads to a record's origins, `down` to its consequences. */
export const lineageDirections = ['up', 'down', 'both'] as const

/** The lineage operations of the query API: one for every record with a `get` endpoint. */
export const lineageOperationsOf = ({ resources }: Catalog): readonly QueryOperation[] =>
  resources
    .filter(({ endpoints, lookup }) => endpoints.includes('get') && lookup === undefined)
    .map((resource) => ({
      id: `lineage${resource.name}`,
      resource,
      path: `/brands/{brand}/${resource.path}/{id}/lineage`,
    }))

/** A record of a walk, and how it was reached. */
export interface ReachedNode<R extends LineageRecord> extends WalkNode<R> {
  /** Null for the start. */
  readonly arrival: Arrival<R> | null
}

/** Everything that a walk has found, and its continuation. */
export interface CollectedLineage<R extends LineageRecord> {
  /** In the order of discovery, the start first. Includes missing records. */
  readonly nodes: ReadonlyMap<string, ReachedNode<R>>
  readonly edges: readonly Edge[]
  readonly truncated: readonly TruncatedList<R>[]
  /** The relations that were read. */
  readonly followed: readonly { readonly from: string; readonly relation: LineageRelation }[]
  readonly reads: number
  readonly reason: EndReason
  /** The reader's error, if the walk failed. */
  readonly error: unknown
  /** The number of records that the walk did not continue from. */
  readonly unfollowed: number
  /** Reads that were planned but not executed. */
  readonly left: readonly PlannedRead[]
}

/** Collects what a walk finds until it ends. */
export const collectLineage = async <R extends LineageRecord>(
  walk: AsyncIterable<LineageEvent<R>>,
): Promise<CollectedLineage<R>> => {
  const nodes = new Map<string, ReachedNode<R>>()
  const edges: Edge[] = []
  const truncated: TruncatedList<R>[] = []
  const followed: { readonly from: string; readonly relation: LineageRelation }[] = []
  let reads = 0
  for await (const event of walk) {
    switch (event.kind) {
      case 'node':
      case 'missing':
        nodes.set(event.node.key, { ...event.node, arrival: event.arrival })
        break
      case 'edge':
        edges.push(event.edge)
        break
      case 'truncated':
        truncated.push(event.list)
        break
      case 'read':
        followed.push({ from: event.from, relation: event.relation })
        reads = event.reads
        break
      case 'ended': {
        const { reason, error, unfollowed, checkpoint } = event
        const graph = { nodes, edges, truncated, followed, reads }
        return { ...graph, reason, error, unfollowed, left: checkpoint.reads }
      }
    }
  }
  throw new RangeError('A walk ends with an event that says why.')
}
