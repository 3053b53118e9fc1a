import { dayIn } from '#contract'
import { hasProcessEnded, processName } from '#store'
import type { RuleResult } from './check.ts'
import { checkChanged, findOutdated, type QualityParts } from './quality.ts'

export interface OutdatedParts extends Omit<QualityParts, 'today' | 'checkedAt'> {
  /** In milliseconds since 1970. */
  readonly now: number
}

/** The rules that were checked, and how many are left; or the process that checks them meanwhile. */
export type OutdatedCheck =
  | { readonly results: readonly RuleResult[]; readonly left: number }
  | { readonly holder: string }

/** The work of a lease: one process at a time checks a brand. */
const work = 'check'

/** How long a process of another machine that has ended without notice keeps others from checking. */
const leaseMs = 300_000

/** Checks the rules whose records have changed, on the brand's current local day. */
export const checkOutdated = async (parts: OutdatedParts): Promise<OutdatedCheck> => {
  const { store, brand, now } = parts
  const profile = await store.profile(brand)
  if (!profile) return { results: [], left: 0 }
  const today = dayIn(profile.timezone, now)
  const dated = { ...parts, today, checkedAt: new Date(now).toISOString() }
  if ((await findOutdated(dated)).outdated.length === 0) return { results: [], left: 0 }
  const lease = { work, holder: processName() }
  const request = { ...lease, now, until: now + leaseMs, hasEnded: hasProcessEnded }
  const holder = await store.leases.take(brand, request)
  if (holder !== null) return { holder }
  try {
    return await checkChanged(dated)
  } finally {
    await store.leases.release(brand, lease)
  }
}
