/** Grids, worked out by plain functions over the records of a brand. */
import assert from 'node:assert/strict'
import type { DemoRecord } from '#demo'
import type { RecordGrids } from '#store'
import { piecesOf } from './document-model.ts'
import { count, type SeasonRecords } from './season-records.ts'

type Pieces = RecordGrids['total']

/** The pieces of one row, and the SKU that it is of. */
export interface ModelRow {
  readonly skuId: unknown
  readonly pieces: Pieces
}

const isPlaced = (records: SeasonRecords, item: DemoRecord): boolean => {
  const order = records.get('orders', item['orderId'])
  const isOut = ['draft', 'cancelled'].includes(String(order['status']))
  return !order['deletedAt'] && !order['cancelledAt'] && !isOut
}

const orderPieces = (records: SeasonRecords, items: readonly DemoRecord[]): Pieces => {
  const { ordered, made, shipped, received } = piecesOf(records, items)
  return { ordered, made, shipped, received }
}

const stockPieces = (levels: readonly DemoRecord[]): Pieces => ({
  onHand: count(levels, 'onHandQuantity'),
  available: count(levels, 'availableQuantity'),
  reserved: count(levels, 'reservedQuantity'),
  incoming: count(levels, 'incomingQuantity'),
})

/** The rows of a record's grids, by group. */
export const gridRows: {
  readonly [group: string]: (records: SeasonRecords, record: DemoRecord) => readonly ModelRow[]
} = {
  orders: (records, { id }) =>
    records
      .of('order-items', 'orderId', id)
      .map((item) => ({ skuId: item['skuId'], pieces: orderPieces(records, [item]) })),
  'goods-receipts': (records, { id }) =>
    records.of('goods-receipt-lines', 'goodsReceiptId', id).map((line) => ({
      skuId: line['skuId'],
      pieces: {
        expected: count([line], 'expectedQuantity'),
        received: count([line], 'receivedQuantity'),
        damaged: count([line], 'damagedQuantity'),
        rejected: count([line], 'rejectedQuantity'),
      },
    })),
  'parent-products': (records, { id }) =>
    records.of('skus', 'productId', id).map((sku) => {
      const items = records.of('order-items', 'skuId', sku['id'])
      const placed = items.filter((item) => isPlaced(records, item))
      const levels = records.of('inventory', 'skuId', sku['id'])
      return {
        skuId: sku['id'],
        pieces: { ...orderPieces(records, placed), ...stockPieces(levels) },
      }
    }),
  inventory: (records, { skuId, locationId }) => {
    const { productId } = records.get('skus', skuId)
    return records.of('skus', 'productId', productId).map(({ id }) => ({
      skuId: id,
      pieces: stockPieces(
        records.of('inventory', 'skuId', id).filter((level) => level['locationId'] === locationId),
      ),
    }))
  },
}

const plus = (one: Pieces | undefined, other: Pieces): Pieces =>
  Object.fromEntries(
    Object.entries(other).map(([name, value]) => [name, value + (one?.[name] ?? 0)]),
  )

const sum = (all: readonly Pieces[], like: Pieces): Pieces =>
  all.reduce(plus, Object.fromEntries(Object.keys(like).map((name) => [name, 0])))

/** What a record's grids have: checks every cell and every total. Returns the number of cells. */
export const checkGrids = (
  records: SeasonRecords,
  rows: readonly ModelRow[],
  { grids, lines, total }: Pick<RecordGrids, 'grids' | 'lines' | 'total'>,
  about: string,
): number => {
  const bySku = new Map<string, Pieces>()
  const expected = new Map<string, Pieces>()
  const add = (map: Map<string, Pieces>, name: string, pieces: Pieces) =>
    map.set(name, plus(map.get(name), pieces))
  for (const { skuId, pieces } of rows) {
    const links = skuId === null ? [] : records.of('sku-dimension-values', 'skuId', `${skuId}`)
    if (links.length === 0) {
      add(bySku, String(skuId), pieces)
      continue
    }
    const { productOptionId } = records.get('skus', `${skuId}`)
    const values = links.map(({ dimensionValueId }) => String(dimensionValueId)).sort()
    add(expected, [productOptionId, ...values].join(), pieces)
  }
  const pieces = new Map<string, Pieces>()
  for (const grid of grids) {
    for (const row of grid.rows) {
      const parts = row.rows.length === 0 ? [{ sizes: [], ...row }] : row.rows
      for (const { sizes, cells, total: rowTotal } of parts) {
        const own = cells.flatMap((cell, at) => {
          if (!cell) return []
          const values = [grid.columns[at], ...sizes].map((each) => String(each?.id)).sort()
          add(pieces, [row.option?.id, ...values].join(), cell.figures)
          return [cell.figures]
        })
        assert.deepEqual(rowTotal, sum(own, total), about)
      }
      const ofOption = [...expected].filter(([name]) => name.startsWith(String(row.option?.id)))
      const ownColumns = new Set(grid.columns.map(({ id }) => id))
      const ofGrid = ofOption.filter(([name]) => name.split(',').some((id) => ownColumns.has(id)))
      assert.deepEqual(
        row.total,
        sum(
          ofGrid.map(([, pieces]) => pieces),
          total,
        ),
        about,
      )
    }
    const options = new Set(grid.rows.map(({ option }) => option?.id))
    for (const [at, { id }] of grid.columns.entries()) {
      const own = [...expected].filter(([name]) => {
        const [option, ...values] = name.split(',')
        return options.has(option) && values.includes(id)
      })
      assert.deepEqual(
        grid.totals[at],
        sum(
          own.map(([, pieces]) => pieces),
          total,
        ),
        about,
      )
    }
    assert.deepEqual(grid.total, sum([...grid.totals], total), about)
    const sequences = grid.columns.map(({ id }) =>
      Number(records.get('dimension-values', id)['sequence']),
    )
    assert.deepEqual(
      sequences,
      [...sequences].sort((one, other) => one - other),
      about,
    )
  }
  const inOrder = (map: ReadonlyMap<string, Pieces>) => [...map].sort()
  assert.deepEqual(inOrder(pieces), inOrder(expected), about)
  assert.deepEqual(
    inOrder(new Map(lines.map(({ sku, figures }) => [String(sku?.id ?? null), figures]))),
    inOrder(bySku),
    about,
  )
  assert.deepEqual(
    total,
    sum(
      rows.map(({ pieces }) => pieces),
      total,
    ),
    about,
  )
  return pieces.size
}
