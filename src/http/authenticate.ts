import { ApiError } from '#contract'
import type { Grant, KeyVerifier, Refusal } from '#keys'
import type { Policy, RateLimiter } from '#rate-limit'

export interface AuthenticateParts {
  readonly keyRing: KeyVerifier
  readonly limiter: RateLimiter
  /** How many failures an address may have. */
  readonly failurePolicy: Policy
}

/** What a request is authenticated by. */
export interface Claim {
  readonly authorization: string | undefined
  /** What the client is counted by while it has no valid key. */
  readonly address: string
}

/** What the key of a request allows, if it is known to be good. */
export const grantFor = (keyRing: KeyVerifier, authorization: string | undefined): Grant | null => {
  const verified = keyRing.verify(readToken(authorization) ?? '')
  return isGrant(verified) ? verified : null
}

const isGrant = (verified: Grant | string): verified is Grant => typeof verified === 'object'

export const mayRead = ({ global, brands }: Grant, brand: string): boolean =>
  global || brands.has(brand)

/** Refuses a brand that the key is not for, alike whether it exists or not. */
export const requireScope = (grant: Grant, brand: string): void => {
  if (!mayRead(grant, brand)) {
    throw new ApiError('out_of_scope', 'The API key may not read this brand.')
  }
}

/**
 * Which key a request was sent with. A request without a valid key is charged to its address; what a
 * valid key asks for is charged to the key, whatever the answer.
 */
export const authenticate = async (parts: AuthenticateParts, claim: Claim): Promise<Grant> => {
  const { keyRing } = parts
  if (keyRing.isStale) throw unchecked()
  const token = readToken(claim.authorization)
  const known = keyRing.verify(token ?? '')
  const verified =
    known === 'invalid' && token !== null ? await askAgain(parts, claim, token) : known
  if (isGrant(verified)) return verified
  await limitFailures(parts, claim.address)
  if (token === null) {
    throw new ApiError('missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.')
  }
  if (verified === 'expired') throw new ApiError('expired_api_key', 'The API key has expired.')
  if (verified === 'unchecked') throw unchecked()
  throw new ApiError('invalid_api_key', 'The API key is not valid: unknown, malformed or revoked.')
}

/**
 * How often an address may have the database asked for an unknown key. More often than it may fail,
 * so that a client that still sends a revoked key does not delay its successor; whatever is allowed,
 * each process has one such read under way at a time.
 */
const lookUpPolicy: Policy = { perSecond: 50, burst: 500 }

/** A key that is not known may have been issued a moment ago: the database is asked before refusing. */
const askAgain = async (
  { keyRing, limiter }: AuthenticateParts,
  { address }: Claim,
  token: string,
): Promise<Grant | Refusal | 'unchecked'> => {
  const { allowed } = await limiter.consume(`unknown key ${address}`, lookUpPolicy)
  return allowed ? keyRing.verifyAgain(token).catch(() => 'unchecked' as const) : 'invalid'
}

const unchecked = (): ApiError =>
  new ApiError('store_unavailable', 'Keys cannot be checked at the moment.', {
    retryAfterSeconds: 1,
  })

/** The token of a bearer header; null when no key was sent. */
const readToken = (authorization: string | undefined): string | null => {
  const same = authorization === lastRead.authorization
  if (!same) lastRead = { authorization, token: tokenIn(authorization) }
  return lastRead.token
}

/** Whoever asks often asks with the same key as a moment ago. */
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
  const taken = await limiter.consume(`address ${address}`, failurePolicy)
  if (taken.allowed) return
  throw new ApiError(
    'rate_limited',
    `Too many requests without a valid key. Try again in ${taken.retryAfterSeconds} s.`,
    { retryAfterSeconds: taken.retryAfterSeconds },
  )
}
