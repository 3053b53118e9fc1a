import { type GroupScope, wholeScope } from './group-scope.ts'
import { type Directions, directionsAfter, type Step } from './lineage.ts'
import {
  createLineageGraph,
  type Edge,
  identityIn,
  isRecord,
  type LineageRecord,
  lineageKey,
  refersTo,
  type WalkNode,
} from './lineage-graph.ts'
import {
  executeRead,
  type LineagePage,
  type LineageReader,
  type PlannedRead,
  type ReadResult,
  relationKey,
  type TruncatedList,
  targetOf,
} from './lineage-reads.ts'
import {
  type GetRelation,
  includedRelations,
  isWithin,
  type LineageRelation,
  type ListRelation,
  relationOfStep,
  stepsFrom,
} from './lineage-relations.ts'
import type { Resource } from './resource.ts'

/**
 * The walk along the chain from one record, up to its origins and down to its consequences. The
 * console folds its events into a drawing, the MCP tools into text. It also runs in browsers.
 */

export interface WalkBounds {
  /** Records in the walk, including the start. Missing ones do not count. */
  readonly records: number
  /** Steps from the start. */
  readonly depth: number
  /** Calls of the reader. */
  readonly reads: number
  readonly readsAtOnce: number
  /** Records that lists may add to one group. */
  readonly recordsPerGroup: number
  /** Lists of up to `wholeList` records are added whole, longer ones up to `firstOfList`. */
  readonly wholeList: number
  readonly firstOfList: number
}

export const walkBounds: WalkBounds = {
  records: 80,
  depth: Number.POSITIVE_INFINITY,
  reads: 80,
  readsAtOnce: 4,
  recordsPerGroup: 6,
  wholeList: 5,
  firstOfList: 3,
}

/** How a node was reached. */
export interface Arrival<R extends LineageRecord> {
  readonly from: WalkNode<R>
  readonly relation: LineageRelation
}

export type EndReason = 'complete' | 'depth' | 'records' | 'reads' | 'cancelled' | 'failed'

export type LineageEvent<R extends LineageRecord> =
  /** A record joins the walk. The first one is the start, which has no arrival. */
  | {
      readonly kind: 'node' | 'missing'
      readonly node: WalkNode<R>
      readonly arrival: Arrival<R> | null
    }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'truncated'; readonly list: TruncatedList<R> }
  /** A relation was followed. The events of its records came before. */
  | {
      readonly kind: 'read'
      readonly from: string
      readonly relation: LineageRelation
      /** Reads so far. */
      readonly reads: number
    }
  /** Always the last event. */
  | {
      readonly kind: 'ended'
      readonly reason: EndReason
      /** The reader's error, if the walk failed. */
      readonly error: unknown
      /** The number of records that the walk did not continue from. */
      readonly unfollowed: number
      readonly checkpoint: Checkpoint<R>
    }

/** The state from which a walk that ended early can continue. */
export interface Checkpoint<R extends LineageRecord> {
  readonly nodes: ReadonlyMap<string, WalkNode<R>>
  readonly reads: readonly PlannedRead[]
  /** The relations that were planned, by `relationKey`. */
  readonly planned: ReadonlySet<string>
}

export interface WalkOptions {
  readonly directions?: Directions
  readonly bounds?: WalkBounds
  /** Identities of records to prefer in truncated lists. */
  readonly prefer?: ReadonlySet<string>
  /** The groups that the walk enters; all by default. */
  readonly scope?: GroupScope
  /** Ends the walk. `AbortSignal.timeout()` sets a time limit. */
  readonly signal?: AbortSignal | undefined
}

/** The start of a new walk, read with `lineageIncludes`, or the checkpoint of an earlier one. */
export type WalkStart<R extends LineageRecord> =
  | { readonly resource: Resource; readonly record: R }
  | Checkpoint<R>

/** A record that the walk has reached, and the directions that it may continue in. */
interface WalkState {
  readonly node: WalkNode<LineageRecord>
  readonly directions: Directions
  /** The group that the walk came from, to which it does not return. */
  readonly back: string | null
}

/**
 * Walks breadth first and yields events until the chain is complete, a bound is reached or the
 * signal aborts. A failed read also ends the walk: the last event has the error, and the checkpoint
 * to continue from.
 */
