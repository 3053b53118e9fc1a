import type { Row } from '../api.ts'
import type { Field } from '../contract.ts'
import { moneyText } from '../figures.ts'
import { facts } from './chain.ts'
import type { Lineage, LineageNode } from './lineage.ts'
import { gapsOf, type Quantities } from './quantities.ts'
import { momentsOf } from './timeline.ts'

/** What a node says of its record besides its name; null where there is nothing to say. */
export type Said = {
  pieces: number | null
  money: string | null
  date: string | null
  status: string | null
  /** Why it counts for nothing although it is shown. */
  struck: string | null
}

export const saidOf = (lineage: Lineage, node: LineageNode): Said => {
  const { group, row } = node
  const { quantity, money, date } = facts[group.path] ?? {}
  const field = group.fields.find(({ name }) => name === money)
  const amount = money === undefined ? null : row[money]
  const count = quantity === undefined ? null : (row[quantity] ?? null)
  return {
    pieces: count === null ? null : Number(count),
    money: typeof amount === 'string' ? moneyText(amount, currencyOf(lineage, row, field)) : null,
    date: dateOf(node, date),
    status: typeof row['status'] === 'string' ? row['status'] : null,
    struck: Object.entries(strikes).find(([field]) => row[field])?.[1] ?? null,
  }
}

const strikes: { readonly [field: string]: string } = {
  retractedAt: 'retracted',
  deletedAt: 'removed',
  cancelledAt: 'cancelled',
  reversedAt: 'reversed',
}

/** A difference worth marking on a record. */
export type Mark = { text: string; tone: 'bad' | 'warn' }

/** What differs: on an order's lines as counted, on a receipt's lines as they say themselves. */
export const markOf = (node: LineageNode, counted: Quantities | undefined): Mark | null => {
  if (node.group.path === 'goods-receipt-lines') return receiptMark(node.row)
  const line =
    node.group.path === 'order-items'
      ? counted?.lines.find(({ orderItemId }) => orderItemId === node.id)
      : undefined
  if (!line || !counted?.settled) return null
  const lost = gapsOf(line.counts).reduce((sum, { pieces }) => sum + pieces, 0)
  return lost === 0 ? null : differenceMark(lost)
}

const receiptMark = (row: Row): Mark | null => {
  const expected = row['expectedQuantity']
  const difference = typeof expected === 'number' ? Number(row['receivedQuantity']) - expected : 0
  if (difference !== 0) return differenceMark(difference)
  const damaged = Number(row['damagedQuantity'] ?? 0)
  return damaged > 0 ? { text: `${damaged} damaged`, tone: 'warn' } : null
}

const differenceMark = (pieces: number): Mark =>
  pieces < 0 ? { text: `${-pieces} short`, tone: 'bad' } : { text: `${pieces} over`, tone: 'warn' }

const dateOf = (node: LineageNode, field: string | undefined): string | null => {
  const told = field === undefined ? null : node.row[field]
  if (typeof told === 'string') return told
  return momentsOf(node).find(({ planned }) => !planned)?.value ?? null
}

/** A line's currency is its invoice's, a settlement's its payment's: found where that is loaded. */
const currencyOf = (lineage: Lineage, row: Row, field: Field | undefined): string | null => {
  const [first = '', second] = field?.currencyFrom?.split('.') ?? []
  if (second === undefined) return typeof row[first] === 'string' ? row[first] : null
  const parent = [...lineage.nodes.values()].find(({ id }) => id === row[first])
  const currency = parent?.row[second]
  return typeof currency === 'string' ? currency : null
}
