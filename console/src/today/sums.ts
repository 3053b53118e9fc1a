import type { CurrencyAmount, Figures, MoneySum } from '../../../client/src/index.ts'
import { moneyText, roundedMoneyText } from '../figures.ts'
import { texts } from '../texts/index.ts'

const isMoney = (sum: unknown): sum is MoneySum => typeof sum === 'object' && sum !== null

const moneyOf = ({ sum }: Figures, field: string): MoneySum | null => {
  const value = sum?.[field]
  return isMoney(value) ? value : null
}

/** The sum of a field in the base currency, as a number: for the length of a bar only. */
export const baseNumber = (figures: Figures, field: string): number =>
  Number(moneyOf(figures, field)?.base.amount ?? 0)

/**
 * Whether a sum in the base currency would mislead, because it leaves out more than a tenth of the
 * records. Their amounts are then shown by currency.
 */
export const isPartial = (all: readonly Figures[], field: string): boolean => {
  const sums = all.flatMap((figures) => moneyOf(figures, field) ?? [])
  const countOf = (amounts: readonly CurrencyAmount[]) =>
    amounts.reduce((count, { items }) => count + items, 0)
  const records = sums.reduce((count, { currencies }) => count + countOf(currencies), 0)
  const leftOut = sums.reduce((count, { base }) => count + base.withoutRate, 0)
  return leftOut * 10 > records
}

/** The sum of a field: one amount in the base currency, or one per currency if that is partial. */
export const amountsOf = (figures: Figures, field: string): readonly string[] => {
  const sum = moneyOf(figures, field)
  if (!sum) return []
  const { currencies, base } = sum
  return isPartial([figures], field)
    ? currencies.map(({ currency, amount }) => moneyText(amount, currency))
    : [roundedMoneyText(base.amount, base.currency)]
}

/** The sum, and what it leaves out, as parts of a line. */
export const sumTexts = (figures: Figures, field: string): readonly string[] => [
  amountsOf(figures, field).join(' + '),
  ...leftOutTexts(figures, field),
]

/** What a sum in the base currency leaves out, or why the amounts are shown by currency. */
export const leftOutTexts = (figures: Figures, field: string): readonly string[] => {
  const { withoutRate = 0, leftOut = [] } = moneyOf(figures, field)?.base ?? {}
  if (withoutRate === 0) return []
  if (isPartial([figures], field)) return [texts().today.byCurrency(withoutRate)]
  const amounts = leftOut.map(({ currency, amount }) => moneyText(amount, currency))
  return [texts().today.leftOut(withoutRate, amounts.join(' + '))]
}

/** The sum of an integer field. */
export const quantityOf = ({ sum }: Figures, field: string): number => {
  const value = sum?.[field]
  return isMoney(value) ? 0 : Number(value ?? 0)
}
