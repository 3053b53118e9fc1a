import { type Catalog, resourceAt } from './catalog.ts'
import { leafFields } from './fields.ts'
import type { Resource } from './resource.ts'

/** A step from a record to another: a field and its target collection. */
export interface ReferenceStep {
  readonly field: string
  readonly collection: string
}

/** A value of a record, or of a record that its references lead to. */
export interface ValuePath {
  readonly references: readonly ReferenceStep[]
  readonly field: string
}

/** A rate: base currency per unit of a currency. */
export interface RatePath extends ValuePath {
  /** The field beside the rate with the currency that it converts. */
  readonly currency: string
}

/**
 * The currency of a field's amounts, and how they are converted to the brand's base currency. All
 * sums in the base currency use this rule. An amount in the base currency counts as it is. Any other
 * amount counts as the base amount that its record states, or else as its product with the first
 * rate that is known and converts its currency. If there is none, the record is left out.
 */
export interface AmountCurrency {
  /** Null for the base currency. */
  readonly currency: ValuePath | null
  /** The field with the same amount in the base currency. */
  readonly baseAmount: string | null
  /** In order of precedence; paths begin at the record that has the currency. */
  readonly rates: readonly RatePath[]
}

/** The currency of an amount; null if the amount is not money. */
export const currencyOf = (
  catalog: Catalog,
  resource: Resource,
  name: string,
): AmountCurrency | null => {
  const from = leafFields(resource.fields).find((leaf) => leaf.name === name)?.field.currencyFrom
  if (from === undefined) return null
  if (from.startsWith('brand.')) return { currency: null, baseAmount: null, rates: [] }
  const { path, owner } = pathTo(catalog, resource, from)
  return {
    currency: path,
    baseAmount: resource.base?.amounts?.[name] ?? null,
    rates: ratesOf(catalog, owner).filter(
      ({ references, currency }) => references.length > 0 || currency === path.field,
    ),
  }
}

/** The collections that the currencies and rates of these fields come from, besides their own. */
export const currencyCollections = (
  catalog: Catalog,
  resource: Resource,
  fields: readonly string[],
): readonly string[] =>
  fields.flatMap((field) => {
    const { currency, rates = [] } = currencyOf(catalog, resource, field) ?? {}
    return [currency, ...rates].flatMap(
      (path) => path?.references.map(({ collection }) => collection) ?? [],
    )
  })

/** The rates of a record: its own, then those of the document that it belongs to. */
const ratesOf = (catalog: Catalog, { fields, base = {} }: Resource): readonly RatePath[] => {
  const { rate, document } = base
  const own = rate === undefined ? [] : [{ references: [], field: rate, currency: 'currency' }]
  const collection = document === undefined ? undefined : fields[document]?.to
  if (document === undefined || collection === undefined) return own
  const step = { field: document, collection }
  return [
    ...own,
    ...ratesOf(catalog, resourceAt(catalog, collection)).map((path) => ({
      ...path,
      references: [step, ...path.references],
    })),
  ]
}

const pathTo = (
  catalog: Catalog,
  resource: Resource,
  dotted: string,
): { readonly path: ValuePath; readonly owner: Resource } => {
  const [first = '', ...rest] = dotted.split('.')
  const collection = resource.fields[first]?.to
  if (rest.length === 0 || collection === undefined) {
    return { path: { references: [], field: dotted }, owner: resource }
  }
  const { path, owner } = pathTo(catalog, resourceAt(catalog, collection), rest.join('.'))
  const references = [{ field: first, collection }, ...path.references]
  return { path: { ...path, references }, owner }
}
