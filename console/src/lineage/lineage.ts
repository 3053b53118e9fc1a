import type { Lineage as LineageBody } from '../../../client/src/index.ts'
import {
  catalog,
  type Edge,
  facts,
  type LineageEvent,
  type LineageRelation,
  lineageRelations,
  type PlannedRead,
  relationKey,
  relationNamed,
  resourceAt,
  stageIndexOf,
  type TruncatedList,
  type WalkNode,
} from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import { type Group, groupAt, shortId } from '../contract.ts'
import { type FindRecord, nameOf as nameOfRecord } from '../names.ts'
import { groupTitle } from '../texts/contract.ts'

export type LineageNode = WalkNode<Row> & {
  group: Group
  id: string
  /** The index of its stage; between two stages if the group is not part of the chain. */
  column: number
}

/** The records found so far and the references between them. Immutable. */
export type Lineage = {
  start: string
  nodes: ReadonlyMap<string, LineageNode>
  references: readonly Edge[]
  /** Lists that are only partly shown, by `relationKey`. */
  truncated: ReadonlyMap<string, TruncatedList<Row>>
  /** The relations followed so far, by `relationKey`. */
  followed: ReadonlySet<string>
  /** The remaining reads, and the relations already planned. */
  pending: { reads: readonly PlannedRead[]; planned: ReadonlySet<string> }
}

/** Applies an event of the walk. */
export const withEvent = (lineage: Lineage, event: LineageEvent<Row>): Lineage => {
  switch (event.kind) {
    case 'node':
    case 'missing': {
      const { key, resource } = event.node
      const group = groupAt(resource.path) as Group
      const id = key.slice(resource.path.length + 1)
      const from = event.arrival && lineage.nodes.get(event.arrival.from.key)
      const column = columnOf(resource.path, from, event.arrival?.relation.kind)
      const node = { ...event.node, group, id, column }
      return { ...lineage, nodes: new Map([...lineage.nodes, [key, node]]) }
    }
    case 'edge':
      return { ...lineage, references: [...lineage.references, event.edge] }
    case 'truncated': {
      const { list } = event
      const key = relationKey(list.from, list.relation)
      return { ...lineage, truncated: new Map([...lineage.truncated, [key, list]]) }
    }
    case 'read': {
      const key = relationKey(event.from, event.relation)
      return { ...lineage, followed: new Set([...lineage.followed, key]) }
    }
    case 'ended': {
      const { reads, planned } = event.checkpoint
      return { ...lineage, pending: { reads, planned } }
    }
  }
}

/** The column of a record, from its group and the relation that reached it, if any. */
const columnOf = (
  path: string,
  from: LineageNode | null | undefined,
  kind: LineageRelation['kind'] | undefined,
): number => {
  const stage = stageIndexOf(path)
  if (stage !== undefined || kind === undefined) return stage ?? -1
  return (from?.column ?? 0) + (kind === 'get' ? -0.5 : 0.5)
}

/** Converts a lineage from the server. */
export const lineageIn = (body: LineageBody): Lineage => {
  const nodes: LineageNode[] = []
  const at = (place: number): LineageNode => nodes[place] as LineageNode
  for (const { group: path, id, depth, isMissing, reachedBy, record } of body.records) {
    const from = reachedBy && at(reachedBy.record)
    const kind = from ? relationAt(from, reachedBy?.relation).kind : undefined
    nodes.push({
      ...{ key: `${path}/${id}`, id, depth, isMissing, record },
      resource: resourceAt(catalog, path),
      group: groupAt(path) as Group,
      column: columnOf(path, from, kind),
    })
  }
  const truncated = body.truncated.map((list): [string, TruncatedList<Row>] => {
    const from = at(list.record)
    const relation = relationAt(from, list.relation) as TruncatedList<Row>['relation']
    const { totalItems: total, shown } = list
    const key = relationKey(from.key, relation)
    return [key, { from: from.key, relation, total, shown, waiting: null, nextCursor: null }]
  })
  const followed = body.followed.map(({ record, relation }) =>
    relationKey(at(record).key, relationAt(at(record), relation)),
  )
  const reads = body.left.map(({ record, relation, up, down }): PlannedRead => {
    const from = at(record)
    return { from: from.key, relation: relationAt(from, relation), directions: { up, down } }
  })
  return {
    start: at(0).key,
    nodes: new Map(nodes.map((node) => [node.key, node])),
    references: body.references.map(({ from, to, via }) => ({
      from: at(from).key,
      to: at(to).key,
      via,
    })),
    truncated: new Map(truncated),
    followed: new Set(followed),
    pending: {
      reads,
      planned: new Set([
        ...followed,
        ...reads.map(({ from, relation }) => relationKey(from, relation)),
      ]),
    },
  }
}

