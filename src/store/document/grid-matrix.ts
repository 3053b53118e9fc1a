import type { Goods, NamedPart } from './goods.ts'
import type { Size } from './sizes.ts'
import { addSums, type Pieces, type Sums, toPieces } from './sums.ts'

/** A size of a SKU, and the dimension that it is a value of. */
export interface GridSize extends Size {
  readonly dimension: NamedPart
}

/** A SKU of a record with its pieces; null for rows without a SKU. */
export interface GridEntry {
  readonly sku: NamedPart | null
  readonly style: NamedPart | null
  readonly option: (NonNullable<Goods['option']> & { readonly sequence: number }) | null
  /** At most one of each dimension, in the order of its style's dimensions. */
  readonly sizes: readonly GridSize[]
  readonly sums: Sums
}

/** SKUs of one colour and size: usually one. Null if there is none. */
export type GridCell = { readonly skuIds: readonly string[]; readonly figures: Pieces } | null

interface Cells {
  /** By column. */
  readonly cells: readonly GridCell[]
  readonly total: Pieces
}

/** The SKUs of one style that are sized by the same dimensions. */
export interface Grid {
  readonly style: NamedPart | null
  /** The first one is that of the columns. */
  readonly dimensions: readonly NamedPart[]
  /** The sizes of the first dimension, from small to large. */
  readonly columns: readonly NamedPart[]
  readonly rows: readonly GridRow[]
  /** By column. */
  readonly totals: readonly Pieces[]
  readonly total: Pieces
}

/** A colour; with further dimensions, the sum of its rows. */
export interface GridRow extends Cells {
  readonly option: Goods['option']
  readonly rows: readonly (Cells & { readonly sizes: readonly NamedPart[] })[]
}

/** A SKU that no grid has. */
export interface GridLine extends Pick<GridEntry, 'sku' | 'style'> {
  readonly option: Goods['option']
  readonly figures: Pieces
}

export interface ArrangedGrids {
  readonly total: Pieces
  readonly grids: readonly Grid[]
  /** SKUs without a colour or size, and those of grids that would exceed the limit of cells. */
  readonly lines: readonly GridLine[]
}

type PlacedEntry = GridEntry & {
  readonly option: NonNullable<GridEntry['option']>
  readonly sizes: readonly [GridSize, ...GridSize[]]
}

/** Arranges SKUs by style, colour and size. Every piece is in one cell or one line. */
export const arrangeGrids = (
  entries: readonly GridEntry[],
  figures: readonly string[],
  cellsMax: number,
): ArrangedGrids => {
  const sum = (of: readonly GridEntry[]): Pieces =>
    toPieces(
      addSums(
        of.map(({ sums }) => sums),
        figures,
      ),
    )
  const lines = entries.filter((entry) => !isPlaced(entry))
  const grids: Grid[] = []
  let cells = 0
  for (const own of groups(entries.filter(isPlaced))) {
    const added = cellsOf(own)
    if (cells + added > cellsMax) {
      lines.push(...own)
      continue
    }
    cells += added
    grids.push(gridOf(own, sum))
  }
  return { total: sum(entries), grids, lines: lines.sort(byCodes).map(lineOf) }
}

const isPlaced = (entry: GridEntry): entry is PlacedEntry =>
  entry.option !== null && entry.sizes.length > 0

/** The SKUs of each grid, in the order of the grids: that of their first SKUs. */
const groups = (entries: readonly PlacedEntry[]): readonly (readonly PlacedEntry[])[] => {
  const byGrid = Map.groupBy(entries.toSorted(byCodes), ({ style, sizes }) =>
    [style?.id ?? '', ...sizes.map(({ dimensionId }) => dimensionId)].join(),
  )
  return [...byGrid.values()]
}

const restOf = ({ sizes: [, ...rest] }: PlacedEntry): readonly GridSize[] => rest
const idsOf = (sizes: readonly Size[]): string => sizes.map(({ id }) => id).join()

