import { ApiError, ingestLimits } from '#contract'
import { type Grant, signingKeyOf } from '#keys'
import {
  type AuthenticateParts,
  foreignAddress,
  isFromItsAddress,
  limitFailures,
  lookUp,
  unchecked,
} from './admission.ts'
import { type ReceivedBatch, receiveBatch } from './batch-body.ts'
import type { RequestContext } from './context.ts'
import type { OperationRequest } from './handler.ts'
import type { RequestBodies } from './request-body.ts'
import {
  checkSignature,
  isRecent,
  isSigned,
  parseWebhookHeaders,
  type SignatureCheck,
} from './webhook-signature.ts'

export interface SignedBatchParts extends AuthenticateParts {
  readonly bodies: RequestBodies
  /** The database's secret, from which signing secrets are derived. */
  readonly secret: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Who a message claims to be from, and the check of it. */
interface Signer {
  readonly grant: Grant
  readonly address: string
  readonly check: SignatureCheck
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

/** Maximum number of addresses that are held back, and of known senders. */
const cachedMax = 10_000

/**
 * An unverified body that fails holds its address back for this many times as long as it took, so
 * that an address can use slots for a tenth of the time.
 */
const heldBackFactor = 9
const heldBackSecondsMax = 600

export const createSignedBatches = (parts: SignedBatchParts): SignedBatches => {
  const { keyVerifier, clientIp, now } = parts
  const received = new WeakMap<RequestContext, SignedBatch>()

  /** Addresses whose bodies are not received, until they may fail again. */
  const heldBack = new Map<string, { readonly until: number; readonly error: ApiError }>()

  /**
   * Keys and the addresses that sent their last message with them. Their bodies count for the key,
   * so that other addresses take nothing from them. A failure ends this.
   */
  const knownSenders = new Set<string>()

  const holdBack = (address: string, error: ApiError): void => {
    const until = now() + (error.retryAfterSeconds ?? 0) * 1_000
    if (until <= (heldBack.get(address)?.until ?? 0)) return
    heldBack.delete(address)
    dropOldest(heldBack)
    heldBack.set(address, { until, error })
  }

  const holdBackSlow = (address: string, tookMs: number): void => {
    const seconds = Math.min(heldBackSecondsMax, Math.floor((tookMs * heldBackFactor) / 1_000))
    if (seconds > 0) holdBack(address, tooSlow(seconds))
  }

  const countFailure = async (address: string): Promise<void> => {
    try {
      await limitFailures(parts, address)
    } catch (error) {
      if (error instanceof ApiError) holdBack(address, error)
      throw error
    }
  }

  /** Rejects an address that is held back before its body takes a slot. */
  const requireFailuresLeft = (address: string): void => {
    const entry = heldBack.get(address)
    if (entry && entry.until > now()) throw entry.error
    heldBack.delete(address)
  }

  const refuse = async (address: string, sentence: string): Promise<never> => {
    await countFailure(address)
    throw new ApiError('invalid_signature', sentence)
  }

  /** Returns the batch if it is signed. Each that is not is one failure of its address. */
  const receive = async (request: OperationRequest, signer: Signer): Promise<ReceivedBatch> => {
    const { grant, address, check } = signer
    const { keyId } = grant
    const sender = `${keyId} ${address}`
    const isKnown = knownSenders.has(sender)
    if (!isKnown) requireFailuresLeft(address)
    const begun = now()
    const result = await receiveBatch(request, {
      bodies: parts.bodies,
      owner: isKnown ? { keyId } : { address },
      onBytes: check.update,
    }).catch((error: unknown) => ({ error }))
    if ('error' in result && isBusy(result.error)) throw result.error
    knownSenders.delete(sender)
    const matches = check.matches()
    if (matches && isFromItsAddress(parts, request.ctx, grant)) {
      dropOldest(knownSenders)
      knownSenders.add(sender)
      if ('error' in result) throw result.error
      return result
    }
    if (!isKnown) holdBackSlow(address, now() - begun)
    if (!('error' in result)) result.release()
    await countFailure(address)
    // Only a sender that can sign learns that the key exists.
    if (matches) throw foreignAddress(parts, request.ctx, grant)
    throw 'error' in result ? result.error : new ApiError('invalid_signature', mismatch)
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
    const batch = await receive(request, { grant, address, check })
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

/** The server had no room: no failure of the sender. */
const isBusy = (error: unknown): boolean => error instanceof ApiError && error.code === 'queue_full'

const dropOldest = (cached: Map<string, unknown> | Set<string>): void => {
  const [oldest] = cached.size < cachedMax ? [] : cached.keys()
  if (oldest !== undefined) cached.delete(oldest)
}

const tooSlow = (retryAfterSeconds: number): ApiError =>
  new ApiError(
    'rate_limited',
    `A body from this address took long, and had no valid signature. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )

const malformed =
  'A signed message has the headers webhook-id (without a full stop), webhook-timestamp (in seconds) and webhook-signature (v1).'

/** One message for an unknown key and a wrong signature. */
const mismatch =
  'The signature is not that of this message. Check the secret, and that the parameter key is the id of its key.'

const old = `The webhook-timestamp differs by more than ${ingestLimits.signatureSeconds / 60} minutes from the clock of the server.`
