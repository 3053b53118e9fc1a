import { createHash, hkdfSync } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The purpose of a key: reading or sending records. No key does both. */
export type KeyKind = 'read' | 'ingest'

/** The token of a link to a download is made like a key, but is none. */
type TokenKind = KeyKind | 'link'

/**
 * An API key: `slv_` to read or `slw_` to send records, or `sll_` for the token of a link; then 43
 * random characters, `_`, and 6 check characters. The check characters reveal typing errors
 * without a lookup, and let secret scanners recognise keys.
 */
export const keyPattern = /^sl[vwl]_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/

const prefixes: Readonly<Record<TokenKind, string>> = { read: 'slv_', ingest: 'slw_', link: 'sll_' }
const prefixLength = 4
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43
const checkLength = 6

/** Makes a key from random bytes. */
export const makeKey = (random: (size: number) => Uint8Array, kind: TokenKind = 'read'): string => {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of random(64)) {
      // Bytes of 248 (4 × 62) and above would make some characters more likely than others.
      if (byte < 248 && secret.length < secretLength) secret += digits[byte % 62]
    }
  }
  return `${prefixes[kind]}${secret}_${checkOf(secret)}`
}

/** A new key and its public id. */
export const generateKey = (
  random: (size: number) => Uint8Array,
  kind: KeyKind = 'read',
): { readonly key: string; readonly id: string } => ({
  key: makeKey(random, kind),
  id: `key_${Buffer.from(random(9)).toString('base64url')}`,
})

/** Whether a text is a key of that kind with valid check characters. */
export const isWellFormed = (token: string, kind: TokenKind = 'read'): boolean =>
  token.startsWith(prefixes[kind]) &&
  keyPattern.test(token) &&
  token.endsWith(checkOf(token.slice(prefixLength, prefixLength + secretLength)))

/** The stored form of a key. */
export const hashOf = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')

/**
 * The signing key of an ingest key's messages (Standard Webhooks): 32 bytes derived from the
 * database's secret, so that they are not stored with the keys.
 */
export const signingKeyOf = (secret: string, keyId: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `webhook ${keyId}`, 32))

/** The signing key as text, for the configuration of senders. */
export const signingSecretOf = (secret: string, keyId: string): string =>
  `whsec_${signingKeyOf(secret, keyId).toString('base64')}`

const checkOf = (secret: string): string => {
  let rest = crc32(secret)
  let text = ''
  for (let digit = 0; digit < checkLength; digit += 1) {
    text = digits[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
