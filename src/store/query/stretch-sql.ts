import type { Condition } from '#contract'
import { type Part, quote } from '#database'
import { joinByKey, keyJoin, tableByIndex } from '../read/list.ts'
import { ownerOf } from '../schema/owners.ts'
import {
  indexFor,
  type Key,
  linkIndexFor,
  storedValue,
  type Table,
  tableAt,
} from '../schema/tables.ts'
import type { Bound, Some, Stretch } from './access.ts'
import { type ConditionScope, compileCondition } from './condition-sql.ts'
import type { PlainValue, Position } from './request.ts'
import { compareText, type Order } from './sort-order.ts'

/** A slice of a stretch: after one position, up to and including another. */
export interface Span {
  readonly from: readonly PlainValue[] | null
  readonly to: readonly PlainValue[] | null
}

export const wholeSpan: Span = { from: null, to: null }

/** The columns that a stretch is ordered by. */
export const stretchColumns = ({ key }: Table, stretch: Stretch): readonly Part[] =>
  stretch.kind === 'range' ? [stretch.column, ...key] : key

/** A stretch as SQL, for a statement whose first value is the owner. */
export interface StretchText {
  readonly from: string
  readonly where: readonly string[]
  readonly order: string
}

export const stretchText = (
  stretch: Stretch,
  span: Span,
  isDescending: boolean,
  scope: ConditionScope,
): StretchText => {
  const { table, dialect } = scope
  const columns = stretchColumns(table, stretch)
  const direction = isDescending ? ' desc' : ''
  const order = columns.map(({ name }) => `t.${quote(name)}${direction}`).join(', ')
  if (stretch.kind === 'link') return { ...linkText(stretch.some, span, scope), order }
  const index = stretch.kind === 'identity' ? undefined : indexFor(table, stretch.column.name)
  return {
    from: tableByIndex(dialect, table.name, 't', index ?? dialect.primaryKeyIndex(table.name)),
    where: ['t."owner" = ?1', ...limitsOf(stretch, columns, span, isDescending, scope)],
    order,
  }
}

/** A position replaces the bound on its side, so that the index has a single entry point. */
const limitsOf = (
  stretch: Exclude<Stretch, { readonly kind: 'link' }>,
  columns: readonly Part[],
  { from, to }: Span,
  isDescending: boolean,
  scope: ConditionScope,
): readonly string[] => {
  const at = (operator: string, position: readonly PlainValue[]) =>
    compareText(columns, operator, position, scope)
  const begins = from ? [at(isDescending ? '<' : '>', from)] : []
  const ends = to ? [at(isDescending ? '>=' : '<=', to)] : []
  if (stretch.kind === 'identity') return [...begins, ...ends]
  const { column } = stretch
  const { table } = scope
  const name = `t.${quote(column.name)}`
  if (stretch.kind === 'null') return [`${name} is null`, ...begins, ...ends]
  if (stretch.kind === 'value') {
    return [compareText([column], '=', [stretch.value], scope), ...begins, ...ends]
  }
  const bound = (limit: Bound | null, operator: string) =>
    limit
      ? [compareText([column], limit.isInclusive ? `${operator}=` : operator, [limit.value], scope)]
      : []
  const [low, high] = isDescending ? [ends, begins] : [begins, ends]
  const limits = [
    ...(low.length > 0 ? low : bound(stretch.low, '>')),
    ...(high.length > 0 ? high : bound(stretch.high, '<')),
  ]
  // The index of a lookup column has no records without a value, which a tuple does not imply.
  const isPartial = table.lookups.some((each) => each.name === column.name)
  return limits.length > 0 && !isPartial ? limits : [...limits, `${name} is not null`]
}

/** The rest of a stretch after a position; null if all of it comes before. */
export const spanAfter = (stretch: Stretch, order: Order, after: Position | null): Span | null => {
  if (!after) return wholeSpan
  const { value, key } = after
  if (stretch.kind === 'range') return value === null ? null : { from: [value, ...key], to: null }
  // Records without a value come last.
  return order.value && value !== null ? wholeSpan : { from: key, to: null }
}

/**
 * Selects records by identity, in the given order if the engine's join keeps it. The text ends with
 * the conditions, so that more can be appended.
 */
export const keysText = (
  keys: readonly Key[],
  { table, dialect, values }: ConditionScope,
): string => {
  const isSingle = table.key.length === 1
  const wanted = table.key.map((column, index) => {
    const part = isSingle ? 'v."value"' : dialect.jsonText('v."value"', [`k${index}`])
    return storedValue(column, part, dialect)
  })
  const texts = keys.map((key) =>
    isSingle
      ? key[0]
      : JSON.stringify(Object.fromEntries(key.map((part, index) => [`k${index}`, part]))),
  )
  const list = values.add(JSON.stringify(texts))
  return `from ${dialect.textsIn(list, 'v')}\n${joinByKey(table, dialect, wanted)}`
}

/** The records that a link references, each once. */
const linkText = (some: Some, span: Span, scope: ConditionScope): Omit<StretchText, 'order'> => {
  const { table, dialect } = scope
  const match = `l.${quote(some.match)}`
  const { join, where } = keyJoin(table, dialect, ['m."match"'])
  const named = `select ${match} as "match"\n${linkRowsText(some, span, scope)}\ngroup by ${match}`
  return { from: `(${named}) as m\n${join}`, where }
}

/**
 * The link rows that reference records, as `l`: a slice of them, ordered by the referenced
 * identity.
 */
export const linkRowsText = (
  { collection, match, where }: Some,
  { from, to }: Span,
  scope: ConditionScope,
): string => {
  const { brand, tables, dialect, values } = scope
  const table = tableAt(tables, collection)
  const field = where.kind === 'compare' ? where.field : ''
  const inner: ConditionScope = { ...scope, table, alias: 'l' }
  const named = scope.table.key.map((column) => ({ ...column, name: match }))
  return [
    `from ${tableByIndex(dialect, table.name, 'l', linkIndexFor(table, field, match))}`,
    `where l."owner" = ${values.add(ownerOf(table.resource, brand))}`,
    `and ${compileCondition(where, inner)}`,
    ...(from ? [`and ${compareText(named, '>', from, inner)}`] : []),
    ...(to ? [`and ${compareText(named, '<=', to, inner)}`] : []),
  ].join('\n')
}

export const conditionTexts = (
  conditions: readonly Condition[],
  scope: ConditionScope,
): readonly string[] => conditions.map((each) => compileCondition(each, scope))
