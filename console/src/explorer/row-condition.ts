import {
  type Comparison,
  type Condition,
  compareDecimals,
  parseDecimal,
} from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import type { Field } from '../contract.ts'

/**
 * Whether a loaded record fulfils a condition of the contract. Returns false for conditions on
 * other collections, which it cannot evaluate.
 */
export const fulfils = (
  row: Row,
  condition: Condition,
  kindOf: (field: string) => Field['kind'],
): boolean => {
  const inner = (each: Condition) => fulfils(row, each, kindOf)
  switch (condition.kind) {
    case 'compare': {
      const { field, is, value } = condition
      return holds(is, kindOf(field), row[field], value)
    }
    case 'in': {
      const { field, values } = condition
      return values.some((value) => holds('eq', kindOf(field), row[field], value))
    }
    case 'null':
      return ((row[condition.field] ?? null) === null) === condition.isNull
    case 'fields': {
      const { field, is, other } = condition
      return holds(is, kindOf(field), row[field], row[other])
    }
    case 'all':
      return condition.of.every(inner)
    case 'any':
      return condition.of.some(inner)
    case 'not':
      return !inner(condition.of)
    case 'startsWith':
    case 'some':
      return false
  }
}

const signs: Record<Comparison, (sign: number) => boolean> = {
  eq: (sign) => sign === 0,
  gt: (sign) => sign > 0,
  gte: (sign) => sign >= 0,
  lt: (sign) => sign < 0,
  lte: (sign) => sign <= 0,
}

const holds = (is: Comparison, kind: Field['kind'], one: unknown, other: unknown): boolean => {
  if (one === null || one === undefined || other === null || other === undefined) return false
  return signs[is](order(kind, one, other))
}

const order = (kind: Field['kind'], one: unknown, other: unknown): number => {
  if (kind === 'amount') return compareDecimals(parseDecimal(`${one}`), parseDecimal(`${other}`))
  if (typeof one === 'number' || typeof one === 'boolean') return Number(one) - Number(other)
  const [a, b] = [String(one), String(other)]
  return a < b ? -1 : a > b ? 1 : 0
}
