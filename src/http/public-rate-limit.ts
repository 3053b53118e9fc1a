import { ApiError } from '#contract'
import { createMemoryLimiter, type Decision, type Policy, type RateLimiter } from '#rate-limit'
import type { ClientIp } from './client-ip.ts'
import type { RequestContext } from './context.ts'

export interface PublicRateLimitParts {
  /** For each address, without a key. */
  readonly publicPolicy: Policy
  readonly clientIp: ClientIp
}

/** Takes one request from the bucket of its address; throws 429 where none is left. */
export type PublicRateLimit = (ctx: RequestContext, path: string) => void

/** Enough for any number of probes; a response to one costs next to nothing. */
const healthFactor = 10
const healthPaths = ['/healthz', '/readyz']
const addressesMax = 20_000

/**
 * Limits requests without a key, for each address: documents, console, images, health, and paths
 * without a route. Each process counts for itself, since the limit protects its processor: the
 * decision is immediate, and a flood causes no traffic between processes.
 *
 * Probes have a bucket of their own, so that a client that shares an address with a load balancer
 * cannot make the server look dead by loading pages.
 */
export const createPublicRateLimit = (parts: PublicRateLimitParts): PublicRateLimit => {
  const { publicPolicy, clientIp } = parts
  const healthPolicy = {
    perSecond: publicPolicy.perSecond * healthFactor,
    burst: publicPolicy.burst * healthFactor,
  }
  const limiter: Pick<RateLimiter, 'consume'> = createMemoryLimiter({
    now: () => performance.now(),
    bucketsMax: addressesMax,
  })
  return ({ request }, path) => {
    const address = clientIp(request)
    // A limiter in memory decides at once.
    const { allowed, retryAfterSeconds } = (
      healthPaths.includes(path)
        ? limiter.consume(`health ${address}`, healthPolicy)
        : limiter.consume(address, publicPolicy)
    ) as Decision
    if (allowed) return
    throw new ApiError(
      'rate_limited',
      `Too many requests from this address to paths that need no key. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    )
  }
}
