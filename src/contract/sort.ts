import type { AmountCurrency } from './amount-currency.ts'
import type { Resource } from './resource.ts'

/** Sorts a view by its date. */
export const viewDate = 'viewDate'

/** Ends the name of an order by an amount in the base currency of the brand. */
export const baseSuffix = '.base'

/** Every order of a list besides that of the identity, as `sort` names it. */
export const sortsOf = (resource: Resource): readonly string[] => [
  ...resource.sortable,
  ...valueSorts(resource),
  ...baseSorts(resource).map((amount) => `${amount}${baseSuffix}`),
  ...(resource.views.some(({ dates }) => dates.length > 0) ? [viewDate] : []),
]

/**
 * The filters with known values that every record has, such as `status`. The index of the filter has
 * the records in this order.
 */
const valueSorts = ({ filters, fields, sortable }: Resource): readonly string[] =>
  filters.flatMap(({ name, field }) => {
    const { kind, nullable, values } = fields[name] ?? {}
    const isKnown = field === name && kind === 'text' && values !== undefined && !nullable
    return isKnown && !sortable.includes(name) ? [name] : []
  })

/** The sortable amounts that a record converts to the base currency by itself. */
const baseSorts = (resource: Resource): readonly string[] =>
  resource.sortable.filter((name) => ownConversion(resource, name) !== null)

/**
 * The conversion of an amount to the base currency without any other record: as `AmountCurrency`
 * says, but only by what the record itself states. Null if it states neither a rate nor the amount
 * in the base currency.
 */
export const ownConversion = (
  { fields, base = {} }: Resource,
  amount: string,
): AmountCurrency | null => {
  const from = fields[amount]?.currencyFrom
  if (from === undefined || !Object.hasOwn(fields, from)) return null
  const { rate, amounts = {} } = base
  const baseAmount = amounts[amount] ?? null
  const rates =
    rate === undefined || from !== 'currency'
      ? []
      : [{ references: [], field: rate, currency: from }]
  if (baseAmount === null && rates.length === 0) return null
  return { currency: { references: [], field: from }, baseAmount, rates }
}
