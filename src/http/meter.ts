import { ApiError } from '#contract'
import type { Grant } from '#keys'
import {
  type Decision,
  limitHeader,
  type Policy,
  policyHeader,
  type RateLimiter,
} from '#rate-limit'
import type { Visit } from './visit.ts'

export interface MeterParts {
  readonly limiter: RateLimiter
  /** For keys that have no rate of their own. */
  readonly policy: Policy
}

/** What a key may ask for, worked out once. */
export interface Allowance {
  readonly own: Policy
  readonly bucket: string
  readonly header: string
}

const allowances = new WeakMap<Grant, Allowance>()

const allowanceOf = (grant: Grant, policy: Policy): Allowance => {
  const known = allowances.get(grant)
  if (known) return known
  const own = {
    perSecond: grant.perSecond ?? policy.perSecond,
    burst: grant.burst ?? policy.burst,
  }
  const allowance = { own, bucket: `key ${grant.keyId}`, header: policyHeader(own) }
  allowances.set(grant, allowance)
  return allowance
}

/** One request, taken from the key's bucket. */
export interface TakenOne {
  readonly allowance: Allowance
  readonly taken: Decision | Promise<Decision>
}

export const takeOne = ({ limiter, policy }: MeterParts, grant: Grant): TakenOne => {
  const allowance = allowanceOf(grant, policy)
  return { allowance, taken: limiter.consume(allowance.bucket, allowance.own) }
}

/** Says on the answer what is left. */
export const tellLeft = ({ header }: Allowance, taken: Decision, visit: Visit): void => {
  visit.headers['ratelimit-policy'] = header
  visit.headers['ratelimit'] = limitHeader(taken)
}

/** The refusal of a request when nothing was left. */
export const usedUp = ({ own }: Allowance, { retryAfterSeconds }: Decision): ApiError =>
  new ApiError(
    'rate_limited',
    `The rate limit of ${own.perSecond} requests a second is used up. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )

export const meter = async (parts: MeterParts, grant: Grant, visit: Visit): Promise<void> => {
  const { allowance, taken } = takeOne(parts, grant)
  const settled = await taken
  tellLeft(allowance, settled, visit)
  if (!settled.allowed) throw usedUp(allowance, settled)
}
