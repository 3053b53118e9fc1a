import { Graph, layout } from '@dagrejs/dagre'
import { type Edge, edgesOf, type Lineage, nameOf } from './lineage.ts'

export const nodeSize = { width: 184, height: 66 }
const restHeight = 32
const columnGap = 46
const rowGap = 12
const headerHeight = 34

export type Box = { key: string; x: number; y: number; width: number; height: number }

/** Where everything stands, in pixels; boxes by their upper left corner. */
export type Layout = {
  width: number
  height: number
  nodes: readonly Box[]
  rests: readonly Box[]
  edges: readonly Route[]
  columns: readonly { column: number; x: number }[]
}

export type Route = Edge & { path: string; middle: { x: number; y: number } }

/**
 * Columns are the stages of the chain; the order within them, and the ways of the edges, are
 * dagre's. A list that has more stands below the records it has shown.
 */
export const layoutOf = (lineage: Lineage): Layout => {
  const nodes = [...lineage.nodes.values()].toSorted((a, b) =>
    nameOf(lineage, a).localeCompare(nameOf(lineage, b), 'en', { numeric: true }),
  )
  const rests = [...lineage.rests.values()].map((rest) => ({
    ...rest,
    column: restColumn(lineage, rest.relation.group.path, rest.of),
  }))
  const values = [...new Set([...nodes, ...rests].map(({ column }) => column))].toSorted(
    (a, b) => a - b,
  )
  const columns = new Map([...nodes, ...rests].map(({ key, column }) => [key, column]))
  // Dagre keeps every second rank for the labels of edges, and has a root of its own.
  const rankOf = (column: number) => values.indexOf(column) * 2

  const graph = new Graph({ multigraph: true })
  graph.setDefaultEdgeLabel(() => ({}))
  graph.setGraph({
    rankdir: 'LR',
    nodesep: rowGap,
    edgesep: 8,
    ranksep: columnGap,
    ranker: (ranked: Graph) => {
      for (const name of ranked.nodes()) {
        const column = columns.get(name)
        ranked.node(name).rank = column === undefined ? -1 : rankOf(column)
      }
    },
  })
  for (const { key } of nodes) graph.setNode(key, { ...nodeSize })
  for (const { key } of rests) {
    graph.setNode(key, { width: nodeSize.width, height: restHeight })
  }
  const edges = edgesOf(lineage)
  const columnOfKey = (key: string) => lineage.nodes.get(key)?.column ?? 0
  const across = edges.filter(({ from, to }) => columnOfKey(from) < columnOfKey(to))
  for (const { key, from, to } of across) graph.setEdge(from, to, { weight: 1 }, key)
  for (const { key, of, column } of rests) {
    if (columnOfKey(of) < column) graph.setEdge(of, key, { weight: 1 }, key)
    if (columnOfKey(of) > column) graph.setEdge(key, of, { weight: 1 }, key)
  }
  layout(graph)

  const boxOf = ({ key }: { key: string }): Box => {
    const { x, y, width, height } = graph.node(key)
    return { key, x: x - width / 2, y: y - height / 2 + headerHeight, width, height }
  }
  const boxes = nodes.map(boxOf)
  const byKey = new Map(boxes.map((box) => [box.key, box]))
  const restBoxes = rests.map(boxOf)
  const routes = edges.flatMap((edge) => {
    const points: Point[] =
      edge.key && graph.hasEdge(edge.from, edge.to, edge.key)
        ? graph.edge(edge.from, edge.to, edge.key).points
        : []
    return routeOf(edge, byKey, points)
  })
  const restRoutes = rests.flatMap(({ key, of }, place) => {
    const [one, other] = [byKey.get(of), restBoxes[place]]
    if (!one || !other) return []
    const ends = one.x < other.x ? [one, other] : [other, one]
    const edge = { key: `rest ${key}`, from: of, to: key, label: '' }
    return [routeBetween(edge, ends[0] as Box, ends[1] as Box, [])]
  })
  const everything = [...boxes, ...restBoxes]
  return {
    width: Math.max(0, ...everything.map(({ x, width }) => x + width)),
    height: Math.max(0, ...everything.map(({ y, height }) => y + height)),
    nodes: boxes,
    rests: restBoxes,
    edges: [...routes, ...restRoutes],
    columns: values.map((column) => ({
      column,
      x: Math.min(
        ...[...nodes, ...rests].flatMap((each) => (each.column === column ? [boxOf(each).x] : [])),
      ),
    })),
  }
}

type Point = { x: number; y: number }

const restColumn = (lineage: Lineage, path: string, of: string): number => {
  const sibling = [...lineage.nodes.values()].find(({ group }) => group.path === path)
  return sibling?.column ?? (lineage.nodes.get(of)?.column ?? 0) + 0.5
}

const routeOf = (edge: Edge, boxes: ReadonlyMap<string, Box>, points: readonly Point[]) => {
  const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)]
  if (!from || !to) return []
  return [from.x === to.x ? routeWithin(edge, from, to) : routeBetween(edge, from, to, points)]
}

/** Out of the right side, through the points that dagre kept free, into the left side. */
const routeBetween = (edge: Edge, from: Box, to: Box, points: readonly Point[]): Route => {
  const start = { x: from.x + from.width, y: from.y + from.height / 2 }
  const end = { x: to.x, y: to.y + to.height / 2 }
  const between = points
    .slice(1, -1)
    .map(({ x, y }) => ({ x, y: y + headerHeight }))
    .filter(({ x }) => x > start.x && x < end.x)
  const stops = [start, ...between, end]
  const path = stops.slice(1).reduce((drawn, stop, place) => {
    const before = stops[place] as Point
    const half = (before.x + stop.x) / 2
    return `${drawn} C ${half} ${before.y} ${half} ${stop.y} ${stop.x} ${stop.y}`
  }, `M ${start.x} ${start.y}`)
  return { ...edge, path, middle: { x: end.x - 6, y: end.y } }
}

/** Two records of one column are joined around their left side. */
const routeWithin = (edge: Edge, from: Box, to: Box): Route => {
  const [a, b] = [from.y + from.height / 2, to.y + to.height / 2]
  const x = from.x
  const path = `M ${x} ${a} C ${x - 22} ${a} ${x - 22} ${b} ${x} ${b}`
  return { ...edge, path, middle: { x: x - 18, y: (a + b) / 2 } }
}
