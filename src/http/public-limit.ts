import type { IncomingMessage } from 'node:http'
import { ApiError } from '#contract'
import { createMemoryLimiter, type Decision, type Policy, type RateLimiter } from '#rate-limit'
import type { ClientOf } from './client-address.ts'
import { splitTarget } from './paths.ts'

export interface PublicLimitParts {
  /** How much an address may ask for without a key. */
  readonly publicPolicy: Policy
  readonly clientOf: ClientOf
  /** Whether a path is one where a key is asked for, and requests are charged to it. */
  readonly isKeyed: (path: string) => boolean
  /** Paths that are called with POST, and with a key. */
  readonly postPaths: readonly string[]
}

/** Why a request is not answered; null when it is. */
export type PublicLimit = (request: IncomingMessage) => ApiError | null

/** Enough for any number of probes; what is answered to them costs next to nothing. */
const healthFactor = 10
const healthPaths = ['/healthz', '/readyz']
const addressesMax = 20_000

/**
 * Limits what is answered without a key, for each address: documents, console, images, health, and
 * paths that are not there. Each process counts for itself, since the limit protects its processor:
 * it is decided at once, and whoever floods it causes no traffic between processes.
 *
 * Probes have a bucket of their own, so that a client that shares an address with a load balancer
 * cannot make the server look dead by loading pages.
 */
export const openPublicLimit = (parts: PublicLimitParts): PublicLimit => {
  const { publicPolicy, clientOf, isKeyed, postPaths } = parts
  const healthPolicy = {
    perSecond: publicPolicy.perSecond * healthFactor,
    burst: publicPolicy.burst * healthFactor,
  }
  const limiter: Pick<RateLimiter, 'consume'> = createMemoryLimiter({
    now: () => performance.now(),
    bucketsMax: addressesMax,
  })
  /** The method as well: what is neither read nor posted is refused without looking at a key. */
  const takesKey = ({ method }: IncomingMessage, path: string): boolean =>
    method === 'GET' || method === 'HEAD'
      ? isKeyed(path)
      : method === 'POST' && postPaths.includes(path)

  return (request) => {
    const path = splitTarget(request.url ?? '')[0]
    if (takesKey(request, path)) return null
    const address = clientOf(request)
    // A limiter in memory answers at once.
    const taken = (
      healthPaths.includes(path)
        ? limiter.consume(`health ${address}`, healthPolicy)
        : limiter.consume(address, publicPolicy)
    ) as Decision
    return taken.allowed ? null : usedUp(taken)
  }
}

const usedUp = ({ retryAfterSeconds }: Decision): ApiError =>
  new ApiError(
    'rate_limited',
    `Too many requests from this address to paths that need no key. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
