import { createHash, hkdfSync } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** What a key is for: to read records, or to send them. No key is for both. */
export type KeyKind = 'read' | 'ingest'

/**
 * An API key: `slv_` to read or `slw_` to send records, 43 random characters, `_`, and 6 check
 * characters, by which a typing error is noticed and a secret scanner recognises keys, without a
 * look-up.
 */
export const keyPattern = /^sl[vw]_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/

const prefixes: Readonly<Record<KeyKind, string>> = { read: 'slv_', ingest: 'slw_' }
const prefixLength = 4
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43
const checkLength = 6

/** Makes a key from random bytes. */
export const makeKey = (random: (size: number) => Uint8Array, kind: KeyKind = 'read'): string => {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of random(64)) {
      // Bytes from 248 = 4 × 62 on would make some characters more likely than others.
      if (byte < 248 && secret.length < secretLength) secret += digits[byte % 62]
    }
  }
  return `${prefixes[kind]}${secret}_${checkOf(secret)}`
}

/** A new key, and its public id. */
export const generateKey = (
  random: (size: number) => Uint8Array,
  kind: KeyKind = 'read',
): { readonly key: string; readonly id: string } => ({
  key: makeKey(random, kind),
  id: `key_${Buffer.from(random(9)).toString('base64url')}`,
})

/** Whether a text has the form of a key of that kind and its check characters are right. */
export const isWellFormed = (token: string, kind: KeyKind = 'read'): boolean =>
  token.startsWith(prefixes[kind]) &&
  keyPattern.test(token) &&
  token.endsWith(checkOf(token.slice(prefixLength, prefixLength + secretLength)))

/** What is stored of a key. */
export const hashOf = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')

/**
 * What the messages of a key are signed with (Standard Webhooks): 32 bytes that are derived from the
 * secret of the database, so that they are not stored with the keys.
 */
export const signingKeyOf = (secret: string, keyId: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `webhook ${keyId}`, 32))

/** The same as a text, as senders are configured with it. */
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
