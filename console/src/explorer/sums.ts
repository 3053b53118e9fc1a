import {
  addDecimals,
  type Decimal,
  formatDecimal,
  parseDecimal,
} from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import type { Field, Group } from '../contract.ts'
import type { MoneySum, Sums } from '../summary.ts'
import { currencyOf } from '../values.ts'
import { baseAmountOf } from './base-amount.ts'
import type { Column } from './column.ts'

/** The fields of the shown columns that can be added up: amounts of money, and pieces. */
export const summedFields = (columns: readonly Column[]): readonly Field[] => {
  const fields = columns
    .filter(({ show }) => show !== 'subject' && show !== 'route')
    .flatMap(({ fields: own, derived }) => (derived === null ? own : own.slice(0, 1)))
  return [...new Map(fields.filter(isSummed).map((field) => [field.name, field])).values()]
}

const isSummed = ({ name, kind, measure }: Field): boolean =>
  (kind === 'amount' && measure === 'money') ||
  (kind === 'integer' && /quantity|qty|cartons|cartonCount|units$/i.test(name))

/** The exact sums of some records. */
export const sumRows = (
  group: Pick<Group, 'base'>,
  fields: readonly Field[],
  rows: readonly Row[],
  baseCurrency: string,
): Sums =>
  Object.fromEntries(
    fields.map((field) => [
      field.name,
      field.kind === 'amount'
        ? moneySum(group, field, rows, baseCurrency)
        : rows.reduce((all, row) => all + (Number(row[field.name]) || 0), 0),
    ]),
  )

const moneySum = (
  group: Pick<Group, 'base'>,
  field: Field,
  rows: readonly Row[],
  baseCurrency: string,
): MoneySum => {
  const currencies = new Map<string | null, Decimal>()
  let base: Decimal = { units: 0n, scale: 0 }
  let withoutRate = 0
  let hasForeign = false
  for (const row of rows) {
    const amount = row[field.name]
    if (typeof amount !== 'string') continue
    const currency = currencyOf(row, field, baseCurrency)
    const term = parseDecimal(amount)
    currencies.set(currency, addDecimals(currencies.get(currency) ?? { units: 0n, scale: 0 }, term))
    const converted =
      currency === baseCurrency ? amount : baseAmountOf(group, field, row, baseCurrency)
    hasForeign ||= currency !== baseCurrency
    if (converted === 'unknown' || converted === null) withoutRate += 1
    else base = addDecimals(base, parseDecimal(converted))
  }
  return {
    currencies: [...currencies]
      .sort(([one], [other]) => String(one).localeCompare(String(other)))
      .map(([currency, amount]) => ({ currency, amount: formatDecimal(amount) })),
    // Other records convert by the rates of their documents, which the console does not have.
    ...((group.base?.rate !== undefined || !hasForeign) && {
      base: { currency: baseCurrency, amount: formatDecimal(base), withoutRate },
    }),
  }
}
