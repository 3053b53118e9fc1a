import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Signed values that leave the server as text and come back, so that clients cannot forge them. */
export interface SignedTexts<T> {
  sign(value: T): string
  /** Undefined if the text was not signed here for this purpose. */
  verify(text: string): T | undefined
}

/** Derives a key from the database's secret for each purpose. */
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
      // Accepts only the canonical text: a base64url decoder ignores stray characters.
      if (!isSigned || signed.toString('base64url') !== signature) return undefined
      return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as T
    },
  }
}