export async function* walkLineage<R extends LineageRecord>(
  reader: LineageReader<R>,
  start: WalkStart<R>,
  options: WalkOptions = {},
): AsyncGenerator<LineageEvent<R>, void> {
  const { directions = { up: true, down: true }, bounds = walkBounds, prefer, signal } = options
  const { scope = wholeScope } = options
  const isNew = 'record' in start
  const graph = createLineageGraph<R>(isNew ? [] : start.nodes.values())
  const { nodes } = graph
  const planned = new Set(isNew ? [] : start.planned)
  let queue: readonly PlannedRead[] = isNew ? [] : start.reads
  let reads = 0
  const frontier: WalkState[] = []
  const tooDeep: PlannedRead[] = []

  const isFull = () => graph.count() >= bounds.records

  /** A walk that only goes down skips the origins of each record. */
  const isWanted = ({ direction, line }: Step) => directions.up || line || direction === 'down'

  function* addNode(node: WalkNode<R>, arrival: Arrival<R> | null): Iterable<LineageEvent<R>> {
    const edges = graph.add(node)
    yield { kind: node.isMissing ? 'missing' : 'node', node, arrival }
    for (const edge of edges) yield { kind: 'edge', edge }
  }

  /** Adds a record and its included records. */
  function* addRecord(
    resource: Resource,
    record: R,
    depth: number,
    onward: Omit<WalkState, 'node'>,
    arrival: Arrival<R> | null,
  ): Iterable<LineageEvent<R>> {
    const key = lineageKey(resource, record)
    if (nodes.has(key) || isFull()) return
    const own = withoutIncluded(resource, record)
    const node = { key, resource, record: own, depth, isMissing: false }
    yield* addNode(node, arrival)
    frontier.push({ node, ...onward })
    if (depth >= bounds.depth) return
    for (const relation of includedRelations(resource)) {
      const included = record[relation.include]
      const step = stepsFrom(resource).find(({ to }) => to === relation.to.path)
      if (!isRecord<R>(included) || !step || !isWanted(step)) continue
      const left = directionsAfter(onward.directions, step, 'get') ?? { up: false, down: false }
      const next = { directions: left, back: resource.path }
      yield* addRecord(relation.to, included, depth + 1, next, { from: node, relation })
    }
  }

  function* addPage(
    from: WalkNode<R>,
    relation: ListRelation,
    read: PlannedRead,
    page: LineagePage<R>,
  ): Iterable<LineageEvent<R>> {
    const { to } = relation
    const max = page.totalItems <= bounds.wholeList ? bounds.wholeList : bounds.firstOfList
    let added = 0
    // A list that is read from the start again repeats records that are already shown.
    let shown = read.after?.waiting ? read.after.shown : 0
    const waiting: R[] = []
    for (const record of preferredFirst(to, page.items, prefer)) {
      const key = lineageKey(to, record)
      if (!nodes.has(key)) {
        if (added >= max || isFull() || graph.count(to.path) >= bounds.recordsPerGroup) {
          waiting.push(record)
          continue
        }
        added += 1
        const onward = { directions: read.directions, back: from.resource.path }
        yield* addRecord(to, record, from.depth + 1, onward, { from, relation })
      }
      shown += 1
      if (!refersTo(to, record, from.key)) {
        yield { kind: 'edge', edge: { from: key, to: from.key, via: relation.filter } }
      }
    }
    const { totalItems: total, nextCursor } = page
    const list = { from: from.key, relation, total, shown, waiting, nextCursor }
    if (shown < total) yield { kind: 'truncated', list }
  }

  function* addTarget(
    from: WalkNode<R>,
    relation: GetRelation,
    read: PlannedRead,
    record: R | null,
  ): Iterable<LineageEvent<R>> {
    const arrival = { from, relation }
    const depth = from.depth + 1
    if (record) {
      const onward = { directions: read.directions, back: from.resource.path }
      yield* addRecord(relation.to, record, depth, onward, arrival)
    } else if (!nodes.has(targetOf(from, relation))) {
      yield* addNode({ ...missingTarget(from, relation), depth, isMissing: true }, arrival)
    }
  }

  const plan = (states: readonly WalkState[]): readonly PlannedRead[] =>
    states.flatMap((state) =>
      stepsFrom(state.node.resource)
        .filter((step) => step.to !== state.back && isWanted(step))
        .flatMap((step): PlannedRead[] => {
          const candidate = relationOfStep(state.node.resource, step)
          const relation = candidate && isWithin(scope, candidate) ? candidate : undefined
          const left = relation && directionsAfter(state.directions, step, relation.kind)
          const key = relation && relationKey(state.node.key, relation)
          if (!relation || !left || !key || planned.has(key)) return []
          planned.add(key)
          return [{ from: state.node.key, relation, directions: left }]
        }),
    )

  /** A null reference, or one to a record of the walk, needs no read. */
  const isOpen = ({ from, relation }: PlannedRead): boolean => {
    const node = nodes.get(from)
    if (!node) return false
    if (relation.kind === 'list') return typeof node.record[relation.by] === 'string'
    return typeof node.record[relation.field] === 'string' && !nodes.has(targetOf(node, relation))
  }

  const ended = (reason: EndReason, error?: unknown): LineageEvent<R> => {
    const left = [...queue, ...tooDeep, ...plan(frontier)].filter(isOpen)
    const unfollowed = new Set(left.map(({ from }) => from)).size
    return { kind: 'ended', reason, error, unfollowed, checkpoint: { nodes, reads: left, planned } }
  }

  const boundReached = (): EndReason | null => {
    if (signal?.aborted) return 'cancelled'
    if (reads >= bounds.reads) return 'reads'
    return isFull() ? 'records' : null
  }

  if (isNew) {
    yield* addRecord(start.resource, start.record, 0, { directions, back: null }, null)
  }
  while (queue.length > 0 || frontier.length > 0) {
    if (queue.length === 0) {
      const next = plan(frontier.splice(0)).filter(isOpen)
      const isTooDeep = ({ from }: PlannedRead) => (nodes.get(from)?.depth ?? 0) >= bounds.depth
      tooDeep.push(...next.filter(isTooDeep))
      queue = next.filter((read) => !isTooDeep(read))
      continue
    }
    queue = queue.filter(isOpen)
    if (queue.length === 0) continue
    const reason = boundReached()
    if (reason) return yield ended(reason)
    const batch = queue.slice(0, Math.min(bounds.readsAtOnce, bounds.reads - reads))
    let results: readonly ReadResult<R>[]
    try {
      results = await Promise.all(
        batch.map((read) => executeRead(reader, nodes, read, { scope, signal })),
      )
    } catch (error) {
      return yield signal?.aborted ? ended('cancelled') : ended('failed', error)
    }
    reads += batch.length
    queue = queue.slice(batch.length)
    const withoutRoom: PlannedRead[] = []
    for (const [index, result] of results.entries()) {
      const read = batch[index] as PlannedRead
      if (result.kind === 'get' && result.record && isFull() && isOpen(read)) {
        withoutRoom.push(read)
        continue
      }
      if (result.kind === 'get') yield* addTarget(result.from, result.relation, read, result.record)
      else yield* addPage(result.from, result.relation, read, result.page)
      yield { kind: 'read', from: read.from, relation: read.relation, reads }
    }
    queue = [...withoutRoom, ...queue]
  }
  yield ended(tooDeep.length > 0 ? 'depth' : 'complete')
}

/** A missing record has only its identifier. */
const missingTarget = <R extends LineageRecord>(from: WalkNode<R>, relation: GetRelation) => {
  const { field, to } = relation
  const record = { [to.key[0] ?? 'id']: from.record[field] } as LineageRecord
  return { key: targetOf(from, relation), resource: to, record: record as R }
}

const withoutIncluded = <R extends LineageRecord>({ fields }: Resource, record: R): R =>
  Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(fields, name))) as R

const preferredFirst = <R extends LineageRecord>(
  resource: Resource,
  records: readonly R[],
  prefer?: ReadonlySet<string>,
): readonly R[] => {
  if (!prefer || prefer.size === 0) return records
  const rank = (record: R) => (prefer.has(identityIn(resource, record)) ? 0 : 1)
  return records.toSorted((a, b) => rank(a) - rank(b))
}
