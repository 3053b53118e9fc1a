import { type Catalog, type Resource, referencesOf, resourceAt } from '#contract'
import type { StoredRecord } from '#store'

/** The brand that takes the records of another brand's export. */
export interface AdoptingBrand {
  readonly slug: string
  /** The stored record of the brand; null if the import creates the brand. */
  readonly record: StoredRecord | null
}

/** A value of a row for the brand, or the reason why the brand cannot take it. */
export type Adopted = { readonly value: unknown } | { readonly reason: string }

const currencyField = 'baseCurrencyCode'

/**
 * Rewrites what names the exported brand: its own record, and the references to that record. Null
 * for a collection without either, whose rows stay as they are. A stored brand keeps its record.
 */
export const createAdopter = (
  catalog: Catalog,
  resource: Resource,
  { slug, record }: AdoptingBrand,
): ((value: unknown) => Adopted) | null => {
  const { lookup } = resource
  if (lookup) {
    return (value) => {
      if (!isRow(value)) return { value }
      if (!record) return { value: { ...value, [lookup]: slug } }
      if (value[currencyField] === record[currencyField]) return { value: record }
      return {
        reason: `has the base currency ${value[currencyField]}, and ${slug} has ${record[currencyField]}; rates of the records would be wrong`,
      }
    }
  }
  const fields = referencesOf(resource)
    .filter(({ to }) => resourceAt(catalog, to).lookup)
    .map(({ field }) => field)
  if (fields.length === 0 || !record) return null
  return (value) => {
    if (!isRow(value)) return { value }
    const own = fields.map((field) => [field, value[field] && record['id']])
    return { value: { ...value, ...Object.fromEntries(own) } }
  }
}

const isRow = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
