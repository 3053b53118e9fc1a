import {
  type Edge,
  facts,
  type LineageEvent,
  type LineageRelation,
  lineageRelations,
  type PlannedRead,
  relationKey,
  stageIndexOf,
  type TruncatedList,
  type WalkNode,
} from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import { type Group, groupAt, shortId } from '../contract.ts'
import { type FindRecord, nameOf as nameOfRecord } from '../names.ts'

export type LineageNode = WalkNode<Row> & {
  group: Group
  id: string
  /** The index of its stage; between two stages for groups that are not part of the chain. */
  column: number
}

/** The records found so far and the references between them. Immutable. */
export type Lineage = {
  start: string
  nodes: ReadonlyMap<string, LineageNode>
  references: readonly Edge[]
  /** Lists with more records than are shown, by `relationKey`. */
  truncated: ReadonlyMap<string, TruncatedList<Row>>
  /** The relations that were followed, by `relationKey`. */
  followed: ReadonlySet<string>
  /** What is left to read, and the relations that were planned. */
  pending: { reads: readonly PlannedRead[]; planned: ReadonlySet<string> }
}

export const emptyLineage = (start: string): Lineage => ({
  start,
  nodes: new Map(),
  references: [],
  truncated: new Map(),
  followed: new Set(),
  pending: { reads: [], planned: new Set() },
})

/** The lineage after an event of the walk. */
export const withEvent = (lineage: Lineage, event: LineageEvent<Row>): Lineage => {
  switch (event.kind) {
    case 'node':
    case 'missing': {
      const { key, resource } = event.node
      const group = groupAt(resource.path) as Group
      const id = key.slice(resource.path.length + 1)
      const node = { ...event.node, group, id, column: columnOf(lineage, event) }
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

const columnOf = (
  { nodes }: Lineage,
  { node, arrival }: LineageEvent<Row> & { kind: 'node' | 'missing' },
): number => {
  const stage = stageIndexOf(node.resource.path)
  if (stage !== undefined || !arrival) return stage ?? -1
  const from = nodes.get(arrival.from.key)?.column ?? 0
  return from + (arrival.relation.kind === 'get' ? -0.5 : 0.5)
}

/** Without a list that is about to be continued. */
export const withoutTruncated = (lineage: Lineage, key: string): Lineage => ({
  ...lineage,
  truncated: new Map([...lineage.truncated].filter(([each]) => each !== key)),
})

/** The relations of a record that have not been followed and may lead to more records. */
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

/** One line of the drawing between two records, from what comes first. */
export type DrawnEdge = { key: string; from: string; to: string; label: string }

/**
 * The references between the records, except those that a longer path already shows: an order
 * line's shipment is reached through its production run, so the shortcut is not drawn.
 */
export const edgesOf = (lineage: Lineage): readonly DrawnEdge[] => {
  const pairs = new Map<string, Pair>()
  for (const reference of lineage.references) {
    const [from, to] = [lineage.nodes.get(reference.from), lineage.nodes.get(reference.to)]
    if (!from || !to) continue
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

/** How many records the truncated lists have beyond those that are shown. */
export const hiddenCount = (lineage: Lineage): number =>
  [...lineage.truncated.values()].reduce((sum, { total, shown }) => sum + total - shown, 0)

/** How many records are referred to but do not exist. */
export const missingCount = ({ nodes }: Lineage): number =>
  [...nodes.values()].filter(({ isMissing }) => isMissing).length

/** The name of a record among the others; its quantity is shown separately. */
export const nameOf = (lineage: Lineage, node: LineageNode): string =>
  node.isMissing
    ? shortId(node.id)
    : nameOfRecord(node.group, node.record, { find: findIn(lineage), short: true })

/** The full name of the record that a lineage starts from. */
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

/** The pieces of a line label the edge that leads to it; the money of a settlement is on its node. */
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
