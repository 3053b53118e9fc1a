import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ingestLimits } from '#contract'

/** The headers of a signed message (Standard Webhooks 1.0.0). */
export interface WebhookHeaders {
  /** Identical for every delivery of the message. */
  readonly id: string
  /** Seconds since 1970, as signed. */
  readonly timestamp: string
  /** Digests in base64: more than one while a sender rotates its secret. */
  readonly signatures: readonly string[]
}

const signaturesMax = 8

/** Whether a request is signed, instead of sent with a key. */
export const isSigned = ({ headers }: IncomingMessage): boolean =>
  headers.authorization === undefined && headers['webhook-signature'] !== undefined

/**
 * Null if a header is missing or malformed. The id must not contain a full stop, which separates it
 * in the signed text.
 */
export const parseWebhookHeaders = ({ headers }: IncomingMessage): WebhookHeaders | null => {
  const id = String(headers['webhook-id'] ?? '')
  const timestamp = String(headers['webhook-timestamp'] ?? '')
  const signatures = String(headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => each.slice('v1,'.length))
  const isValid =
    /^[!-\-/-~]{1,255}$/.test(id) &&
    /^\d{1,12}$/.test(timestamp) &&
    signatures.length > 0 &&
    signatures.length <= signaturesMax
  return isValid ? { id, timestamp, signatures } : null
}

/** Whether a message is recent enough to be accepted. */
export const isRecent = ({ timestamp }: WebhookHeaders, now: number): boolean =>
  Math.abs(now / 1_000 - Number(timestamp)) <= ingestLimits.signatureSeconds

/** Verifies a signature while the body arrives. */
export interface SignatureCheck {
  update(bytes: Buffer): void
  /** Whether one of the signatures matches the message. */
  matches(): boolean
}

export const checkSignature = (
  signingKey: Buffer,
  { id, timestamp, signatures }: WebhookHeaders,
): SignatureCheck => {
  const hmac = createHmac('sha256', signingKey).update(`${id}.${timestamp}.`)
  return {
    update: (bytes) => void hmac.update(bytes),
    matches: () => {
      const expected = Buffer.from(hmac.digest('base64'))
      return signatures
        .map((each) => Buffer.from(each))
        .some((sent) => sent.length === expected.length && timingSafeEqual(sent, expected))
    },
  }
}
