import { ApiError } from '#contract'
import type { Grant } from '#keys'
import { limitHeader, type Policy, policyHeader, type Quota, type Taken } from '#quota'
import type { Visit } from './visit.ts'

export interface MeterParts {
  readonly quota: Quota
  /** For keys that have no rate of their own. */
  readonly policy: Policy
}

/** Takes one request from the key's bucket. */
export const takeOne = (
  { quota, policy }: MeterParts,
  grant: Grant,
): { readonly own: Policy; readonly taken: Taken | Promise<Taken> } => {
  const own = {
    perSecond: grant.perSecond ?? policy.perSecond,
    burst: grant.burst ?? policy.burst,
  }
  return { own, taken: quota.take(`key ${grant.keyId}`, own) }
}

/** Says on the answer what is left, and refuses the request when nothing was. */
export const settle = (own: Policy, taken: Taken, visit: Visit): void => {
  visit.headers['ratelimit-policy'] = policyHeader(own)
  visit.headers['ratelimit'] = limitHeader(taken)
  if (taken.allowed) return
  throw new ApiError(
    'rate_limited',
    `The rate limit of ${own.perSecond} requests a second is used up. Try again in ${taken.retryAfterSeconds} s.`,
    { retryAfterSeconds: taken.retryAfterSeconds },
  )
}

export const meter = async (parts: MeterParts, grant: Grant, visit: Visit): Promise<void> => {
  const { own, taken } = takeOne(parts, grant)
  settle(own, await taken, visit)
}
