import { ApiError } from '#contract'
import type { Grant } from '#keys'
import {
  type Decision,
  limitHeader,
  type Policy,
  policyHeader,
  type RateLimiter,
} from '#rate-limit'
import type { RequestContext } from './context.ts'

export interface RateLimitParts {
  readonly limiter: RateLimiter
  /** For keys without a rate of their own. */
  readonly policy: Policy
}

/** The rate limit of each key. */
export interface RateLimit {
  /**
   * Takes one request from the key's bucket and sets the RateLimit headers; throws 429 where none is
   * left. A promise only where the buckets are shared with other processes.
   */
  consume(ctx: RequestContext, grant: Grant): undefined | Promise<void>
}

/** The limit of one key. */
interface Limit {
  readonly policy: Policy
  readonly bucket: string
  readonly header: string
  /** By the seconds to wait: there is nothing else that they differ by. */
  readonly errors: Map<number, ApiError>
}

const errorsMax = 100

export const createRateLimit = ({ limiter, policy }: RateLimitParts): RateLimit => {
  const limits = new WeakMap<Grant, Limit>()

  const limitOf = (grant: Grant): Limit => {
    const existing = limits.get(grant)
    if (existing) return existing
    const own = {
      perSecond: grant.perSecond ?? policy.perSecond,
      burst: grant.burst ?? policy.burst,
    }
    const bucket = `key ${grant.keyId}`
    const limit = { policy: own, bucket, header: policyHeader(own), errors: new Map() }
    limits.set(grant, limit)
    return limit
  }

  return {
    consume: (ctx, grant) => {
      const limit = limitOf(grant)
      const decision = limiter.consume(limit.bucket, limit.policy)
      if (decision instanceof Promise) return decision.then((late) => apply(ctx, limit, late))
      apply(ctx, limit, decision)
      return undefined
    },
  }
}

const apply = ({ responseHeaders }: RequestContext, limit: Limit, decision: Decision): void => {
  responseHeaders['ratelimit-policy'] = limit.header
  responseHeaders['ratelimit'] = limitHeader(decision)
  if (!decision.allowed) throw exceeded(limit, decision)
}

const exceeded = ({ policy, errors }: Limit, { retryAfterSeconds }: Decision): ApiError => {
  const existing = errors.get(retryAfterSeconds)
  if (existing) return existing
  const error = new ApiError(
    'rate_limited',
    `The rate limit of ${policy.perSecond} requests a second is used up. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
  if (errors.size < errorsMax) errors.set(retryAfterSeconds, error)
  return error
}
