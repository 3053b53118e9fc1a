import type { Figures, MoneySum } from '../../../client/src/index.ts'
import { roundedMoneyText } from '../figures.ts'

const isMoney = (sum: unknown): sum is MoneySum => typeof sum === 'object' && sum !== null

/** The sum of a field in the base currency. */
export const baseOf = ({ sum }: Figures, field: string): MoneySum['base'] | null => {
  const value = sum?.[field]
  return isMoney(value) ? value.base : null
}

/** The sum as text, rounded to the decimals of the currency. */
export const baseText = (figures: Figures, field: string): string => {
  const base = baseOf(figures, field)
  return base ? roundedMoneyText(base.amount, base.currency) : ''
}

/** The sum of an integer field. */
export const quantityOf = ({ sum }: Figures, field: string): number => {
  const value = sum?.[field]
  return isMoney(value) ? 0 : Number(value ?? 0)
}
