import { ApiError, patterns, requireGroups, wholeScope } from '#contract'
import type { Grant, KeyVerifier, Refusal } from '#keys'
import {
  createMemoryLimiter,
  type Decision,
  limitHeader,
  type Policy,
  policyHeader,
  type RateLimiter,
} from '#rate-limit'
import type { ChangeTracker, ReadState, Store } from '#store'
import type { ClientAddress, ClientIp } from './client-ip.ts'
import { type RequestContext, setKey } from './context.ts'

export interface AuthenticateParts {
  readonly keyVerifier: KeyVerifier
  readonly limiter: RateLimiter
  /** Failures allowed per address. */
  readonly failurePolicy: Policy
  readonly clientAddress: ClientAddress
  readonly clientIp: ClientIp
}

type Request = Pick<RequestContext, 'request' | 'headers' | 'keyId' | 'keyName'>

/**
 * Returns the grant of a request's key; rejects with 401, 429 or 503. Returns a promise only if the
 * key is not cached as valid. A request without a valid key, or from an address where the key may not
 * be used, is charged to its address, any other to its key, whatever the response.
 */
export const authenticate = (parts: AuthenticateParts, ctx: Request): Grant | Promise<Grant> =>
  authenticateToken(parts, ctx, readToken(ctx.headers.authorization))

/** Authenticates a key that was sent in another way; null if none was sent. */
export const authenticateToken = (
  parts: AuthenticateParts,
  ctx: Request,
  token: string | null,
): Grant | Promise<Grant> => {
  const verified = parts.keyVerifier.verify(token ?? '')
  const isAllowed = isGrant(verified) && isFromItsAddress(parts, ctx, verified)
  if (isAllowed && !parts.keyVerifier.isStale) return verified
  return authenticateAgain(parts, ctx, token, verified)
}

const isGrant = (verified: Grant | string): verified is Grant => typeof verified === 'object'

const authenticateAgain = async (
  parts: AuthenticateParts,
  ctx: Request,
  token: string | null,
  cached: Grant | Refusal,
): Promise<Grant> => {
  if (parts.keyVerifier.isStale) throw unchecked()
  const address = parts.clientIp(ctx.request)
  const verified =
    cached === 'invalid' && token !== null
      ? await lookUp(parts, address, () => parts.keyVerifier.verifyAgain(token))
      : cached
  if (isGrant(verified)) {
    await requireAddress(parts, ctx, verified)
    return verified
  }
  await limitFailures(parts, address)
  if (token === null) {
    throw new ApiError('missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.')
  }
  if (verified === 'expired') throw new ApiError('expired_api_key', 'The API key has expired.')
  if (verified === 'unchecked') throw unchecked()
  throw new ApiError('invalid_api_key', 'The API key is not valid: unknown, malformed or revoked.')
}

/** Whether a key may be used from the address of a request. */
export const isFromItsAddress = (
  { clientAddress }: Pick<AuthenticateParts, 'clientAddress'>,
  { request }: Pick<RequestContext, 'request'>,
  { addresses }: Grant,
): boolean => addresses === null || addresses.has(clientAddress(request))

/**
 * Rejects a request from an address where its key may not be used. Charges it to the address, like a
 * failed authentication, so that others cannot use up the rate of a key that they have got.
 */
export const requireAddress = async (
  parts: AuthenticateParts,
  ctx: Request,
  grant: Grant,
): Promise<void> => {
  if (isFromItsAddress(parts, ctx, grant)) return
  await limitFailures(parts, parts.clientIp(ctx.request))
  throw foreignAddress(parts, ctx, grant)
}

/**
 * The 401 for a key that is used from an address outside its list. Logged with the key. Names the
 * address, which may be that of a proxy that the server does not trust.
 */
export const foreignAddress = (
  { clientAddress }: Pick<AuthenticateParts, 'clientAddress'>,
  ctx: Omit<Request, 'headers'>,
  grant: Grant,
): ApiError => {
  setKey(ctx, grant)
  return new ApiError(
    'out_of_scope',
    `The API key may not be used from the address ${clientAddress(ctx.request)}.`,
  )
}

