import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** The tokens of a client: first a code, then pairs of an access token and a refresh token. */
export type TokenKind = 'code' | 'access' | 'refresh'

const prefixes: Readonly<Record<TokenKind, string>> = {
  code: 'slc_',
  access: 'sla_',
  refresh: 'slr_',
}

const idBytes = 16
const idLength = 22
const tokenPattern = /^sl[acr]_[\w-]{65}$/

export const createConsentId = (random: (size: number) => Uint8Array): string =>
  Buffer.from(random(idBytes)).toString('base64url')

/** A token of a consent: its kind, the id of the consent, and 256 random bits. */
export const tokenOf = (kind: TokenKind, consentId: string, secret: Uint8Array): string =>
  `${prefixes[kind]}${consentId}${Buffer.from(secret).toString('base64url')}`

/** The id of a token's consent; null if the text is not such a token. */
export const consentIdIn = (kind: TokenKind, token: string): string | null =>
  token.startsWith(prefixes[kind]) && tokenPattern.test(token)
    ? token.slice(prefixes[kind].length, prefixes[kind].length + idLength)
    : null

/** Whether a bearer token has the form of an access token, valid or not. */
export const isAccessToken = (token: string): boolean => token.startsWith(prefixes.access)

/** The stored hash of a token. */
export const hashOf = (token: string): string => hash('sha256', token, 'base64url')

/** Compares a token with a stored hash, in constant time. */
export const isHashOf = (stored: string | null, token: string): boolean =>
  stored !== null && timingSafeEqual(Buffer.from(stored), Buffer.from(hashOf(token)))

/**
 * Derives the token that follows another, so that a client that lost a response gets the same one
 * again. Deriving it needs the server's secret and the token itself, which the server does not
 * store.
 */
export const tokenAfter = (
  serverSecret: string,
  kind: TokenKind,
  consentId: string,
  token: string,
): string =>
  tokenOf(
    kind,
    consentId,
    createHmac('sha256', serverSecret).update(`oauth ${kind} ${token}`).digest(),
  )
