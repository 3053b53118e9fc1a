import {
  type AmountCurrency,
  addDays,
  ageingGroups,
  type Catalog,
  currencyOf,
  type Field,
  fieldAt,
  type Grouping,
  limits,
  ownConversion,
  type ReferenceStep,
  type Resource,
  startOfDay,
  type Today,
  type ValuePath,
  zonedDays,
} from '#contract'
import { type Dialect, literal, quote, type SqlValue } from '#database'
import { createParams, type ParamList } from '../read/query-template.ts'
import { ownerOf } from '../schema/owners.ts'
import { columnsOf, type Table, tableAt, wholeText } from '../schema/tables.ts'
import type { SummaryRequest } from './summary-request.ts'
import type { ZoneOffset } from './zone-offsets.ts'

/** The table to aggregate, its alias, and the other tables of the brand. */
export interface SummaryScope {
  readonly catalog: Catalog
  readonly table: Table
  readonly alias: string
  readonly brand: string
  readonly tables: ReadonlyMap<string, Table>
  readonly dialect: Dialect
  readonly values: ParamList<SqlValue>
  /** The expressions read from each record, with the column that holds each. */
  readonly cells: Map<string, string>
  /** The offsets of the brand's time zone, if timestamps are grouped by date. */
  readonly offsets?: readonly ZoneOffset[]
}

/** What the expressions of values need. */
type ValueScope = Omit<SummaryScope, 'catalog' | 'cells'> & {
  /** Null if the statement reads each value where it is used. */
  readonly cells: SummaryScope['cells'] | null
}

/** The parts that the statements of a summary or a figure are compiled from. */
export type SummaryParts = Pick<SummaryScope, 'catalog' | 'tables' | 'dialect'>

/** The scope of a new statement on the records of a collection. */
export const openScope = (
  parts: SummaryParts,
  resource: Resource,
  brand: string,
  offsets: readonly ZoneOffset[] = [],
): SummaryScope => ({
  ...parts,
  table: tableAt(parts.tables, resource.path),
  alias: recordAlias,
  brand,
  values: createParams<SqlValue>(ownerOf(resource, brand)),
  cells: new Map(),
  offsets,
})

/** The cells that a statement selects for a field: where they begin in a row, and their meaning. */
export interface FieldCells {
  readonly field: string
  readonly declared: Field
  readonly currency: AmountCurrency | null
  /** The cell of its currency; null if it has none, or always the brand's. */
  readonly currencyCell: number | null
  readonly cell: number
}

/** The columns of a summary's rows, and how to read them. */
export interface SummaryColumns {
  /** The grouping columns come first: groups, then currencies. */
  readonly grouped: readonly string[]
  readonly aggregates: readonly string[]
  readonly countCell: number
  readonly sums: readonly FieldCells[]
  readonly mins: readonly FieldCells[]
  readonly maxes: readonly FieldCells[]
}

/**
 * Cells per sum: the sum, the number of values in it and the number of all values; the sum in the
 * base currency and the number of values in it; the sum of values that are left out of it.
 */
const sumCells = 6

export const summaryColumns = (request: SummaryRequest, scope: SummaryScope): SummaryColumns => {
  const { resource, by, baseCurrency } = request
  const grouped = by.map((grouping) => groupText(grouping, request.today, scope))
  const currencyCells = new Map<string, number>()
  const currencyCell = (currency: AmountCurrency | null): number | null => {
    if (!currency?.currency) return null
    const name = JSON.stringify(currency.currency)
    const existing = currencyCells.get(name)
    if (existing !== undefined) return existing
    grouped.push(pathText(currency.currency, scope))
    currencyCells.set(name, grouped.length - 1)
    return grouped.length - 1
  }
  const fieldOf = (field: string) => {
    const declared = fieldAt(resource.fields, field)
    if (!declared) throw new RangeError(`${resource.path} has no field ${field}.`)
    const currency = currencyOf(scope.catalog, resource, field)
    return { field, declared, currency, currencyCell: currencyCell(currency) }
  }
  const [sums, mins, maxes] = [request.sum, request.min, request.max].map((each) =>
    each.map(fieldOf),
  ) as [FieldSource[], FieldSource[], FieldSource[]]
  const aggregates = ['count(*)']
  const add = (cells: readonly string[]): number => {
    aggregates.push(...cells)
    return grouped.length + aggregates.length - cells.length
  }
  return {
    grouped,
    aggregates,
    countCell: grouped.length,
    sums: sums.map((each) => ({ ...each, cell: add(sumTexts(each, baseCurrency, scope)) })),
    mins: mins.map((each) => ({ ...each, cell: add(extremeTexts('min', each, scope)) })),
    maxes: maxes.map((each) => ({ ...each, cell: add(extremeTexts('max', each, scope)) })),
  }
}

type FieldSource = Omit<FieldCells, 'cell'>

