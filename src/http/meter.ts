import { ApiError } from '#contract'
import type { Grant } from '#keys'
import { limitHeader, type Policy, policyHeader, type Quota } from '#quota'
import type { Visit } from './visit.ts'

export interface MeterParts {
  readonly quota: Quota
  /** For keys that have no rate of their own. */
  readonly policy: Policy
}

/** Takes one request from the key's bucket, and says on the answer what is left. */
export const meter = async (
  { quota, policy }: MeterParts,
  grant: Grant,
  visit: Visit,
): Promise<void> => {
  const own = {
    perSecond: grant.perSecond ?? policy.perSecond,
    burst: grant.burst ?? policy.burst,
  }
  const taken = await quota.take(`key ${grant.keyId}`, own)
  visit.headers['ratelimit-policy'] = policyHeader(own)
  visit.headers['ratelimit'] = limitHeader(taken)
  if (taken.allowed) return
  throw new ApiError(
    'rate_limited',
    `The rate limit of ${own.perSecond} requests a second is used up. Try again in ${taken.retryAfterSeconds} s.`,
    { retryAfterSeconds: taken.retryAfterSeconds },
  )
}