const relationAt = ({ resource }: LineageNode, name = ''): LineageRelation => {
  const relation = relationNamed(resource, name)
  if (!relation) throw new RangeError(`${resource.path} has no relation ${name}.`)
  return relation
}

/** Removes a list that is about to be continued. */
export const withoutTruncated = (lineage: Lineage, key: string): Lineage => ({
  ...lineage,
  truncated: new Map([...lineage.truncated].filter(([each]) => each !== key)),
})

/** The relations of a record that were not followed yet and may lead to more records. */
export const openRelations = (lineage: Lineage, node: LineageNode): readonly LineageRelation[] =>
  lineageRelations(node.resource).filter(
    (relation) =>
      !node.isMissing &&
      !lineage.followed.has(relationKey(node.key, relation)) &&
      (relation.kind === 'list'
        ? relation.to.endpoints.includes('list')
        : typeof node.record[relation.field] === 'string' &&
          !lineage.nodes.has(`${relation.to.path}/${node.record[relation.field]}`)),
  )

/** One drawn line between two records, from the earlier to the later one. */
export type DrawnEdge = { key: string; from: string; to: string; label: string }

/**
 * The references between the records. Omits those that a longer path already shows: an order line
 * reaches its shipment through its production run, so there is no direct line. A hidden record
 * passes its references to the record that represents it.
 */
export const edgesOf = (
  lineage: Lineage,
  shownAs: (key: string) => string = (key) => key,
): readonly DrawnEdge[] => {
  const pairs = new Map<string, Pair>()
  for (const reference of lineage.references) {
    const from = lineage.nodes.get(shownAs(reference.from))
    const to = lineage.nodes.get(shownAs(reference.to))
    if (!from || !to || from === to) continue
    const [first, second] = to.column <= from.column ? [to, from] : [from, to]
    pairs.set(`${first.key} ${second.key}`, [first.key, second.key])
  }
  return withoutShortcuts([...pairs.values()], lineage).map(([from, to]) => ({
    key: `${from} ${to}`,
    from,
    to,
    label: quantityBetween(lineage.nodes.get(from), lineage.nodes.get(to)),
  }))
}

/** The number of records of truncated lists that are not shown. */
export const hiddenCount = (lineage: Lineage): number =>
  [...lineage.truncated.values()].reduce((sum, { total, shown }) => sum + total - shown, 0)

/** The number of referenced records that do not exist. */
export const missingCount = ({ nodes }: Lineage): number =>
  [...nodes.values()].filter(({ isMissing }) => isMissing).length

/** The short name of a record; its quantity is shown separately. */
export const nameOf = (lineage: Lineage, node: LineageNode): string =>
  node.isMissing
    ? shortId(node.id)
    : nameOfRecord(node.group, node.record, { find: findIn(lineage), short: true })

/** `Order Items`: the records that a relation leads to. */
export const titleOfTarget = ({ to }: LineageRelation): string => {
  const group = groupAt(to.path)
  return group ? groupTitle(group) : to.group
}

/** The full name of the start of a lineage. */
export const nameOfStart = (lineage: Lineage): string => {
  const start = lineage.nodes.get(lineage.start)
  return start ? nameOfRecord(start.group, start.record, { find: findIn(lineage) }) : ''
}

const findIn =
  ({ nodes }: Lineage): FindRecord =>
  (row, { name, to }) => {
    const node = nodes.get(`${to}/${row[name]}`)
    return node && !node.isMissing ? { group: node.group, row: node.record } : null
  }

/**
 * The pieces of a line are the label of the edge to it. The amount of a settlement is on its node.
 */
const quantityBetween = (from?: LineageNode, to?: LineageNode): string => {
  const field = to && facts[to.group.path]?.quantity
  const isLine = to && facts[to.group.path]?.title === ''
  if (!from || !to || !field || !isLine) return ''
  const carries = facts[from.group.path]?.quantity !== undefined
  return carries ? String(to.record[field] ?? '') : ''
}

type Pair = readonly [string, string]

const withoutShortcuts = (pairs: readonly Pair[], { nodes }: Lineage): readonly Pair[] => {
  const following = new Map<string, string[]>()
  for (const [from, to] of pairs) following.set(from, [...(following.get(from) ?? []), to])
  const level = (key: string) => nodes.get(key)?.column ?? 0
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    (following.get(from) ?? []).some((next) => {
      if (next === to) return true
      if (seen.has(next) || level(next) >= level(to)) return false
      seen.add(next)
      return reaches(next, to, seen)
    })
  return pairs.filter(
    ([from, to]) =>
      !(following.get(from) ?? []).some(
        (next) =>
          next !== to && level(next) < level(to) && reaches(next, to, new Set([from, next])),
      ),
  )
}
