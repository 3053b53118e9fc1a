import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** What a client receives: a code first, then pairs of an access token and a refresh token. */
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

/** A token of a consent: its kind, the id of the consent, and 256 bits. */
export const tokenOf = (kind: TokenKind, consentId: string, secret: Uint8Array): string =>
  `${prefixes[kind]}${consentId}${Buffer.from(secret).toString('base64url')}`

/** The id of the consent that a token belongs to; null for a text that is not such a token. */
export const consentIdIn = (kind: TokenKind, token: string): string | null =>
  token.startsWith(prefixes[kind]) && tokenPattern.test(token)
    ? token.slice(prefixes[kind].length, prefixes[kind].length + idLength)
    : null

/** Whether a bearer token is meant as an access token, valid or not. */
export const isAccessToken = (token: string): boolean => token.startsWith(prefixes.access)

/** What is stored of a token. */
export const hashOf = (token: string): string => hash('sha256', token, 'base64url')

/** Whether a stored hash is that of a token, in constant time. */
export const isHashOf = (stored: string | null, token: string): boolean =>
  stored !== null && timingSafeEqual(Buffer.from(stored), Buffer.from(hashOf(token)))

/**
 * The token that follows another. It is derived, so that a client whose request was lost gets the
 * same one again. The secret of the server is needed for that, and the token itself, which the
 * server does not store.
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
