import type { Row } from './api.ts'
import type { Field } from './contract.ts'
import { countText, dayText, momentText, moneyText, percentText } from './figures.ts'
import { valueLabel } from './texts/contract.ts'
import { texts } from './texts/index.ts'
import { asText, currencyOf, isStatus, referenceTitle } from './values.ts'

/** The value of a field as text, formatted by its kind. Empty without a value. */
export const valueText = (row: Row, field: Field, baseCurrency: string | null): string => {
  const value = row[field.name]
  if (value === null || value === undefined) return ''
  return byKind[field.kind]?.(value, { row, field, baseCurrency }) ?? asText(value)
}

interface Context {
  readonly row: Row
  readonly field: Field
  readonly baseCurrency: string | null
}

/** Values of other kinds are shown as they are. */
const byKind: Partial<Record<Field['kind'], (value: unknown, context: Context) => string>> = {
  ref: (value, { row, field }) => referenceTitle(row, field) ?? String(value),
  text: (value, { field }) =>
    isStatus(field) || field.values.includes(String(value))
      ? valueLabel(String(value))
      : String(value),
  integer: (value) => countText(Number(value)),
  flag: (value) => (value ? texts().figures.yes : texts().figures.no),
  amount: (value, { row, field, baseCurrency }) =>
    field.measure === 'percent'
      ? percentText(String(value))
      : moneyText(String(value), currencyOf(row, field, baseCurrency)),
  date: (value) => dayText(String(value)),
  timestamp: (value) => momentText(String(value)),
  texts: (value) => (value as readonly string[]).join(', '),
}