const cellsOf = (own: readonly PlacedEntry[]): number => {
  const columns = new Set(own.map(({ sizes }) => sizes[0].id))
  const rows = new Set(
    own.flatMap((each) => [each.option.id, `${each.option.id} ${idsOf(restOf(each))}`]),
  )
  return columns.size * rows.size
}

type Sum = (entries: readonly GridEntry[]) => Pieces

const gridOf = (own: readonly PlacedEntry[], sum: Sum): Grid => {
  const [{ style, sizes }] = own as readonly [PlacedEntry]
  const columns = [...new Map(own.map((each) => [each.sizes[0].id, each.sizes[0]])).values()].sort(
    bySize,
  )
  const rowOf = (of: readonly PlacedEntry[]): Cells => {
    const byColumn = Map.groupBy(of, (each) => each.sizes[0].id)
    return {
      cells: columns.map(({ id }) => {
        const placed = byColumn.get(id)
        if (!placed) return null
        return { skuIds: placed.flatMap(({ sku }) => sku?.id ?? []), figures: sum(placed) }
      }),
      total: sum(of),
    }
  }
  const options = [...Map.groupBy(own, ({ option }) => option.id).values()].sort(byOption)
  const byColumn = Map.groupBy(own, (each) => each.sizes[0].id)
  return {
    style,
    dimensions: sizes.map(({ dimension }) => dimension),
    columns: columns.map(partOf),
    rows: options.map((of) => ({
      option: optionOf(of[0] ?? null),
      ...rowOf(of),
      rows:
        sizes.length === 1
          ? []
          : [...Map.groupBy(of, (each) => idsOf(restOf(each))).values()]
              .sort(byRest)
              .map((same) => ({
                sizes: restOf(same[0] as PlacedEntry).map(partOf),
                ...rowOf(same),
              })),
    })),
    totals: columns.map(({ id }) => sum(byColumn.get(id) ?? [])),
    total: sum(own),
  }
}

const partOf = ({ id, code, name }: NamedPart): NamedPart => ({ id, code, name })

const optionOf = (entry: Pick<GridEntry, 'option'> | null): Goods['option'] => {
  if (!entry?.option) return null
  const { sequence: _, ...option } = entry.option
  return option
}

const lineOf = ({ sku, style, option, sums }: GridEntry): GridLine => ({
  ...{ sku, style, option: optionOf({ option }), figures: toPieces(sums) },
})

const texts = new Intl.Collator('en', { numeric: true })

/** Most codes that are compared are equal, and comparing them as people do takes long. */
const compareCodes = (one: string | null = '', other: string | null = ''): number =>
  one === other ? 0 : texts.compare(one ?? '', other ?? '')

/** The first comparison that is not equal. */
const firstOf = (...orders: readonly number[]): number => orders.find((each) => each !== 0) ?? 0

const compareIds = (one = '', other = ''): number => (one < other ? -1 : one > other ? 1 : 0)

const bySize = (one: Size, other: Size): number =>
  firstOf(
    one.sequence - other.sequence,
    texts.compare(one.name ?? '', other.name ?? ''),
    compareIds(one.id, other.id),
  )

const byRest = ([one]: readonly PlacedEntry[], [other]: readonly PlacedEntry[]): number => {
  if (!one || !other) return 0
  const others = restOf(other)
  return firstOf(...restOf(one).map((size, index) => bySize(size, others[index] ?? size)))
}

const byOption = ([one]: readonly PlacedEntry[], [other]: readonly PlacedEntry[]): number =>
  !one || !other
    ? 0
    : firstOf(
        one.option.sequence - other.option.sequence,
        texts.compare(one.option.code ?? '', other.option.code ?? ''),
        compareIds(one.option.id, other.option.id),
      )

/** By the codes of style, option and SKU. Rows without a SKU come last. */
const byCodes = (one: GridEntry, other: GridEntry): number =>
  Number(one.sku === null) - Number(other.sku === null) ||
  compareCodes(one.style?.code, other.style?.code) ||
  compareCodes(one.option?.code, other.option?.code) ||
  compareCodes(one.sku?.code, other.sku?.code) ||
  compareIds(one.sku?.id, other.sku?.id)