const sumTexts = (
  { field, declared, currency }: FieldSource,
  baseCurrency: string,
  scope: SummaryScope,
): readonly string[] => {
  const { dialect } = scope
  const stored = fieldText(field, scope)
  const value = declared.kind === 'integer' ? stored : summable(stored)
  const sum = declared.kind === 'integer' ? dialect.sumIntegers(value) : dialect.sum([value])
  const plain = [sum, `count(${value})`, `count(${stored})`]
  const converted = currency && conversionText(currency, value, baseCurrency, scope)
  if (!converted)
    return [...plain, ...Array.from({ length: sumCells - plain.length }, () => 'null')]
  const { factors, isOther, isKnown } = converted
  return [
    ...plain,
    dialect.sum(factors, `${isOther} and ${isKnown}`),
    `count(${value}) filter (where ${isOther} and ${isKnown})`,
    dialect.sum([value], `${isOther} and not ${isKnown}`),
  ]
}

/** An amount, or null for one of an earlier release with more digits than an engine can add up. */
const summable = (amount: string): string =>
  `case when octet_length(${amount}) <= ${limits.bounds.amountCharacters} then ${amount} end`

/** How amounts in other currencies are converted, as expressions: see `AmountCurrency`. */
interface ConversionText {
  /** Their product is the amount in the base currency, if that is known. */
  readonly factors: readonly string[]
  /** Whether there is an amount in another currency than the base currency. */
  readonly isOther: string
  readonly isKnown: string
}

/** Null if no amount in another currency can be converted. */
const conversionText = (
  { currency, baseAmount, rates }: AmountCurrency,
  value: string,
  baseCurrency: string,
  scope: ValueScope,
): ConversionText | null => {
  if (!currency || (baseAmount === null && rates.length === 0)) return null
  const isOther = `${value} is not null and ${pathText(currency, scope)} is distinct from ${literal(baseCurrency)}`
  const rate =
    rates.length === 0 ? 'null' : summable(rateText({ currency, rates }, baseCurrency, scope))
  if (baseAmount === null) {
    return { factors: [value, rate], isOther, isKnown: `${rate} is not null` }
  }
  const stated = summable(fieldText(baseAmount, scope))
  return {
    factors: [
      `coalesce(${stated}, ${value})`,
      `case when ${stated} is not null then '1' else ${rate} end`,
    ],
    isOther,
    isKnown: `coalesce(${stated}, ${rate}) is not null`,
  }
}

/**
 * An amount in the base currency by what its record itself states, as a decimal: sums in the base
 * currency convert by the same rule, and by further rates. Null if it cannot be converted.
 */
export const baseAmountText = (
  amount: string,
  baseCurrency: string,
  records: Omit<ValueScope, 'cells'>,
): string => {
  const { table, dialect } = records
  const scope = { ...records, cells: null }
  const conversion = ownConversion(table.resource, amount)
  const value = summable(fieldText(amount, scope))
  const converted = conversion && conversionText(conversion, value, baseCurrency, scope)
  if (!converted) throw new RangeError(`${amount} states no amount in the base currency.`)
  const { factors, isOther } = converted
  return `case when ${isOther} then ${dialect.product(factors)} else ${dialect.decimal(value)} end`
}

/** The first known rate for a record's currency. Reads no rate of the base currency. */
const rateText = (
  { currency, rates }: { readonly currency: ValuePath } & Pick<AmountCurrency, 'rates'>,
  baseCurrency: string,
  scope: ValueScope,
): string =>
  followText(currency.references, scope, (owner) => {
    const own = readText(currency.field, owner)
    const texts = rates.map((rate) =>
      stepText(rate.references, owner, (document) => {
        const converted = readText(rate.currency, document)
        const isOwn = rate.references.length === 0 ? [] : [`${converted} = ${own}`]
        const isNeeded = [`${converted} <> ${literal(baseCurrency)}`, ...isOwn].join(' and ')
        return `case when ${isNeeded} then ${readText(rate.field, document)} end`
      }),
    )
    return texts.length === 1 ? (texts[0] ?? '') : `coalesce(${texts.join(', ')})`
  })

/** The cells of an extreme: the value, and how many records have one. */
const extremeTexts = (
  aggregate: 'min' | 'max',
  { field, declared }: FieldSource,
  scope: SummaryScope,
): readonly string[] => {
  const stored = fieldText(field, scope)
  if (declared.kind !== 'amount') return [`${aggregate}(${stored})`, `count(${stored})`]
  const value = summable(stored)
  return [scope.dialect.extreme(aggregate, value), `count(${value})`]
}

/** The value of a field from its column or the JSON text; an amount as it is written. */
const fieldText = (field: string, scope: ValueScope): string =>
  cellText(readText(field, scope), scope)

/** Reads each value of a record once, however often the statement uses it. */
const cellText = (text: string, { alias, cells }: ValueScope): string => {
  if (alias !== recordAlias || !cells) return text
  const name = cells.get(text) ?? `v${cells.size}`
  cells.set(text, name)
  return `${cellsAlias}.${quote(name)}`
}