/** Rejects a brand outside the key's scope, whether the brand exists or not. */
export const requireScope = (
  { global, brands }: Grant,
  brand: string,
  sentence = 'The API key may not read this brand.',
): void => {
  if (!global && !brands.has(brand)) throw new ApiError('out_of_scope', sentence)
}

/** Rejects a group outside the key's scope. */
export const requireGroup = ({ scope }: Grant, group: string): void => {
  if (scope !== wholeScope) requireGroups(scope, [group])
}

/**
 * Rate of database lookups for unknown keys per address. It exceeds the failure limit, so that a
 * client that still sends a revoked key does not delay its successor; each process runs one such
 * read at a time.
 */
const lookUpPolicy: Policy = { perSecond: 50, burst: 500 }

/** An unknown key may be brand-new, so the database is read before the key is rejected. */
export const lookUp = async (
  { limiter }: Pick<AuthenticateParts, 'limiter'>,
  address: string,
  verifyAgain: () => Promise<Grant | Refusal>,
): Promise<Grant | Refusal | 'unchecked'> => {
  const { allowed } = await limiter.consume(`unknown key ${address}`, lookUpPolicy)
  return allowed ? verifyAgain().catch(() => 'unchecked' as const) : 'invalid'
}

/** Keys have not been read for too long. */
export const unchecked = (): ApiError =>
  new ApiError('store_unavailable', 'Keys cannot be checked at the moment.', {
    retryAfterSeconds: 1,
  })

/** The token of a bearer header; null if no key was sent. */
export const readToken = (authorization: string | undefined): string | null => {
  if (authorization !== lastRead.authorization) {
    lastRead = { authorization, token: tokenIn(authorization) }
  }
  return lastRead.token
}

/** Most requests have the same key as the one before. */
let lastRead: { readonly authorization: string | undefined; readonly token: string | null } = {
  authorization: undefined,
  token: null,
}

const tokenIn = (authorization: string | undefined): string | null => {
  const [, token] = /^bearer[ \t]+(\S.*)$/i.exec(authorization?.trim() ?? '') ?? []
  return token ?? null
}

/** Charges a failure to an address; throws 429 if none is left. */
export const limitFailures = async (
  { limiter, failurePolicy }: Pick<AuthenticateParts, 'limiter' | 'failurePolicy'>,
  address: string,
): Promise<void> => {
  const { allowed, retryAfterSeconds } = await limiter.consume(`address ${address}`, failurePolicy)
  if (allowed) return
  throw new ApiError(
    'rate_limited',
    `Too many requests without a valid key. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
}

export interface RateLimitParts {
  readonly limiter: RateLimiter
  /** For keys without their own rate. */
  readonly policy: Policy
}

/** The rate limit of each key. */
export interface RateLimit {
  /**
   * Takes one request from the key's bucket and sets the RateLimit headers; throws 429 if none is
   * left. Returns a promise only if other processes share the buckets.
   */
  consume(ctx: RequestContext, grant: Grant): undefined | Promise<void>
}

interface Limit {
  readonly policy: Policy
  readonly bucket: string
  readonly header: string
  /** Keyed by the seconds to wait: the errors differ in nothing else. */
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

export interface PublicRateLimitParts {
  /** Per address, without a key. */
  readonly publicPolicy: Policy
  readonly clientIp: ClientIp
}

/** Takes one request from the bucket of its address; throws 429 if none is left. */
export type PublicRateLimit = (ctx: RequestContext, path: string) => void

/** Enough for any number of probes; responding to one costs next to nothing. */
const healthFactor = 10
const healthPaths = ['/healthz', '/readyz']
const addressesMax = 20_000

/**
 * Limits requests without a key per address: documents, console, images, health, and paths without
 * a route. Each process counts separately, since the limit protects its CPU: decisions are
 * immediate, and a flood causes no traffic between processes.
 *
 * Probes have a separate bucket, so that a client behind the same address as a load balancer cannot
 * make the server look dead by loading pages.
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
    // A memory limiter decides synchronously.
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

/** Rejects with 404 if a brand does not exist; undefined if the brand is known to exist. */
export type BrandLookup = (brand: string) => undefined | Promise<void>

const brandPattern = new RegExp(patterns.brand)

/** Looks up brands, and again only after a change. Missing brands take no memory. */
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
