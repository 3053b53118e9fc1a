import { formatDecimal, multiplyDecimals, parseDecimal } from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import type { Field, Group } from '../contract.ts'

/** An amount in the base currency: exact, unknown without a rate, or null without an amount. */
export type BaseAmount = string | 'unknown' | null

/**
 * The amount of a record in the base currency, by the rule of `sort=totalAmount.base`: as it is in
 * the base currency, else as the record states it, else by the rate of the record.
 */
export const baseAmountOf = (
  { base }: Pick<Group, 'base'>,
  field: Pick<Field, 'name' | 'currencyFrom'>,
  row: Row,
  baseCurrency: string | null,
): BaseAmount => {
  const amount = textAt(row, field.name)
  if (amount === null) return null
  const currency = textAt(row, field.currencyFrom)
  if (currency !== null && currency === baseCurrency) return amount
  const stated = textAt(row, base?.amounts?.[field.name])
  if (stated !== null) return stated
  const rate = textAt(row, base?.rate)
  if (rate === null || currency === null) return 'unknown'
  return formatDecimal(multiplyDecimals(parseDecimal(amount), parseDecimal(rate)))
}

/** The amounts with a column in the base currency: those of records that have a rate. */
export const convertibleFields = ({ base, fields, sortable }: Group): readonly Field[] =>
  base?.rate === undefined
    ? []
    : fields.filter(
        ({ name, measure, currencyFrom }) =>
          measure === 'money' && currencyFrom === 'currency' && sortable.includes(name),
      )

const textAt = (row: Row, name: string | null | undefined): string | null => {
  const value = name ? row[name] : null
  return typeof value === 'string' ? value : null
}
