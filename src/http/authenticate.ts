import { ApiError } from '#contract'
import type { Grant, KeyRing, Refusal } from '#keys'
import type { Policy, Quota } from '#quota'

export interface AuthenticateParts {
  readonly keyRing: KeyRing
  readonly quota: Quota
  /** How many failures an address may have. */
  readonly failurePolicy: Policy
}

/** A request's claim to be let in. */
export interface Claim {
  readonly authorization: string | undefined
  /** Null where any key will do. */
  readonly brand: string | null
  readonly address: string
}

/** What the key of a request allows, if it is good for the brand. */
export const grantFor = (
  keyRing: KeyRing,
  authorization: string | undefined,
  brand: string,
): Grant | null => {
  const verified = keyRing.verify(readToken(authorization) ?? '')
  return mayRead(verified, brand) ? verified : null
}

const mayRead = (verified: Grant | Refusal, brand: string | null): verified is Grant =>
  typeof verified === 'object' && (brand === null || verified.global || verified.brands.has(brand))

/**
 * Who is asking, and whether the brand is theirs to read. A brand out of scope is answered alike
 * whether it exists or not. Failures are limited per address.
 */
export const authenticate = async (parts: AuthenticateParts, claim: Claim): Promise<Grant> => {
  const { keyRing } = parts
  if (keyRing.stale) {
    throw new ApiError('store_unavailable', 'Keys cannot be checked at the moment.', {
      retryAfterSeconds: 1,
    })
  }
  const token = readToken(claim.authorization)
  const verified = keyRing.verify(token ?? '')
  if (mayRead(verified, claim.brand)) return verified
  await limitFailures(parts, claim.address)
  if (token === null) {
    throw new ApiError('missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.')
  }
  if (verified === 'expired') throw new ApiError('expired_api_key', 'The API key has expired.')
  if (verified === 'invalid') {
    throw new ApiError(
      'invalid_api_key',
      'The API key is not valid: unknown, malformed or revoked.',
    )
  }
  throw new ApiError('out_of_scope', 'The API key may not read this brand.')
}

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
  { quota, failurePolicy }: AuthenticateParts,
  address: string,
): Promise<void> => {
  const taken = await quota.take(`address ${address}`, failurePolicy)
  if (taken.allowed) return
  throw new ApiError(
    'rate_limited',
    `Too many requests without a valid key. Try again in ${taken.retryAfterSeconds} s.`,
    { retryAfterSeconds: taken.retryAfterSeconds },
  )
}
