import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatUnits,
  type Grouping,
  parseDecimal,
  weekOf,
} from '#contract'
import type { Row, SqlValue } from '#database'
import { readText } from '../schema/identifier.ts'
import type {
  CurrencyAmount,
  ExtremeValue,
  Figures,
  GroupValue,
  MoneySum,
  SumValue,
} from './summary-request.ts'
import type { FieldCells, SummaryColumns } from './summary-sql.ts'

/** The running sums of a group's records. Rows of several slices are merged into it. */
export interface GroupSums {
  readonly by: readonly GroupValue[]
  items: number
  readonly sums: Map<string, Map<string | null, SumPart>>
  readonly mins: Map<string, Map<string | null, ExtremePart>>
  readonly maxes: Map<string, Map<string | null, ExtremePart>>
}

interface SumPart {
  sum: Decimal
  items: number
  /** Records whose amount is too long to be added. */
  tooLong: number
  converted: Decimal
  convertedItems: number
  leftOut: Decimal
}

interface ExtremePart {
  value: SqlValue
  items: number
}

const zero: Decimal = { units: 0n, scale: 0 }

export const newGroupSums = (by: readonly GroupValue[]): GroupSums => ({
  by,
  items: 0,
  sums: new Map(),
  mins: new Map(),
  maxes: new Map(),
})

export const addRow = (group: GroupSums, row: Row, columns: SummaryColumns): void => {
  group.items += Number(row[columns.countCell])
  for (const field of columns.sums) addSum(group.sums, field, row)
  for (const field of columns.mins) addExtreme(group.mins, field, row, -1)
  for (const field of columns.maxes) addExtreme(group.maxes, field, row, 1)
}

const partAt = <Part>(
  parts: Map<string, Map<string | null, Part>>,
  { field, currencyCell }: FieldCells,
  row: Row,
  create: () => Part,
): Part => {
  const byCurrency = parts.get(field) ?? new Map<string | null, Part>()
  parts.set(field, byCurrency)
  const cell = currencyCell === null ? null : (row[currencyCell] ?? null)
  const currency = cell === null ? null : String(cell)
  const part = byCurrency.get(currency) ?? create()
  byCurrency.set(currency, part)
  return part
}

const addSum = (
  sums: Map<string, Map<string | null, SumPart>>,
  field: FieldCells,
  row: Row,
): void => {
  const [items, stored] = [Number(row[field.cell + 1]), Number(row[field.cell + 2])]
  if (stored === 0) return
  const part = partAt(sums, field, row, () => ({
    sum: zero,
    items: 0,
    tooLong: 0,
    converted: zero,
    convertedItems: 0,
    leftOut: zero,
  }))
  part.sum = addDecimals(part.sum, decimalIn(row[field.cell]))
  part.items += items
  part.tooLong += stored - items
  part.converted = addDecimals(part.converted, decimalIn(row[field.cell + 3]))
  part.convertedItems += Number(row[field.cell + 4] ?? 0)
  part.leftOut = addDecimals(part.leftOut, decimalIn(row[field.cell + 5]))
}

const decimalIn = (cell: SqlValue | undefined): Decimal =>
  cell === null || cell === undefined ? zero : parseDecimal(String(cell))

const addExtreme = (
  extremes: Map<string, Map<string | null, ExtremePart>>,
  field: FieldCells,
  row: Row,
  sign: -1 | 1,
): void => {
  const items = Number(row[field.cell + 1])
  if (items === 0) return
  const value = row[field.cell] ?? null
  const part = partAt(extremes, field, row, () => ({ value, items: 0 }))
  part.items += items
  if (compareCells(field, value, part.value) * sign > 0) part.value = value
}

const compareCells = ({ declared }: FieldCells, one: SqlValue, other: SqlValue): number => {
  if (declared.kind === 'amount') return compareDecimals(decimalIn(one), decimalIn(other))
  if (declared.kind === 'integer') return Number(one) - Number(other)
  return String(one) < String(other) ? -1 : Number(one !== other)
}

