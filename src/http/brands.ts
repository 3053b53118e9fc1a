import { ApiError, patterns } from '#contract'
import type { ChangeTracker, ReadState, Store } from '#store'

/** Knows which brands there are, without asking each time. */
export interface Brands {
  has(brand: string): boolean | Promise<boolean>
}

/** Only brands that are there are remembered: nobody can fill the memory with names. */
export const openBrands = (store: Store, news: ChangeTracker | null): Brands => {
  const known = new Map<string, ReadState>()
  const look = async (brand: string): Promise<boolean> => {
    const readState = await store.find(brand)
    if (readState) known.set(brand, readState)
    else known.delete(brand)
    return readState !== null
  }
  return {
    has: (brand) => {
      const readState = known.get(brand)
      return (readState && news?.isFresh(readState)) || look(brand)
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
