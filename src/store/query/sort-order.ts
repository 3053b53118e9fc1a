import { compareDecimals, parseDecimal } from '#contract'
import { type ColumnKind, type Dialect, type Part, quote, type Row } from '#database'
import { compareKeys, readKey } from '../read/list.ts'
import { readText } from '../schema/identifier.ts'
import { type SortColumn, storedValue, type Table } from '../schema/tables.ts'
import { type OperandScope, sortColumnOf } from './operand.ts'
import type { PlainValue, Position, Sort } from './request.ts'

/**
 * The order of a list in terms of columns: records with a value first, by value, then records
 * without one, each by identity. Descending order reverses values and identities, but records
 * without a value stay last.
 */
export interface Order {
  readonly column: SortColumn | null
  readonly isDescending: boolean
}

/** The order of contract lists. */
export const identityOrder: Order = { column: null, isDescending: false }

export const orderOf = (table: Table, sort: Sort | null): Order => {
  if (!sort) return identityOrder
  const column = sortColumnOf(table, sort.field)
  if (!column) throw new RangeError(`${table.name} cannot be sorted by ${sort.field}.`)
  return { column, isDescending: sort.isDescending }
}

/** The condition that a record comes after a position. */
export const afterText = (
  { column, isDescending }: Order,
  { value, key }: Position,
  scope: OperandScope,
): string => {
  const { table } = scope
  const isAfter = (columns: readonly Part[], values: readonly PlainValue[]) =>
    compareText(columns, isDescending ? '<' : '>', values, scope)
  if (!column) return isAfter(table.key, key)
  const isNull = `t.${quote(column.name)} is null`
  return value === null
    ? `${isNull} and ${isAfter(table.key, key)}`
    : `(${isAfter([column, ...table.key], [value, ...key])} or ${isNull})`
}

/** Compares columns with the values of a position as a tuple. */
export const compareText = (
  columns: readonly Part[],
  operator: string,
  position: readonly PlainValue[],
  { alias, dialect, values }: OperandScope,
): string => {
  const names = columns.map(({ name }) => `${alias}.${quote(name)}`)
  const bound = columns.map((column, index) =>
    storedValue(column, values.add(position[index] ?? null), dialect),
  )
  const tuple = (parts: readonly string[]) =>
    parts.length === 1 ? parts[0] : `(${parts.join(', ')})`
  return `${tuple(names)} ${operator} ${tuple(bound)}`
}

/** Compares two positions in an order. */
export const comparePositions =
  ({ column, isDescending }: Order) =>
  (one: Position, other: Position): number => {
    if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1
    const values =
      column && one.value !== null && other.value !== null
        ? compareValues(column.kind, one.value, other.value)
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
  { column }: Order,
  dialect: Dialect,
): Position => ({
  key: readKey(row, table),
  value: column && readPlain(column, row[table.key.length] ?? null, dialect),
})

/** A cell as the same value on every engine. */
export const readPlain = ({ kind }: Part, cell: Row[number], dialect: Dialect): PlainValue => {
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