/** The figures of a group, in request order. */
export const figuresOf = (
  group: GroupSums,
  columns: SummaryColumns,
  baseCurrency: string,
): Figures => ({
  items: group.items,
  sum: Object.fromEntries(
    columns.sums.map((field) => [field.field, sumOf(group.sums, field, baseCurrency)]),
  ),
  min: Object.fromEntries(
    columns.mins.map((field) => [field.field, extremeOf(group.mins, field, baseCurrency)]),
  ),
  max: Object.fromEntries(
    columns.maxes.map((field) => [field.field, extremeOf(group.maxes, field, baseCurrency)]),
  ),
  tooLong: Object.fromEntries(
    columns.sums.flatMap(({ field }) => {
      const parts = [...(group.sums.get(field)?.values() ?? [])]
      const items = parts.reduce((all, { tooLong }) => all + tooLong, 0)
      return items > 0 ? [[field, items]] : []
    }),
  ),
})

const sumOf = (
  sums: GroupSums['sums'],
  { field, declared, currency }: FieldCells,
  baseCurrency: string,
): SumValue => {
  const parts = sums.get(field) ?? new Map<string | null, SumPart>()
  if (currency) return moneySum(parts, currency.currency === null, baseCurrency)
  const { sum = zero } = parts.get(null) ?? {}
  return declared.kind === 'integer' ? sum.units : formatAmount(sum, 0)
}

const moneySum = (
  parts: ReadonlyMap<string | null, SumPart>,
  isBase: boolean,
  baseCurrency: string,
): MoneySum => {
  let base = zero
  const currencies: CurrencyAmount[] = []
  const leftOut: CurrencyAmount[] = []
  for (const [code, part] of parts) {
    if (part.items === 0) continue
    const currency = isBase ? baseCurrency : code
    currencies.push(currencyAmount(currency, part.sum, part.items))
    if (currency === baseCurrency) base = addDecimals(base, part.sum)
    else {
      base = addDecimals(base, part.converted)
      const items = part.items - part.convertedItems
      // Amounts that cannot be converted at all have no cell for it.
      const amount = part.convertedItems === 0 ? part.sum : part.leftOut
      if (items > 0) leftOut.push(currencyAmount(currency, amount, items))
    }
  }
  return {
    currencies: currencies.sort(byCurrency),
    base: {
      currency: baseCurrency,
      amount: formatAmount(base, moneyPlaces),
      withoutRate: leftOut.reduce((all, { items }) => all + items, 0),
      leftOut: leftOut.sort(byCurrency),
    },
  }
}

const currencyAmount = (
  currency: string | null,
  amount: Decimal,
  items: number,
): CurrencyAmount => ({ currency, amount: formatAmount(amount, moneyPlaces), items })

const extremeOf = (
  extremes: GroupSums['mins'],
  { field, declared, currency }: FieldCells,
  baseCurrency: string,
): ExtremeValue => {
  const parts = extremes.get(field) ?? new Map<string | null, ExtremePart>()
  if (currency) {
    return [...parts]
      .map(([code, { value, items }]) =>
        currencyAmount(currency.currency === null ? baseCurrency : code, decimalIn(value), items),
      )
      .sort(byCurrency)
  }
  const value = parts.get(null)?.value ?? null
  if (value === null) return null
  if (declared.kind === 'integer') return Number(value)
  return declared.kind === 'amount' ? formatAmount(decimalIn(value), 0) : String(value)
}

/** Sorts a missing currency last. */
const byCurrency = (one: CurrencyAmount, other: CurrencyAmount): number =>
  compareTexts(one.currency, other.currency)

const compareTexts = (one: string | null, other: string | null): number => {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? 1 : -1
  return one < other ? -1 : 1
}

const moneyPlaces = 2

/** Drops trailing zeros beyond `places` decimal places. */
const formatAmount = ({ units, scale }: Decimal, places: number): string => {
  let [rest, length] = [units, scale]
  while (length > places && rest % 10n === 0n) {
    rest /= 10n
    length -= 1
  }
  const missing = Math.max(0, places - length)
  return formatUnits(rest * 10n ** BigInt(missing), length + missing)
}

/** The value of a group cell, the same on every engine. */
export const groupValueOf = (
  cell: SqlValue,
  { dates }: Grouping,
  kind: string | undefined,
): GroupValue => {
  if (cell === null) return null
  if (dates === 'week') return weekOf(String(cell))
  if (dates !== null) return String(cell)
  if (kind === 'flag') return cell === 1 || cell === 'true'
  return kind === 'integer' ? Number(cell) : readText(cell)
}
