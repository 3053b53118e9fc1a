/** The arithmetic of grids: pieces by colour and size, with awkward records. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseDecimal } from '#contract'
import { arrangeGrids, type Grid, type GridEntry } from '../../src/store/document/grid-matrix.ts'

const part = (id: string, name = id) => ({ id, code: id, name })
const size = (name: string, sequence: number, dimension = 'size') => ({
  ...part(`${dimension}-${name}`, name),
  dimensionId: dimension,
  sequence,
  dimension: part(dimension),
})
const [s, m, l] = [size('S', 1), size('M', 2), size('L', 10)] as const
const option = (id: string, sequence = 1) => ({
  ...part(id),
  color: `colour of ${id}`,
  hexCode: '#102030',
  sequence,
})

const entry = (
  id: string,
  ordered: number,
  { sizes = [m], made = 0, ...own }: Partial<GridEntry> & { readonly made?: number } = {},
): GridEntry => ({
  sku: part(id),
  style: part('style'),
  option: option('red'),
  sizes,
  sums: { ordered: parseDecimal(`${ordered}`), made: parseDecimal(`${made}`) },
  ...own,
})

const arrange = (entries: readonly GridEntry[], cellsMax = 1_000) =>
  arrangeGrids(entries, ['ordered', 'made'], cellsMax)
const names = (parts: Grid['columns']) => parts.map(({ name }) => name)
const shown = (row: Pick<Grid['rows'][number], 'cells'>) =>
  row.cells.map((cell) => cell?.figures['ordered'] ?? null)

describe('grids', () => {
  it('have the sizes in their sequence and the colours in theirs, whatever the order of the rows', () => {
    const blue = option('blue', 0)
    const { grids, lines } = arrange([
      entry('red L', 3, { sizes: [l] }),
      entry('blue M', 5, { option: blue }),
      entry('red S', 1, { sizes: [s] }),
      entry('red M', 2),
    ])
    const [grid] = grids as readonly [Grid]
    assert.deepEqual(names(grid.columns), ['S', 'M', 'L'])
    assert.deepEqual(
      grid.rows.map((row) => [row.option?.code, shown(row), row.total['ordered']]),
      [
        ['blue', [null, 5, null], 5],
        ['red', [1, 2, 3], 6],
      ],
    )
    assert.deepEqual(
      grid.totals.map(({ ordered }) => ordered),
      [1, 7, 3],
    )
    assert.deepEqual([grid.total, lines], [{ ordered: 11, made: 0 }, []])
  })

  it('distinguish a size without a SKU from one without pieces', () => {
    const { grids } = arrange([
      entry('red S', 0, { sizes: [s] }),
      entry('red M', 4),
      entry('blue S', 0, { sizes: [s], option: option('blue', 2) }),
    ])
    assert.deepEqual(grids[0]?.rows.map(shown), [
      [0, 4],
      [0, null],
    ])
  })

  it('add up SKUs of one colour and size, and keep which they are', () => {
    const { grids } = arrange([entry('old', 4, { made: 0.1 }), entry('new', -1, { made: 0.2 })])
    assert.deepEqual(grids[0]?.rows[0]?.cells, [
      { skuIds: ['new', 'old'], figures: { ordered: 3, made: 0.3 } },
    ])
  })

  it('have a row for each further size of a colour, and their sum', () => {
    const waist = (at: number) => size(`${at}`, at, 'waist')
    const inseam = (at: number) => size(`${at}`, at, 'inseam')
    const { grids } = arrange([
      entry('a', 1, { sizes: [waist(32), inseam(34)] }),
      entry('b', 2, { sizes: [waist(30), inseam(34)] }),
      entry('c', 4, { sizes: [waist(32), inseam(30)] }),
    ])
    const [grid] = grids as readonly [Grid]
    assert.deepEqual(names(grid.dimensions), ['waist', 'inseam'])
    assert.deepEqual(names(grid.columns), ['30', '32'])
    const [row] = grid.rows
    assert.deepEqual(
      row?.rows.map((each) => [names(each.sizes), shown(each), each.total['ordered']]),
      [
        [['30'], [null, 4], 4],
        [['34'], [2, 1], 3],
      ],
    )
    assert.deepEqual([row && shown(row), row?.total['ordered']], [[2, 5], 7])
  })

  it('are one for each style, and for each set of dimensions of a style', () => {
    const { grids } = arrange([
      entry('shoe', 1, { style: part('B'), sizes: [size('42', 42, 'eu')] }),
      entry('shirt', 2, { style: part('A') }),
      entry('jeans', 4, { style: part('A'), sizes: [size('30', 30, 'waist'), m] }),
      entry('unnamed', 8, { style: null }),
    ])
    assert.deepEqual(
      grids.map(({ style, dimensions, total }) => [
        style?.code,
        names(dimensions),
        total['ordered'],
      ]),
      [
        [undefined, ['size'], 8],
        ['A', ['waist', 'size'], 4],
        ['A', ['size'], 2],
        ['B', ['eu'], 1],
      ],
    )
  })

  it('leave SKUs without sizes or colour, and rows without a SKU, to lines, and count them', () => {
    const { grids, lines, total } = arrange([
      entry('', 9, { sku: null, style: null, option: null, sizes: [] }),
      entry('bag', 2, { sizes: [] }),
      entry('ghost', 3, { option: null }),
      entry('帽子-赤', 5, { style: part('帽子', '帽子 =1+1'), option: option('赤') }),
    ])
    assert.deepEqual(
      lines.map(({ sku, figures }) => [sku?.code, figures['ordered']]),
      [
        ['ghost', 3],
        ['bag', 2],
        [undefined, 9],
      ],
    )
    assert.deepEqual(
      grids.map(({ style, rows }) => [style?.name, rows[0]?.option?.code]),
      [['帽子 =1+1', '赤']],
    )
    assert.equal(total['ordered'], 19)
  })

  it('of too many cells become lines, so that no record makes an answer of any size', () => {
    const diagonal = Array.from({ length: 40 }, (_, at) =>
      entry(`${at}`, 1, { option: option(`o${at}`), sizes: [size(`${at}`, at)] }),
    )
    const small = entry('small', 7, { style: part('zz') })
    const { grids, lines, total } = arrange([...diagonal, small], 1_000)
    assert.deepEqual(
      grids.map(({ style }) => style?.code),
      ['zz'],
    )
    assert.deepEqual([lines.length, total['ordered']], [40, 47])
  })

  it('of nothing are none', () => {
    assert.deepEqual(arrange([]), { total: { ordered: 0, made: 0 }, grids: [], lines: [] })
  })
})
