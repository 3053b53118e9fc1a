import { patterns } from '#contract'
import type { Store } from '#store'
import { CommandError } from './output.ts'

/** More brands than this are counted, not listed. */
const listedMax = 10

/** Refuses a brand that is not in the database, and names the ones that are. */
export const requireBrand = async (
  store: Pick<Store, 'has' | 'brands'>,
  brand: string,
): Promise<void> => {
  if (await store.has(brand)) return
  const slugs = (await store.brands()).map(({ slug }) => slug)
  const more = slugs.length - listedMax
  const known =
    slugs.length === 0
      ? 'The database has no brands yet.'
      : `The database has ${slugs.slice(0, listedMax).join(', ')}${more > 0 ? ` and ${more} more (selvedge brands list)` : ''}.`
  const canBeAdded = new RegExp(patterns.brand).test(brand)
  const add = canBeAdded ? ` To add it: selvedge brands add ${brand} --name <name>` : ''
  throw new CommandError(`There is no brand ${brand}. ${known}${add}`)
}
