import { type Condition, type ConditionValue, plainDecimal } from '#contract'
import type { ColumnKind, Part } from '#database'
import { isWholeKey } from '../read/list.ts'
import { comparable, isCut } from '../schema/comparable.ts'
import {
  indexFor,
  type Key,
  linkIndexFor,
  type SortColumn,
  type Table,
  tableAt,
} from '../schema/tables.ts'
import { prefixRange } from './condition-sql.ts'
import { lookupColumn, sortColumnOf } from './operand.ts'
import type { PlainValue } from './request.ts'
import type { Order } from './sort-order.ts'

/** One end of a range of values. */
export interface Bound {
  readonly value: PlainValue
  readonly isInclusive: boolean
}

/** A contiguous range of an index. Its records are in order, so a scan can read it slice by slice. */
export type Stretch =
  /** All records, in identity order. */
  | { readonly kind: 'identity' }
  /** Records with one value, in identity order. */
  | { readonly kind: 'value'; readonly column: Part; readonly value: PlainValue }
  /** Records with a value within bounds, ordered by value, then by identity. */
  | {
      readonly kind: 'range'
      readonly column: Part
      readonly low: Bound | null
      readonly high: Bound | null
    }
  /** Records without a value, in identity order. */
  | { readonly kind: 'null'; readonly column: Part }
  /** Records that another collection references, in identity order. */
  | { readonly kind: 'link'; readonly some: Some }

export type Some = Extract<Condition, { readonly kind: 'some' }>

/** The index access that drives a list, and the conditions that it already guarantees. */
export interface Driver {
  readonly stretches: readonly Stretch[]
  /** Identities of a few records, in any order; null if `stretches` applies. */
  readonly keys: readonly Key[] | null
  readonly implied: readonly Condition[]
  /** The filter whose stored totals give the number of records, and its values. */
  readonly counted: { readonly filter: string; readonly values: readonly ConditionValue[] } | null
}

const driver = (stretches: readonly Stretch[], implied: readonly Condition[]): Driver => ({
  stretches,
  keys: null,
  implied,
  counted: null,
})

export const identityDriver: Driver = driver([{ kind: 'identity' }], [])

export const keysDriver = (keys: readonly Key[]): Driver => ({
  ...driver([], []),
  keys,
})

/** Whether a driver returns records in identity order. */
export const isInIdentityOrder = ({ stretches: [first, ...others] }: Driver): boolean =>
  first !== undefined && first.kind !== 'range' && others.length === 0

/** Whether a stretch has one row per record. A link may reference a record more than once. */
export const isDistinct = ({ kind }: Stretch): boolean => kind !== 'link'

/** Every driver that the conditions of a list allow. */
export const driversOf = (
  table: Table,
  tables: ReadonlyMap<string, Table>,
  conditions: readonly Condition[],
): readonly Driver[] => [
  ...conditions.flatMap((condition) => valuesDriver(table, condition) ?? []),
  ...conditions.flatMap((condition) => linkDriver(table, tables, condition) ?? []),
  ...table.sorts.flatMap((column) => columnDriver(column, conditions) ?? []),
]

/** Drives by the values of an indexed column. */
const valuesDriver = (table: Table, condition: Condition): Driver | undefined => {
  const wanted = valuesIn(condition)
  if (!wanted) return undefined
  const exact = lookupColumn(table, wanted.field)
  const column = exact ?? sortColumnOf(table, wanted.field)
  if (!column || !(indexFor(table, column.name) || table.key[0]?.name === column.name)) {
    return undefined
  }
  if (column.kind === 'prefix' && wanted.values.some(isCut)) return undefined
  const plain = wanted.values.map((value) =>
    comparable(column.kind, typeof value === 'boolean' ? Number(value) : value),
  ) as readonly PlainValue[]
  const stretches = distinct(column.kind, plain).map(
    (value): Stretch => ({ kind: 'value', column, value }),
  )
  const filter = table.resource.filters.find(({ name }) => name === column.name)
  return {
    // Different texts can fold to the same text, so a folded match does not imply the condition.
    ...driver(stretches, exact ? [condition] : []),
    counted: filter ? { filter: filter.name, values: [...new Set(wanted.values)] } : null,
  }
}

/** Different values only: 1.5 and 1.50 are one amount, whose records are read once. */
const distinct = (kind: ColumnKind, values: readonly PlainValue[]): readonly PlainValue[] => [
  ...new Map(
    values.map((value) => [
      kind === 'decimal' && typeof value === 'string' ? plainDecimal(value) : value,
      value,
    ]),
  ).values(),
]

