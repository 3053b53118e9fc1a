import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Values that leave the server as texts and come back: signed, so that clients cannot make them. */
export interface SignedTexts<T> {
  sign(value: T): string
  /** The value; undefined for a text that was not signed here, for this purpose. */
  verify(text: string): T | undefined
}

/** The key is derived from the secret of the database, one for each purpose. */
export const createSignedTexts = <T>(secret: string, purpose: string): SignedTexts<T> => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `oauth ${purpose}`, 32))
  const signatureOf = (payload: string) => createHmac('sha256', key).update(payload).digest()
  return {
    sign: (value) => {
      const payload = Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${payload}.${signatureOf(payload).toString('base64url')}`
    },
    verify: (text) => {
      const [payload = '', signature = '', ...more] = text.split('.')
      const signed = Buffer.from(signature, 'base64url')
      const expected = signatureOf(payload)
      const isSigned =
        more.length === 0 && signed.length === expected.length && timingSafeEqual(signed, expected)
      // One text for each value: a decoder ignores characters that are not part of a byte.
      if (!isSigned || signed.toString('base64url') !== signature) return undefined
      return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as T
    },
  }
}
