import { stageIndexOf, type TruncatedList } from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import { type Group, groupAt } from '../contract.ts'
import { type DrawnEdge, edgesOf, type Lineage, type LineageNode } from './lineage.ts'

/** The folded lines of a head, by group. */
export type Folded = { group: Group; count: number; nodes: readonly LineageNode[] }

/** The visible part of a lineage. Lines are folded into their head until the head is opened. */
export type Drawing = {
  start: string
  nodes: readonly LineageNode[]
  edges: readonly DrawnEdge[]
  /** By the key of the head. */
  folded: ReadonlyMap<string, readonly Folded[]>
  truncated: ReadonlyMap<string, TruncatedList<Row>>
}

/** The heads whose lines are visible. */
export type OpenHeads = ReadonlySet<string> | 'all'

export const drawingOf = (lineage: Lineage, open: OpenHeads): Drawing => {
  const isOpen = (key: string) => open === 'all' || open.has(key)
  const shownAs = visibleOf(lineage, isOpen)
  const nodes = [...lineage.nodes.values()].filter(({ key }) => shownAs(key) === key)
  return {
    start: lineage.start,
    nodes,
    edges: edgesOf(lineage, shownAs),
    folded: foldedOf(lineage, shownAs, isOpen),
    truncated: new Map(
      [...lineage.truncated].filter(
        ([, list]) =>
          shownAs(list.from) === list.from && !(isOfLines(lineage, list) && !isOpen(list.from)),
      ),
    ),
  }
}

/**
 * Groups that are steps of the chain although they have a parent: a production run is more than a
 * part of its order.
 */
const steps: ReadonlySet<string> = new Set(['production-runs', 'inventory'])

/** The group along the chain that contains the records of a group as lines or parts. */
const headGroupOf = ({ path, parent, fields }: Group): string | null => {
  if (parent === null || steps.has(path) || stageIndexOf(path) === undefined) return null
  const to = fields.find(({ name }) => name === parent)?.to ?? null
  return to !== null && stageIndexOf(to) !== undefined ? to : null
}

const headOf = (lineage: Lineage, { group, record, key }: LineageNode): string | null => {
  const to = headGroupOf(group)
  // The start of the lineage is always visible.
  if (to === null || group.parent === null || key === lineage.start) return null
  const head = `${to}/${record[group.parent]}`
  return lineage.nodes.has(head) ? head : null
}

/** The visible record that represents a record: itself, or its outermost closed head. */
const visibleOf = (lineage: Lineage, isOpen: (key: string) => boolean) => {
  const drawn = new Map<string, string>()
  for (const node of lineage.nodes.values()) {
    const way = [node.key]
    for (let at: LineageNode | undefined = node; at; ) {
      const head = headOf(lineage, at)
      // References may form a cycle.
      if (head === null || way.includes(head)) break
      way.unshift(head)
      at = lineage.nodes.get(head)
    }
    drawn.set(
      node.key,
      way.find((key, place) => place === way.length - 1 || !isOpen(key)) as string,
    )
  }
  return (key: string): string => drawn.get(key) ?? key
}

const isOfLines = (lineage: Lineage, { from, relation }: TruncatedList<Row>): boolean => {
  const group = groupAt(relation.to.path)
  const head = lineage.nodes.get(from)?.group.path
  return group !== undefined && head !== undefined && headGroupOf(group) === head
}

const foldedOf = (
  lineage: Lineage,
  shownAs: (key: string) => string,
  isOpen: (key: string) => boolean,
): ReadonlyMap<string, readonly Folded[]> => {
  const byHead = new Map<string, Map<Group, LineageNode[]>>()
  const more = new Map<string, number>()
  for (const node of lineage.nodes.values()) {
    const head = shownAs(node.key)
    if (head === node.key) continue
    const groups = byHead.get(head) ?? new Map<Group, LineageNode[]>()
    groups.set(node.group, [...(groups.get(node.group) ?? []), node])
    byHead.set(head, groups)
  }
  for (const list of lineage.truncated.values()) {
    const head = shownAs(list.from)
    if (!isOfLines(lineage, list) || isOpen(list.from)) continue
    const name = `${head} ${list.relation.to.path}`
    more.set(name, (more.get(name) ?? 0) + list.total - list.shown)
  }
  return new Map(
    [...byHead].map(([head, groups]) => [
      head,
      [...groups].map(([group, nodes]) => ({
        ...{ group, nodes },
        count: nodes.length + (more.get(`${head} ${group.path}`) ?? 0),
      })),
    ]),
  )
}