/** The aliases of the aggregated records, and of the values read from each. */
export const recordAlias = 't'
export const cellsAlias = 'v'

const readText = (field: string, { table, alias, dialect }: ValueScope): string => {
  const column = columnsOf(table).find(
    ({ path, kind }) => path.join('.') === field && isAsWritten(kind),
  )
  if (column) return wholeText(column, alias, dialect)
  const text = dialect.jsonText(`${alias}."body"`, field.split('.'))
  const isInteger = fieldAt(table.resource.fields, field)?.kind === 'integer'
  return isInteger && dialect.name === 'postgres' ? `(${text})::bigint` : text
}

const isAsWritten = (kind: string): boolean =>
  kind === 'text' || kind === 'prefix' || kind === 'integer' || kind === 'uuid'

/** The value at the end of a path. */
export const pathText = ({ references, field }: ValuePath, scope: ValueScope): string =>
  followText(references, scope, (end) => readText(field, end))

/** A value of the record at the end of references: one subquery per reference. */
const followText = (
  references: readonly ReferenceStep[],
  scope: ValueScope,
  read: (end: ValueScope) => string,
): string => cellText(stepText(references, scope, read), scope)

const stepText = (
  [first, ...rest]: readonly ReferenceStep[],
  scope: ValueScope,
  read: (end: ValueScope) => string,
): string => {
  if (!first) return read(scope)
  const { tables, brand, values, alias } = scope
  const table = tableAt(tables, first.collection)
  const inner = { ...scope, table, alias: `${alias}r` }
  const [key] = table.key
  const owner = ownerOf(table.resource, brand)
  // The same text for the same path, so that its value is read once.
  const ownerText = owner === values.all[0] ? '?1' : values.add(owner)
  return [
    `(select ${stepText(rest, inner, read)}`,
    `from ${quote(table.name)} as ${inner.alias}`,
    `where ${inner.alias}."owner" = ${ownerText}`,
    `and ${inner.alias}.${quote(key?.name ?? 'id')} = ${identifierText(first.field, scope)})`,
  ].join('\n')
}

/** A reference, as the type of the key that it is compared with. */
const identifierText = (field: string, scope: ValueScope): string => {
  const text = readText(field, scope)
  const hasColumn = [...scope.table.key, ...scope.table.lookups].some(
    ({ path }) => path.join('.') === field,
  )
  return hasColumn ? text : scope.dialect.uuid(text)
}

const groupText = (
  { field, dates }: Grouping,
  { day: today, timezone }: Today,
  scope: SummaryScope,
): string => {
  const { dialect, table } = scope
  const value = fieldText(field, scope)
  if (dates === null) return value
  const isTimestamp = fieldAt(table.resource.fields, field)?.kind === 'timestamp'
  if (dates === 'ageing') {
    const boundOf = (day: string) =>
      isTimestamp ? new Date(startOfDay(timezone, day)).toISOString() : day
    return ageingText(value, today, boundOf)
  }
  const day = isTimestamp
    ? dialect.shiftedDay(value, offsetText(value, scope.offsets ?? []))
    : value
  const [length, text] =
    dates === 'month' ? [7, `substr(${day}, 1, 7)`] : [10, dialect.mondayOf(day)]
  // Neither engine computes with days before the first year.
  return [
    `case when ${value} >= ${literal(zonedDays.from)} and ${value} < ${literal(zonedDays.to)}`,
    `then ${text} else substr(${value}, 1, ${length}) end`,
  ].join('\n')
}

/** The `ageing` group; null for a record without the date. */
const ageingText = (value: string, today: string, boundOf: (day: string) => string): string => {
  const last = ageingGroups.at(-1)
  const cases = ageingGroups.slice(0, -1).map(({ name }, index) => {
    const days = (ageingGroups[index + 1]?.daysMin ?? 1) - 1
    return `when ${value} >= ${literal(boundOf(addDays(today, -days)))} then ${literal(name)}`
  })
  return [
    'case',
    `when ${value} is null then null`,
    ...cases,
    `else ${literal(last?.name ?? '')} end`,
  ].join('\n')
}

/** Whether a request groups timestamps by local dates, for which offsets are needed. */
export const needsOffsets = ({ resource, by }: SummaryRequest): boolean =>
  by.some(
    ({ field, dates }) =>
      (dates === 'month' || dates === 'week') &&
      fieldAt(resource.fields, field)?.kind === 'timestamp',
  )

/** The UTC offset in seconds at a time, as a binary search. */
const offsetText = (value: string, offsets: readonly ZoneOffset[]): string => {
  const [only] = offsets
  if (offsets.length <= 1) return String(only?.seconds ?? 0)
  const middle = Math.floor(offsets.length / 2)
  const change = new Date(offsets[middle]?.from ?? 0).toISOString()
  const before = offsetText(value, offsets.slice(0, middle))
  const after = offsetText(value, offsets.slice(middle))
  return `case when ${value} < ${literal(change)} then ${before} else ${after} end`
}
