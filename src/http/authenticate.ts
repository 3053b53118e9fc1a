import { ApiError } from '#contract'
import type { Grant, KeyVerifier, Refusal } from '#keys'
import type { Policy, RateLimiter } from '#rate-limit'
import type { ClientIp } from './client-ip.ts'
import type { RequestContext } from './context.ts'

export interface AuthenticateParts {
  readonly keyVerifier: KeyVerifier
  readonly limiter: RateLimiter
  /** How many failures an address may have. */
  readonly failurePolicy: Policy
  readonly clientIp: ClientIp
}

type Request = Pick<RequestContext, 'request' | 'headers'>

/**
 * The grant of the key that a request was sent with; rejects with 401, 429 or 503. A promise only
 * where memory does not know the key as valid. Without a valid key a request is charged to its
 * address; otherwise to the key, whatever the response.
 */
export const authenticate = (parts: AuthenticateParts, ctx: Request): Grant | Promise<Grant> => {
  const token = readToken(ctx.headers.authorization)
  const verified = parts.keyVerifier.verify(token ?? '')
  if (isGrant(verified) && !parts.keyVerifier.isStale) return verified
  return authenticateAgain(parts, ctx, token, verified)
}

const isGrant = (verified: Grant | string): verified is Grant => typeof verified === 'object'

const authenticateAgain = async (
  parts: AuthenticateParts,
  { request }: Request,
  token: string | null,
  cached: Grant | Refusal,
): Promise<Grant> => {
  if (parts.keyVerifier.isStale) throw unchecked()
  const address = parts.clientIp(request)
  const verified =
    cached === 'invalid' && token !== null ? await lookUp(parts, address, token) : cached
  if (isGrant(verified)) return verified
  await limitFailures(parts, address)
  if (token === null) {
    throw new ApiError('missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.')
  }
  if (verified === 'expired') throw new ApiError('expired_api_key', 'The API key has expired.')
  if (verified === 'unchecked') throw unchecked()
  throw new ApiError('invalid_api_key', 'The API key is not valid: unknown, malformed or revoked.')
}

/** Refuses a brand that the key is not for, whether the brand exists or not. */
export const requireScope = ({ global, brands }: Grant, brand: string): void => {
  if (!global && !brands.has(brand)) {
    throw new ApiError('out_of_scope', 'The API key may not read this brand.')
  }
}

/**
 * How often an unknown key of an address is looked up in the database. More often than the address
 * may fail, so that a client that still sends a revoked key does not delay its successor; each
 * process runs one such read at a time.
 */
const lookUpPolicy: Policy = { perSecond: 50, burst: 500 }

/** An unknown key may have been issued a moment ago: the database is read before it is refused. */
const lookUp = async (
  { keyVerifier, limiter }: AuthenticateParts,
  address: string,
  token: string,
): Promise<Grant | Refusal | 'unchecked'> => {
  const { allowed } = await limiter.consume(`unknown key ${address}`, lookUpPolicy)
  return allowed ? keyVerifier.verifyAgain(token).catch(() => 'unchecked' as const) : 'invalid'
}

const unchecked = (): ApiError =>
  new ApiError('store_unavailable', 'Keys cannot be checked at the moment.', {
    retryAfterSeconds: 1,
  })

/** The token of a bearer header; null when no key was sent. */
const readToken = (authorization: string | undefined): string | null => {
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

const limitFailures = async (
  { limiter, failurePolicy }: AuthenticateParts,
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
