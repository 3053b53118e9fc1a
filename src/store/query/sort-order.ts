import { compareDecimals, parseDecimal } from '#contract'
import { type ColumnKind, type Dialect, type Part, quote, type Row, type SqlValue } from '#database'
import { compareKeys, readKey } from '../read/list.ts'
import { createParams } from '../read/query-template.ts'
import { readText } from '../schema/identifier.ts'
import { storedValue, type Table } from '../schema/tables.ts'
import { comparedDates } from './compared-dates.ts'
import { lookupColumn, type OperandScope, sortColumnOf } from './operand.ts'
import type { ComputedValue, PlainValue, Position, Sort } from './request.ts'
import { baseAmountText } from './summary-sql.ts'

/**
 * The order of a list in terms of tables: records with a value first, by value, then records
 * without one, each by identity. Descending order reverses values and identities, but records
 * without a value stay last.
 */
export interface Order {
  /** Null for identity order. */
  readonly value: OrderValue | null
  readonly isDescending: boolean
}

/** The list that is sorted. */
interface OrderTarget {
  readonly table: Table
  readonly tables: ReadonlyMap<string, Table>
  readonly brand: string
  readonly dialect: Dialect
}

/** What a list is sorted by, as SQL on the records `t`. */
export interface OrderValue {
  readonly kind: ColumnKind
  readonly text: string
  /** The column with the value; null if it is computed, so that no index has the order. */
  readonly column: Part | null
}

/** The order of contract lists. */
export const identityOrder: Order = { value: null, isDescending: false }

export const orderOf = (target: OrderTarget, sort: Sort | null): Order => {
  if (!sort) return identityOrder
  const { field, isDescending, by } = sort
  if (by) return { value: computedValue(target, by), isDescending }
  const { table } = target
  const column = sortColumnOf(table, field) ?? lookupColumn(table, field)
  if (!column) throw new RangeError(`${table.name} cannot be sorted by ${field}.`)
  return { value: columnValue(column), isDescending }
}

const columnValue = (column: Part): OrderValue => ({
  kind: column.kind,
  text: `t.${quote(column.name)}`,
  column,
})

const computedValue = (target: OrderTarget, by: ComputedValue): OrderValue => {
  const scope = { ...target, alias: 't', values: createParams<SqlValue>() }
  if (by.kind === 'base') {
    const { amount, currency } = by
    return { kind: 'decimal', text: baseAmountText(amount, currency, scope), column: null }
  }
  const { kind, texts, columns } = comparedDates(by.fields, scope)
  const [text = 'null'] = texts
  if (texts.length > 1) return { kind, text: `coalesce(${texts.join(', ')})`, column: null }
  return { kind, text, column: columns?.[0] ?? null }
}

/** The condition that a record comes after a position. */
export const afterText = (
  { value: by, isDescending }: Order,
  { value, key }: Position,
  scope: OperandScope,
): string => {
  const keys = partsOf(scope.table.key, scope)
  const isAfter = (parts: readonly ComparedPart[], values: readonly PlainValue[]) =>
    comparePartsText(parts, isDescending ? '<' : '>', values, scope)
  if (!by) return isAfter(keys, key)
  const isNull = `${by.text} is null`
  return value === null
    ? `${isNull} and ${isAfter(keys, key)}`
    : `(${isAfter([by, ...keys], [value, ...key])} or ${isNull})`
}

type ComparedPart = Pick<OrderValue, 'kind' | 'text'>

const partsOf = (columns: readonly Part[], { alias }: OperandScope): readonly ComparedPart[] =>
  columns.map(({ kind, name }) => ({ kind, text: `${alias}.${quote(name)}` }))

/** Compares columns with the values of a position as a tuple. */
export const compareText = (
  columns: readonly Part[],
  operator: string,
  position: readonly PlainValue[],
  scope: OperandScope,
): string => comparePartsText(partsOf(columns, scope), operator, position, scope)

const comparePartsText = (
  parts: readonly ComparedPart[],
  operator: string,
  position: readonly PlainValue[],
  { dialect, values }: OperandScope,
): string => {
  const bound = parts.map((part, index) =>
    storedValue(part, values.add(position[index] ?? null), dialect),
  )
  const tuple = (texts: readonly string[]) =>
    texts.length === 1 ? texts[0] : `(${texts.join(', ')})`
  return `${tuple(parts.map(({ text }) => text))} ${operator} ${tuple(bound)}`
}

/** Compares two positions in an order. */
export const comparePositions =
  ({ value: by, isDescending }: Order) =>
  (one: Position, other: Position): number => {
    if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1
    const values =
      by && one.value !== null && other.value !== null
        ? compareValues(by.kind, one.value, other.value)
        : 0
    const order = values === 0 ? compareKeys(one.key, other.key) : values
    return isDescending ? -order : order
  }

const compareValues = (
  kind: ColumnKind,
  one: NonNullable<PlainValue>,
  other: NonNullable<PlainValue>,
): number => {
  if (kind === 'decimal') return compareDecimals(parseDecimal(`${one}`), parseDecimal(`${other}`))
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : Buffer.compare(Buffer.from(`${one}`), Buffer.from(`${other}`))
}

/** Reads the position from a row that begins with the identity and the sort value. */
export const readPosition = (
  row: Row,
  table: Table,
  { value }: Order,
  dialect: Dialect,
): Position => ({
  key: readKey(row, table),
  value: value && readPlain(value, row[table.key.length] ?? null, dialect),
})

/** A cell as the same value on every engine. */
export const readPlain = (
  { kind }: Pick<Part, 'kind'>,
  cell: Row[number],
  dialect: Dialect,
): PlainValue => {
  if (cell === null) return null
  switch (kind) {
    case 'decimal':
      return dialect.decimalText(cell)
    case 'text':
    case 'prefix':
    case 'folded':
    case 'uuid':
      return readText(cell)
    default:
      return Number(cell)
  }
}
