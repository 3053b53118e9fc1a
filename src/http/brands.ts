import { ApiError, patterns } from '#contract'
import type { AsOf, News, Store } from '#store'

/** Knows which brands there are, without asking each time. */
export interface Brands {
  has(brand: string): boolean | Promise<boolean>
}

/** Only brands that are there are remembered: nobody can fill the memory with names. */
export const openBrands = (store: Store, news: News | null): Brands => {
  const known = new Map<string, AsOf>()
  const look = async (brand: string): Promise<boolean> => {
    const asOf = await store.find(brand)
    if (asOf) known.set(brand, asOf)
    else known.delete(brand)
    return asOf !== null
  }
  return {
    has: (brand) => {
      const asOf = known.get(brand)
      return (asOf && news?.holds(asOf)) || look(brand)
    },
  }
}

const brandPattern = new RegExp(patterns.brand)

/** Refuses a brand that is not there. */
export const requireBrand = async (brands: Brands, brand: string): Promise<void> => {
  if (!brandPattern.test(brand) || !(await brands.has(brand))) {
    throw new ApiError('not_found', 'There is no such brand.')
  }
}
