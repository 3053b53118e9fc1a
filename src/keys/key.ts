import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * An API key: `slv_`, 43 random characters, `_`, and 6 check characters, by which a typing error is
 * noticed and a secret scanner recognises keys, without a look-up.
 */
export const keyPattern = /^slv_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/

const prefix = 'slv_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43
const checkLength = 6

/** Makes a key from random bytes. */
export const makeKey = (random: (size: number) => Uint8Array): string => {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of random(64)) {
      // Bytes from 248 = 4 × 62 on would make some characters more likely than others.
      if (byte < 248 && secret.length < secretLength) secret += digits[byte % 62]
    }
  }
  return `${prefix}${secret}_${checkOf(secret)}`
}

/** A new key, and its public id. */
export const generateKey = (
  random: (size: number) => Uint8Array,
): { readonly key: string; readonly id: string } => ({
  key: makeKey(random),
  id: `key_${Buffer.from(random(9)).toString('base64url')}`,
})

/** Whether a text has the form of a key and its check characters are right. */
export const isWellFormed = (token: string): boolean =>
  keyPattern.test(token) &&
  token.endsWith(checkOf(token.slice(prefix.length, prefix.length + secretLength)))

/** What is stored of a key. */
export const hashOf = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')

const checkOf = (secret: string): string => {
  let rest = crc32(secret)
  let text = ''
  for (let digit = 0; digit < checkLength; digit += 1) {
    text = digits[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
