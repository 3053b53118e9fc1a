import { ApiError, patterns } from '#contract'
import type { ChangeTracker, ReadState, Store } from '#store'

/** Rejects with 404 where a brand does not exist; undefined where it is known to exist. */
export type BrandLookup = (brand: string) => undefined | Promise<void>

const brandPattern = new RegExp(patterns.brand)

/** Looks brands up, and only again after a change. Brands that do not exist take no memory. */
export const createBrandLookup = (store: Store, changes: ChangeTracker | null): BrandLookup => {
  const existing = new Map<string, ReadState>()

  const look = async (brand: string): Promise<void> => {
    const readState = brandPattern.test(brand) ? await store.find(brand) : null
    if (readState) existing.set(brand, readState)
    else {
      existing.delete(brand)
      throw new ApiError('not_found', 'There is no such brand.')
    }
  }

  return (brand) => {
    const readState = existing.get(brand)
    return readState && changes?.isFresh(readState) ? undefined : look(brand)
  }
}
