import { catalog, patterns, type RecordAt, resourceAt } from '#contract'
import type { Source } from '#ingest'
import { decodeBody, type Store } from '#store'
import { OperatorError } from './error.ts'

/** More brands than this are counted, not listed. */
const listedMax = 10

/** Fails if the text is not a valid slug. */
export const requireSlug = (slug: string): void => {
  if (isSlug(slug)) return
  throw new OperatorError(
    'invalid',
    `"${slug}" is not a valid slug. Use 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end.`,
  )
}

const isSlug = (text: string): boolean => new RegExp(patterns.brand).test(text)

/** Fails if the database does not have the brand, and lists the brands that it has. */
export const requireBrand = async (
  store: Pick<Store, 'has' | 'brands'>,
  brand: string,
): Promise<void> => {
  if (await store.has(brand)) return
  const slugs = (await store.brands()).map(({ slug }) => slug)
  const more = slugs.length - listedMax
  const existing =
    slugs.length === 0
      ? 'The database has no brands yet.'
      : `The database has ${slugs.slice(0, listedMax).join(', ')}${more > 0 ? ` and ${more} more (selvedge brands list)` : ''}.`
  const add = isSlug(brand) ? ` To add it: selvedge brands add ${brand} --name <name>` : ''
  throw new OperatorError('missing', `There is no brand ${brand}. ${existing}${add}`)
}

/** The stored record of a brand; null if there is no such brand. */
export const brandRecord = async (
  store: Pick<Store, 'list'>,
  brand: string,
): Promise<RecordAt<'brand'> | null> => {
  const resource = resourceAt(catalog, 'brand')
  const { items } = await store.list({
    resource,
    brand,
    filters: new Map(),
    limit: 1,
    after: null,
    include: [],
  })
  return items.length === 0 ? null : JSON.parse(decodeBody(items))
}

/** Whether the files have the record of their brand, which an import then creates. */
export const hasBrandRecord = (sources: readonly Source[]): boolean =>
  sources.some(({ resource }) => resource.lookup !== undefined)
