import { dayIn } from '#contract'
import { checkChanged, type QualityParts } from './quality.ts'

export interface OutdatedParts extends Omit<QualityParts, 'today' | 'checkedAt'> {
  /** In milliseconds since 1970. */
  readonly now: number
}

/** Checks the rules whose records have changed, on the brand's current local day. */
export const checkOutdated = async (parts: OutdatedParts): ReturnType<typeof checkChanged> => {
  const { store, brand, now } = parts
  const { timezone } = (await store.profile(brand)) ?? { timezone: 'UTC' }
  const today = dayIn(timezone, now)
  return checkChanged({ ...parts, today, checkedAt: new Date(now).toISOString() })
}
