import type { Row } from '../api.ts'
import { type Group, shortId } from '../contract.ts'
import { type FindRecord, nameOf as nameOfRecord } from '../names.ts'
import { columnOf, facts, type Relation, relationName, relationsOf } from './chain.ts'

export type LineageNode = {
  key: string
  group: Group
  id: string
  row: Row
  /** Another record refers to it, and it does not exist: nothing is known but its identity. */
  isMissing: boolean
  /** Its place from the first idea to the money; between two columns for groups beside the chain. */
  column: number
}

/** A list that has more records than are shown. */
export type Rest = {
  key: string
  of: string
  relation: Relation & { kind: 'list' }
  total: number
  shown: number
  /** Records that came with the last page and are not shown yet. */
  waiting: readonly Row[]
  next: string | null
}

/** Joins two records that do not name each other: found through a third collection. */
export type Join = { from: string; to: string }

/** Records and what is known of their neighbours. Never changed; every step makes a new one. */
export type Lineage = {
  start: string
  nodes: ReadonlyMap<string, LineageNode>
  joins: readonly Join[]
  rests: ReadonlyMap<string, Rest>
  /** Relations that were followed, by node and name. */
  followed: ReadonlySet<string>
}

export const beginLineage = (group: Group, row: Row): Lineage => {
  const start = nodeOf(group, row, columnOf(group.path) ?? -1)
  return {
    start: start.key,
    nodes: new Map([[start.key, start]]),
    joins: [],
    rests: new Map(),
    followed: new Set(),
  }
}

export const nodeKey = (group: Group, row: Row): string =>
  `${group.path}/${group.key.map((name) => String(row[name])).join(',')}`

export const relationKey = (key: string, relation: Relation): string =>
  `${key} ${relationName(relation)}`

/** With one more record, found from another. */
export const withRecord = (
  lineage: Lineage,
  group: Group,
  row: Row,
  from: LineageNode,
  relation: Relation,
): Lineage => {
  const key = nodeKey(group, row)
  const nodes = new Map(lineage.nodes)
  if (!nodes.has(key)) nodes.set(key, nodeOf(group, row, columnBeside(group, from, relation)))
  const joined = relation.kind === 'get' || pointsAt(row, relation, from)
  return {
    ...lineage,
    nodes,
    joins: joined ? lineage.joins : [...lineage.joins, { from: from.key, to: key }],
  }
}

/** With a record that is referred to and does not exist. */
export const withMissing = (
  lineage: Lineage,
  from: LineageNode,
  relation: Relation & { kind: 'get' },
): Lineage => {
  const { group, field } = relation
  const row = { [group.idField ?? 'id']: from.row[field] }
  const key = nodeKey(group, row)
  if (lineage.nodes.has(key)) return lineage
  const node = nodeOf(group, row, columnBeside(group, from, relation))
  return { ...lineage, nodes: new Map([...lineage.nodes, [key, { ...node, isMissing: true }]]) }
}

export const withFollowed = (lineage: Lineage, key: string, relation: Relation): Lineage => ({
  ...lineage,
  followed: new Set([...lineage.followed, relationKey(key, relation)]),
})

/** With what is left of a list; without it once nothing is left. */
export const withRest = (lineage: Lineage, rest: Rest): Lineage => {
  const rests = new Map(lineage.rests)
  if (rest.shown < rest.total) rests.set(rest.key, rest)
  else rests.delete(rest.key)
  return { ...lineage, rests }
}

/** One reference between two records, drawn from what comes first. */
export type Edge = { key: string; from: string; to: string; label: string }

/**
 * Every reference among the records, without those that a longer way already tells: an order
 * line's shipment is reached through its run, so the short cut is not drawn.
 */
export const edgesOf = (lineage: Lineage): readonly Edge[] => {
  const pairs = new Map<string, readonly [string, string]>()
  const draw = (one: LineageNode, other: LineageNode) => {
    const [first, second] = one.column <= other.column ? [one, other] : [other, one]
    if (first !== second) pairs.set(`${first.key} ${second.key}`, [first.key, second.key])
  }
  for (const node of lineage.nodes.values()) {
    for (const relation of relationsOf(node.group)) {
      if (relation.kind !== 'get') continue
      const target = lineage.nodes.get(`${relation.group.path}/${node.row[relation.field]}`)
      if (target) draw(target, node)
    }
  }
  for (const { from, to } of lineage.joins) {
    const [one, other] = [lineage.nodes.get(from), lineage.nodes.get(to)]
    if (one && other) draw(one, other)
  }
  return withoutShortCuts([...pairs.values()], lineage).map(([from, to]) => ({
    key: `${from} ${to}`,
    from,
    to,
    label: quantityBetween(lineage.nodes.get(from), lineage.nodes.get(to)),
  }))
}

/** How many records the lists found so far hold beyond those that are shown. */
export const hiddenCount = (lineage: Lineage): number =>
  [...lineage.rests.values()].reduce((sum, { total, shown }) => sum + total - shown, 0)

/** How many records are referred to and do not exist. */
export const missingCount = ({ nodes }: Lineage): number =>
  [...nodes.values()].filter(({ isMissing }) => isMissing).length

/** What a node is called beside the others; its pieces are told apart. */
export const nameOf = (lineage: Lineage, node: LineageNode): string =>
  node.isMissing
    ? shortId(node.id)
    : nameOfRecord(node.group, node.row, { find: findIn(lineage), short: true })

/** What the record that a lineage starts from is called where it stands alone. */
export const nameOfStart = (lineage: Lineage): string => {
  const start = lineage.nodes.get(lineage.start)
  return start ? nameOfRecord(start.group, start.row, { find: findIn(lineage) }) : ''
}

const findIn =
  ({ nodes }: Lineage): FindRecord =>
  (row, { name, to }) => {
    const found = nodes.get(`${to}/${row[name]}`)
    return found && !found.isMissing ? found : null
  }

const nodeOf = (group: Group, row: Row, column: number): LineageNode => {
  const key = nodeKey(group, row)
  return { key, group, id: key.slice(group.path.length + 1), row, isMissing: false, column }
}

const columnBeside = (group: Group, from: LineageNode, relation: Relation): number =>
  columnOf(group.path) ?? from.column + (relation.kind === 'get' ? -0.5 : 0.5)

const pointsAt = (row: Row, { group, filter }: Relation & { kind: 'list' }, from: LineageNode) =>
  group.filters.some(
    ({ name, field, to }) =>
      name === filter && to === from.group.path && field !== null && row[field] === from.id,
  )

/** A line's pieces belong on the way that leads to it; a settlement's money is on its node. */
const quantityBetween = (from?: LineageNode, to?: LineageNode): string => {
  const field = to && facts[to.group.path]?.quantity
  const isLine = to && facts[to.group.path]?.title === ''
  if (!from || !to || !field || !isLine) return ''
  const carries = facts[from.group.path]?.quantity !== undefined
  return carries ? String(to.row[field] ?? '') : ''
}

type Pair = readonly [string, string]

const withoutShortCuts = (pairs: readonly Pair[], { nodes }: Lineage): readonly Pair[] => {
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