const valuesIn = (
  condition: Condition,
): { readonly field: string; readonly values: readonly ConditionValue[] } | undefined => {
  if (condition.kind === 'in') return condition
  return condition.kind === 'compare' && condition.is === 'eq'
    ? { field: condition.field, values: [condition.value] }
    : undefined
}

/** Drives by the records that a link table references, in identity order. */
const linkDriver = (
  table: Table,
  tables: ReadonlyMap<string, Table>,
  condition: Condition,
): Driver | undefined => {
  if (condition.kind !== 'some') return undefined
  const { collection, match, local = 'id', where } = condition
  if (!isWholeKey(table, local) || where.kind !== 'compare' || where.is !== 'eq') return undefined
  const link = tableAt(tables, collection)
  const hasIndex =
    linkIndexFor(link, where.field, match) !== undefined || link.key[0]?.name === where.field
  return hasIndex ? driver([{ kind: 'link', some: condition }], [condition]) : undefined
}

/** Drives by a range of a column's values, or by its null values. */
const columnDriver = (column: SortColumn, conditions: readonly Condition[]): Driver | undefined => {
  const own = conditions.filter((each) => 'field' in each && each.field === column.path.join('.'))
  const absent = own.find((each) => each.kind === 'null' && each.isNull)
  if (absent) return driver([{ kind: 'null', column }], [absent])
  // Further bounds on the same side are compared record by record.
  const low = own.find((each) => boundsOf(column, each)?.low)
  const high = own.find((each) => boundsOf(column, each)?.high)
  const implied = own.filter((each) => each === low || each === high || each.kind === 'null')
  if (implied.length === 0) return undefined
  const stretch: Stretch = {
    kind: 'range',
    column,
    low: (low && boundsOf(column, low)?.low) ?? null,
    high: (high && boundsOf(column, high)?.high) ?? null,
  }
  // A prefix has two bounds. If another condition supplies one of them, compare the prefix too.
  const isWhole = (each: Condition) => each.kind !== 'startsWith' || (low === each && high === each)
  return driver([stretch], implied.filter(isWhole))
}

interface Bounds {
  readonly low: Bound | null
  readonly high: Bound | null
}

const boundsOf = (column: SortColumn, condition: Condition): Bounds | undefined => {
  if (condition.kind === 'startsWith') {
    const { first, end } = prefixRange(condition.text)
    const high = end === null ? null : { value: end, isInclusive: false }
    return { low: { value: first, isInclusive: true }, high }
  }
  if (condition.kind !== 'compare' || condition.is === 'eq' || column.kind === 'folded') {
    return undefined
  }
  const { is, value } = condition
  const bound: Bound = {
    value: comparable(
      column.kind,
      typeof value === 'boolean' ? Number(value) : value,
    ) as PlainValue,
    isInclusive: is === 'gte' || is === 'lte',
  }
  return is === 'gt' || is === 'gte' ? { low: bound, high: null } : { low: null, high: bound }
}

/**
 * Walks a list in its order: the stretches in sequence, and the conditions they imply. Null if no
 * index has the order.
 */
export const walkOf = (
  { value }: Order,
  isNullable: boolean,
  drivers: readonly Driver[],
  conditions: readonly Condition[],
): Driver | null => {
  if (!value) {
    // Records with one value of an indexed column are already in identity order.
    const single = drivers.find(
      ({ stretches: [first, ...others] }) => first?.kind === 'value' && others.length === 0,
    )
    return single ?? identityDriver
  }
  const { column } = value
  if (!column) return null
  const own = drivers.find(({ stretches: [first] }) =>
    first && (first.kind === 'range' || first.kind === 'null') ? first.column === column : false,
  )
  if (own) return own
  const single = conditions.find((each) => isOneValue(each, column))
  if (single?.kind === 'compare') {
    const bound = { value: single.value as PlainValue, isInclusive: true }
    return driver([{ kind: 'range', column, low: bound, high: bound }], [single])
  }
  const present: Stretch = { kind: 'range', column, low: null, high: null }
  return driver(isNullable ? [present, { kind: 'null', column }] : [present], [])
}

/** Whether a condition leaves only one value of the column of a filter. */
const isOneValue = (condition: Condition, column: Part): boolean =>
  condition.kind === 'compare' &&
  condition.is === 'eq' &&
  condition.field === column.name &&
  column.kind === 'prefix' &&
  !isCut(condition.value)
