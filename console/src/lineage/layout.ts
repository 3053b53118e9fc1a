import { Graph, layout } from '@dagrejs/dagre'
import type { Drawing } from './drawing.ts'
import { type DrawnEdge, type Lineage, nameOf } from './lineage.ts'
import { type Item, settle } from './settle.ts'

export const nodeSize = { width: 192, height: 66 }
/** The row with the text about folded lines. */
const foldedHeight = 44
const moreHeight = 30
const columnGap = 36
const rowGap = 10
/** The height of an edge that passes between boxes. */
const laneHeight = 6
const headerHeight = 30

export type Box = { key: string; x: number; y: number; width: number; height: number }

/** The layout in pixels. Boxes are positioned by their upper left corner. */
export type Layout = {
  width: number
  height: number
  nodes: readonly Box[]
  /** The boxes of truncated lists. */
  more: readonly Box[]
  edges: readonly Route[]
  columns: readonly { column: number; x: number }[]
}

/** The route of an edge and the position of its label. */
export type Route = DrawnEdge & { path: string; end: Point }

type Point = { x: number; y: number }
type Placed = { key: string; column: number; height: number }

/**
 * Columns are the stages of the chain. Dagre orders the items of each column, with lanes for edges
 * that cross it. `settle` then packs the heights.
 */
export const layoutOf = (lineage: Lineage, drawing: Drawing): Layout => {
  const nodes = nodesOf(lineage, drawing)
  const more = moreBoxesOf(drawing)
  const placed = [...nodes, ...more]
  const values = [...new Set(placed.map(({ column }) => column))].toSorted((a, b) => a - b)
  const rankOf = new Map(placed.map(({ key, column }) => [key, values.indexOf(column)]))
  const rank = (key: string) => rankOf.get(key) ?? 0

  const { edges } = drawing
  const toMore = more.map(({ key, of }): DrawnEdge => {
    const [from, to] = rank(of) <= rank(key) ? [of, key] : [key, of]
    return { key: `more ${key}`, from, to, label: '' }
  })
  const across = [...edges, ...toMore].filter(({ from, to }) => rank(from) < rank(to))
  const { order, lanes } = orderOf(placed, across, rank)

  const joined = new Map<string, string[]>()
  const join = (a: string, b: string) => {
    joined.set(a, [...(joined.get(a) ?? []), b])
    joined.set(b, [...(joined.get(b) ?? []), a])
  }
  for (const { key, from, to } of across) {
    const way = [from, ...(lanes.get(key) ?? []), to]
    for (const [place, next] of way.slice(1).entries()) join(way[place] as string, next)
  }
  const tops = settle(order, joined)

  const xOf = (column: number) => column * (nodeSize.width + columnGap)
  const boxOf = ({ key, height }: Placed): Box => {
    const y = (tops.get(key) ?? 0) + headerHeight
    return { key, x: xOf(rank(key)), y, width: nodeSize.width, height }
  }
  const boxes = new Map(placed.map((each) => [each.key, boxOf(each)]))
  const routes = [...edges, ...toMore].flatMap((edge) => {
    const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)]
    if (!from || !to) return []
    const ys = (lanes.get(edge.key) ?? []).map(
      (lane) => (tops.get(lane) ?? 0) + headerHeight + laneHeight / 2,
    )
    return [from.x === to.x ? routeWithin(edge, from, to) : routeAcross(edge, from, to, ys)]
  })
  const all = [...boxes.values()]
  return {
    width: xOf(values.length) - columnGap,
    height: Math.max(0, ...all.map(({ y, height }) => y + height)),
    nodes: nodes.map(boxOf),
    more: more.map(boxOf),
    edges: routes,
    columns: values.map((column, place) => ({ column, x: xOf(place) })),
  }
}

