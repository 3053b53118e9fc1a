import type { GridWords } from '#contract'
import type { Sheet, SheetRow } from '#formats'
import type { Grid, GridLine, RecordGrids } from '#store'

type Pieces = RecordGrids['total']

/** The number that a sheet shows of pieces: a figure, or its difference from another one. */
type Show = (pieces: Pieces) => number

/**
 * The sheets of a record's grids: one for each figure, and one for its difference from the figure
 * that it is compared with.
 */
export const gridSheets = (record: RecordGrids, words: GridWords): readonly Sheet[] => {
  const nameOf = (figure: string) => words.figures[figure] ?? figure
  const shown = Object.keys(record.definition.figures).flatMap((figure) => {
    const other = record.definition.against[figure]
    const own = { name: nameOf(figure), show: (pieces: Pieces) => pieces[figure] ?? 0 }
    if (other === undefined) return [own]
    const difference = {
      name: words.less(nameOf(figure), nameOf(other)),
      show: (pieces: Pieces) => (pieces[figure] ?? 0) - (pieces[other] ?? 0),
    }
    return [own, difference]
  })
  const names = namesBefore(record)
  const columns = Math.max(0, ...record.grids.map((grid) => grid.columns.length))
  return shown.map(({ name, show }) => ({
    name,
    widths: [24, 28, ...Array(names - 2).fill(12), ...Array(columns + 1).fill(9)],
    frozenColumns: names,
    rows: rowsOf(record, words, name, show),
  }))
}

/** The columns before the sizes: code, colour, and further dimensions. */
const namesBefore = ({ grids }: RecordGrids): number =>
  2 + Math.max(0, ...grids.map(({ dimensions }) => dimensions.length - 1))

function* rowsOf(
  record: RecordGrids,
  words: GridWords,
  name: string,
  show: Show,
): Generator<SheetRow> {
  const names = namesBefore(record)
  yield { cells: [record.title, name], isStrong: true }
  for (const grid of record.grids) {
    yield { cells: [] }
    yield* gridRows(grid, words, names, show)
  }
  if (record.lines.length > 0) {
    yield { cells: [] }
    yield* lineRows(record.lines, words, names, show)
  }
  if (record.grids.length + Math.sign(record.lines.length) === 1) return
  yield { cells: [] }
  yield { cells: [words.total, ...blanks(names - 1), show(record.total)], isStrong: true }
}

const blanks = (count: number): null[] => Array(count).fill(null)

function* gridRows(grid: Grid, words: GridWords, names: number, show: Show): Generator<SheetRow> {
  const further = grid.dimensions.slice(1)
  const rest = blanks(names - 2 - further.length)
  const [first] = grid.dimensions
  const dimension = further.length > 0 && first ? [...blanks(names - 2), textOf(first)] : []
  const style = [grid.style?.code ?? null, grid.style?.name ?? null]
  yield { cells: [...style, ...dimension], isStrong: true }
  yield {
    cells: [
      words.code,
      words.color,
      ...further.map(textOf),
      ...rest,
      ...grid.columns.map(textOf),
      words.total,
    ],
    isStrong: true,
  }
  for (const { option, rows, cells, total } of grid.rows) {
    const color = [option?.code ?? null, option?.color ?? option?.name ?? null]
    const numbers = (row: Pick<Grid['rows'][number], 'cells' | 'total'>) => [
      ...row.cells.map((cell) => (cell ? show(cell.figures) : null)),
      show(row.total),
    ]
    for (const row of rows) {
      yield { cells: [...color, ...row.sizes.map(textOf), ...rest, ...numbers(row)] }
    }
    // With further dimensions, this is the sum of the rows above it.
    const isSum = further.length > 0
    const labels = further.map((_, index) => (index === 0 ? words.total : null))
    yield { cells: [...color, ...labels, ...rest, ...numbers({ cells, total })], isStrong: isSum }
  }
  yield {
    cells: [words.total, ...blanks(names - 1), ...grid.totals.map(show), show(grid.total)],
    isStrong: true,
  }
}

function* lineRows(
  lines: readonly GridLine[],
  words: GridWords,
  names: number,
  show: Show,
): Generator<SheetRow> {
  const rest = blanks(names - 2)
  yield { cells: ['SKU', words.style, ...rest, words.pieces], isStrong: true }
  for (const { sku, style, figures } of lines) {
    const code = sku ? (sku.code ?? sku.id) : words.noSku
    yield { cells: [code, style?.name ?? null, ...rest, show(figures)] }
  }
}

const textOf = ({ name, code, id }: { name: string | null; code: string | null; id: string }) =>
  name ?? code ?? id
