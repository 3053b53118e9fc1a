/** An item with a height in a column: a box, or the lane of an edge between boxes. */
export type Item = { key: string; column: number; height: number; gap: number }

const sweeps = 24

/**
 * The top of every item: as close as possible to the middle of its connected items, in the given
 * order and without overlaps. Dagre's positions keep long edges straight, which makes drawings
 * several times as high.
 */
export const settle = (
  columns: readonly (readonly Item[])[],
  joined: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> => {
  const tops = new Map<string, number>()
  const middles = new Map<string, number>()
  const put = (items: readonly Item[], places: readonly number[]) => {
    for (const [index, { key, height }] of items.entries()) {
      const top = places[index] ?? 0
      tops.set(key, top)
      middles.set(key, top + height / 2)
    }
  }
  const highest = Math.max(0, ...columns.map(heightOf))
  for (const items of columns) {
    const first = (highest - heightOf(items)) / 2
    put(items, stacked(items, first))
  }
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (const items of sweep % 2 === 0 ? columns : columns.toReversed()) {
      put(
        items,
        spread(
          items,
          items.map((item) => wanted(item, joined, middles)),
        ),
      )
    }
  }
  const least = Math.min(...tops.values())
  return new Map([...tops].map(([key, top]) => [key, top - least]))
}

const heightOf = (items: readonly Item[]): number =>
  items.reduce((sum, { height, gap }) => sum + height + gap, 0)

const stacked = (items: readonly Item[], first: number): readonly number[] => {
  let next = first
  return items.map(({ height, gap }) => {
    const top = next
    next += height + gap
    return top
  })
}

const wanted = (
  { key, height }: Item,
  joined: ReadonlyMap<string, readonly string[]>,
  middles: ReadonlyMap<string, number>,
): number => {
  const others = joined.get(key) ?? []
  const own = middles.get(key) ?? 0
  const sum = others.reduce((total, other) => total + (middles.get(other) ?? own), 0)
  return (others.length === 0 ? own : sum / others.length) - height / 2
}

/** A run of touching items, placed to minimize their total distance from the wanted positions. */
type Block = { from: number; count: number; offsets: number }

/** The nearest positions to the wanted ones that keep the order and the gaps. */
const spread = (items: readonly Item[], wish: readonly number[]): readonly number[] => {
  const starts = stacked(items, 0)
  const blocks: Block[] = []
  const placeOf = ({ count, offsets }: Block) => offsets / count
  for (const index of items.keys()) {
    let block: Block = { from: index, count: 1, offsets: (wish[index] ?? 0) - (starts[index] ?? 0) }
    for (let last = blocks.at(-1); last && placeOf(last) > placeOf(block); last = blocks.at(-1)) {
      blocks.pop()
      block = {
        from: last.from,
        count: last.count + block.count,
        offsets: last.offsets + block.offsets,
      }
    }
    blocks.push(block)
  }
  return blocks.flatMap((block) =>
    Array.from(
      { length: block.count },
      (_, step) => placeOf(block) + (starts[block.from + step] ?? 0),
    ),
  )
}
