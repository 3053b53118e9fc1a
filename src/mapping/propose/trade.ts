import { foldText } from '#contract'

/*
 * Tells tables of purchasing from tables of sales. Both have orders, lines, invoices and
 * deliveries with the same columns; a supplier or a customer nearby tells them apart.
 */

export type Side = 'purchase' | 'sales'

export interface Trade {
  /** Null if nothing tells it. */
  readonly side: Side | null
  /** In a few words. */
  readonly reason: string
}

/** What a table shows of its side: names, from the strongest to the weakest. */
export interface TradeSigns {
  /** The name of the table, with its schema. */
  readonly name: string
  /** The names of its columns and of the tables that it refers to. */
  readonly near: readonly string[]
  /** The same of the tables that it refers to, such as the header of lines. */
  readonly beyond: readonly string[]
}

export const tradeOf = ({ name, near, beyond }: TradeSigns): Trade => {
  const named = sidesOf(name, strong)
  if (named.length === 1 && named[0]) return { side: named[0], reason: 'its name says so' }
  for (const names of [near, beyond]) {
    const sides = new Map<Side, string>()
    for (const each of names)
      for (const side of sidesOf(each, strong)) if (!sides.has(side)) sides.set(side, each)
    const [only] = sides
    if (sides.size > 1) return { side: null, reason: 'it has suppliers and customers' }
    if (only) return { side: only[0], reason: `it has ${only[1]}` }
  }
  const [weakly] = sidesOf(name, weak)
  return weakly
    ? { side: weakly, reason: 'its name says so' }
    : { side: null, reason: 'it has neither a supplier nor a customer' }
}

/** The side that a name tells, if it is only one. */
export const sidesNear = (name: string): Side | null => {
  const [side, other] = sidesOf(name, strong)
  return other ? null : (side ?? null)
}

/** The side of a kind of document: `purchase_order`, `in_invoice`, `Auftrag`. */
export const sideOfText = (text: string): Side | null => {
  const [one, other] = sidesOf(text, strong)
  if (one) return other ? null : one
  const [direction] = sidesOf(text, directions)
  if (direction) return direction
  const [weakly, both] = sidesOf(text, weak)
  return both ? null : (weakly ?? null)
}

type Signs = { readonly [side in Side]: RegExp }

const strong: Signs = {
  purchase:
    /supplier|vendor|purchas|procur|lieferant|kreditor|creditor|einkauf|lifnr|fournisseur|proveedor|\b(vend|suppl|po)\b/,
  sales:
    /customer|(?<!\bad )\bclients?\b|sales(?!\s*tax)|kunde|debitor|verkauf|vertrieb|kunnr|shopping|\bsold to\b|\bbuyer id\b|\b(cust|sale|so|cart|basket)\b/,
}

/** A German "Bestellung" is placed with a supplier, and an "Auftrag" comes from a customer. */
const weak: Signs = {
  purchase: /bestell|ebeln|ekko|ekpo|\b(ap|payables?)\b/,
  sales: /auftrag|vbak|vbap|\b(ar|receivables?)\b/,
}

/** Goods and documents come in from suppliers and go out to customers. */
const directions: Signs = {
  purchase: /^(in|inbound|incoming|eingang\w*|payables?|ap)\b/,
  sales: /^(out|outbound|outgoing|ausgang\w*|receivables?|ar)\b/,
}

const sidesOf = (name: string, signs: Signs): readonly Side[] => {
  const text = foldText(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2')).replace(/[^a-z0-9]+/g, ' ')
  return (['purchase', 'sales'] as const).filter((side) => signs[side].test(text))
}
