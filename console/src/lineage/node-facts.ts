import { facts } from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import type { Field } from '../contract.ts'
import { moneyText } from '../figures.ts'
import { texts } from '../texts/index.ts'
import type { Lineage, LineageNode } from './lineage.ts'
import { gapsOf, type Quantities } from './quantities.ts'
import { momentsOf } from './timeline.ts'

/** The facts of a node besides its name; null for facts that the record lacks. */
export type NodeFacts = {
  pieces: number | null
  money: string | null
  date: string | null
  status: string | null
  /** Why the record is struck through. */
  struck: Strike | null
}

export const nodeFacts = (lineage: Lineage, node: LineageNode): NodeFacts => {
  const { group, record } = node
  const { quantity, money, date } = facts[group.path] ?? {}
  const field = group.fields.find(({ name }) => name === money)
  const amount = money === undefined ? null : record[money]
  const count = quantity === undefined ? null : (record[quantity] ?? null)
  return {
    pieces: count === null ? null : Number(count),
    money:
      typeof amount === 'string' ? moneyText(amount, currencyOf(lineage, record, field)) : null,
    date: dateOf(node, date),
    status: typeof record['status'] === 'string' ? record['status'] : null,
    struck: strikes.find((strike) => record[`${strike}At`]) ?? null,
  }
}

const strikes = ['retracted', 'deleted', 'cancelled', 'reversed'] as const

type Strike = (typeof strikes)[number]

/** A difference worth marking on a record. */
export type Mark = { text: string; tone: 'bad' | 'warn' }

/** The difference of an order line, from the counts, or of a receipt line, as recorded. */
export const markOf = (node: LineageNode, counted: Quantities | undefined): Mark | null => {
  if (node.group.path === 'goods-receipt-lines') return receiptMark(node.record)
  const line =
    node.group.path === 'order-items'
      ? counted?.lines.find(({ orderItemId }) => orderItemId === node.id)
      : undefined
  if (!line || !counted?.settled) return null
  const gaps = gapsOf(line.counts).map(({ pieces }) => pieces)
  if (gaps.length === 0) return damageMark(line.damaged)
  // Pieces that were lost and then came back are a difference too.
  return differenceMark(gaps.reduce((sum, pieces) => sum + pieces, 0) || Math.min(...gaps))
}

const receiptMark = (row: Row): Mark | null => {
  const expected = row['expectedQuantity']
  const difference = typeof expected === 'number' ? Number(row['receivedQuantity']) - expected : 0
  return difference === 0
    ? damageMark(Number(row['damagedQuantity'] ?? 0))
    : differenceMark(difference)
}

const damageMark = (pieces: number): Mark | null =>
  pieces > 0 ? { text: texts().lineage.damaged(pieces), tone: 'warn' } : null

const differenceMark = (pieces: number): Mark =>
  pieces < 0
    ? { text: texts().lineage.piecesShort(-pieces), tone: 'bad' }
    : { text: texts().lineage.piecesOver(pieces), tone: 'warn' }

const dateOf = (node: LineageNode, field: string | undefined): string | null => {
  const value = field === undefined ? null : node.record[field]
  if (typeof value === 'string') return value
  return momentsOf(node).find(({ planned }) => !planned)?.value ?? null
}

/**
 * An invoice line uses the currency of its invoice, a settlement that of its payment, if loaded.
 */
const currencyOf = (lineage: Lineage, row: Row, field: Field | undefined): string | null => {
  const [first = '', second] = field?.currencyFrom?.split('.') ?? []
  if (second === undefined) return typeof row[first] === 'string' ? row[first] : null
  const parent = [...lineage.nodes.values()].find(({ id }) => id === row[first])
  const currency = parent?.record[second]
  return typeof currency === 'string' ? currency : null
}