const nodesOf = (lineage: Lineage, { nodes, folded }: Drawing): readonly Placed[] =>
  nodes
    .map((node) => ({ node, name: nameOf(lineage, node) }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    .map(({ node: { key, column } }) => ({
      ...{ key, column },
      height: nodeSize.height + (folded.has(key) ? foldedHeight : 0),
    }))

/** The box of a truncated list is in the column of its visible records. */
const moreBoxesOf = ({ nodes, truncated }: Drawing): readonly (Placed & { of: string })[] =>
  [...truncated].map(([key, { from, relation }]) => {
    const shown = nodes.find(({ resource }) => resource === relation.to)
    const beside = (nodes.find((node) => node.key === from)?.column ?? 0) + 0.5
    return { key, of: from, column: shown?.column ?? beside, height: moreHeight }
  })

type Order = {
  /** The items of every column from top to bottom. */
  order: readonly (readonly Item[])[]
  /** The lanes of each edge through the columns that it crosses. */
  lanes: ReadonlyMap<string, readonly string[]>
}

const orderOf = (
  placed: readonly Placed[],
  edges: readonly DrawnEdge[],
  rank: (key: string) => number,
): Order => {
  const graph = new Graph({ multigraph: true })
  const keys = new Set(placed.map(({ key }) => key))
  graph.setDefaultEdgeLabel(() => ({}))
  graph.setGraph({
    rankdir: 'LR',
    nodesep: rowGap,
    edgesep: laneHeight,
    ranksep: columnGap,
    // Dagre reserves every second rank for edge labels, and adds a root node.
    ranker: (ranked: Graph) => {
      for (const name of ranked.nodes())
        ranked.node(name).rank = keys.has(name) ? rank(name) * 2 : -1
    },
  })
  for (const { key, height } of placed) graph.setNode(key, { width: nodeSize.width, height })
  for (const { key, from, to } of edges) graph.setEdge(from, to, {}, key)
  layout(graph)

  const lanes = new Map<string, readonly string[]>()
  const ordered = placed.map((each) => ({
    item: { key: each.key, column: rank(each.key), height: each.height, gap: rowGap },
    y: graph.node(each.key).y as number,
  }))
  for (const { key, from, to } of edges) {
    const { points } = graph.edge(from, to, key) as { points: Point[] }
    const passed = Array.from({ length: rank(to) - rank(from) - 1 }, (_, step) => {
      const lane = `${key} ${step}`
      const item = { key: lane, column: rank(from) + step + 1, height: laneHeight, gap: 2 }
      ordered.push({ item, y: points[2 * (step + 1)]?.y ?? 0 })
      return lane
    })
    lanes.set(key, passed)
  }
  const count = Math.max(...ordered.map(({ item }) => item.column)) + 1
  const order = Array.from({ length: count }, (_, column) =>
    ordered
      .filter(({ item }) => item.column === column)
      .toSorted((a, b) => a.y - b.y)
      .map(({ item }) => item),
  )
  return { order, lanes }
}

/** Leaves on the right side, runs straight through its lanes and enters on the left side. */
const routeAcross = (edge: DrawnEdge, from: Box, to: Box, lanes: readonly number[]): Route => {
  const start = { x: from.x + from.width, y: from.y + from.height / 2 }
  const end = { x: to.x, y: to.y + to.height / 2 }
  const step = nodeSize.width + columnGap
  let at: Point = start
  let path = `M ${start.x} ${start.y}`
  for (const [place, y] of lanes.entries()) {
    const x = from.x + (place + 1) * step
    path += `${bend(at, { x, y })} H ${x + nodeSize.width}`
    at = { x: x + nodeSize.width, y }
  }
  return { ...edge, path: path + bend(at, end), end }
}

const bend = (from: Point, to: Point): string => {
  const half = (from.x + to.x) / 2
  return ` C ${half} ${from.y} ${half} ${to.y} ${to.x} ${to.y}`
}

/** Connects two records of one column around their left side. */
const routeWithin = (edge: DrawnEdge, from: Box, to: Box): Route => {
  const [a, b] = [from.y + from.height / 2, to.y + to.height / 2]
  const path = `M ${from.x} ${a} C ${from.x - 22} ${a} ${from.x - 22} ${b} ${from.x} ${b}`
  return { ...edge, path, end: { x: from.x, y: b } }
}
