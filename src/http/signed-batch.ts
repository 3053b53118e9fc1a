import { ApiError, ingestLimits } from '#contract'
import { type Grant, signingKeyOf } from '#keys'
import { type AuthenticateParts, limitFailures, lookUp, unchecked } from './admission.ts'
import { type ReceivedBatch, receiveBatch } from './batch-body.ts'
import type { RequestContext } from './context.ts'
import type { OperationRequest } from './handler.ts'
import type { RequestBodies } from './request-body.ts'
import { checkSignature, isRecent, isSigned, parseWebhookHeaders } from './webhook-signature.ts'

export interface SignedBatchParts extends AuthenticateParts {
  readonly bodies: RequestBodies
  /** The database's secret, from which signing secrets are derived. */
  readonly secret: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A batch with a verified signature. */
export interface SignedBatch extends ReceivedBatch {
  /** Identical for every delivery of the message. */
  readonly messageId: string
}

/**
 * Messages signed with the secret of an ingest key, instead of sent with the key (Standard
 * Webhooks). The parameter `key` names the key by its id.
 */
export interface SignedBatches {
  /** Returns the grant of the key that signed a request; null if it is not signed. */
  authenticate(request: OperationRequest): Promise<Grant> | null
  /** Returns the batch of an authenticated request, once. The caller releases it. */
  take(ctx: RequestContext): SignedBatch | undefined
}

/** Maximum number of addresses remembered as exhausted, each for about a second. */
const exhaustedMax = 10_000

export const createSignedBatches = (parts: SignedBatchParts): SignedBatches => {
  const { keyVerifier, clientIp, now } = parts
  const received = new WeakMap<RequestContext, SignedBatch>()

  /** Addresses that have no failures left, until they may fail again. */
  const exhausted = new Map<string, { readonly until: number; readonly error: ApiError }>()

  const countFailure = async (address: string): Promise<void> => {
    try {
      await limitFailures(parts, address)
    } catch (error) {
      if (error instanceof ApiError) {
        if (exhausted.size >= exhaustedMax) exhausted.clear()
        exhausted.set(address, { until: now() + (error.retryAfterSeconds ?? 0) * 1_000, error })
      }
      throw error
    }
  }

  /** Rejects an address without failures left before its body takes a slot. */
  const requireFailuresLeft = (address: string): void => {
    const entry = exhausted.get(address)
    if (entry && entry.until > now()) throw entry.error
    exhausted.delete(address)
  }

  const refuse = async (address: string, sentence: string): Promise<never> => {
    await countFailure(address)
    throw new ApiError('invalid_signature', sentence)
  }

  const verify = async (request: OperationRequest): Promise<Grant> => {
    const { ctx, match } = request
    if (keyVerifier.isStale) throw unchecked()
    const address = clientIp(ctx.request)
    const headers = parseWebhookHeaders(ctx.request)
    if (!headers) return refuse(address, malformed)
    const keyId = new URLSearchParams(match.query).get('key') ?? ''
    const cached = keyVerifier.findSigner(keyId)
    const grant =
      cached === 'invalid'
        ? await lookUp(parts, address, () => keyVerifier.findSignerAgain(keyId))
        : cached
    if (grant === 'unchecked') throw unchecked()
    if (typeof grant !== 'object') return refuse(address, mismatch)
    if (!isRecent(headers, now())) return refuse(address, old)
    const check = checkSignature(signingKeyOf(parts.secret, keyId), headers)
    requireFailuresLeft(address)
    const batch = await receiveBatch(request, {
      bodies: parts.bodies,
      owner: { address },
      onBytes: check.update,
      onAbandoned: () => void countFailure(address).catch(() => undefined),
    })
    if (!check.matches()) {
      batch.release()
      return refuse(address, mismatch)
    }
    received.set(ctx, { ...batch, messageId: headers.id })
    // The request may still be refused, for its rate or its brand.
    const releaseUntaken = () => {
      if (received.delete(ctx)) batch.release()
    }
    if (ctx.response.closed) releaseUntaken()
    else ctx.response.once('close', releaseUntaken)
    return grant
  }

  return {
    authenticate: (request) => (isSigned(request.ctx.request) ? verify(request) : null),
    take: (ctx) => {
      const batch = received.get(ctx)
      received.delete(ctx)
      return batch
    },
  }
}

const malformed =
  'A signed message has the headers webhook-id (without a full stop), webhook-timestamp (in seconds) and webhook-signature (v1).'

/** One message for an unknown key and a wrong signature. */
const mismatch =
  'The signature is not that of this message. Check the secret, and that the parameter key is the id of its key.'

const old = `The webhook-timestamp differs by more than ${ingestLimits.signatureSeconds / 60} minutes from the clock of the server.`
