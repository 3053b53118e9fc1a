import { ApiError, ingestLimits } from '#contract'
import { type Batch, IdempotencyConflictError, QueueFullError } from '#intake'
import { receiveBatch } from '../batch-body.ts'
import { endStage } from '../context.ts'
import type { KeyedHandler, KeyedRequest } from '../handler.ts'
import type { RequestBodies } from '../request-body.ts'
import type { SignedBatches } from '../signed-batch.ts'
import {
  type AwaitedBatchParts,
  awaitBatch,
  batchLocation,
  batchResponse,
  refusedBatch,
} from './batch-response.ts'

export interface SendBatchParts extends AwaitedBatchParts {
  readonly bodies: RequestBodies
  readonly signed: SignedBatches
}

/**
 * Accepts a batch: responds 202 while it is queued. If the request prefers to wait, responds 200
 * once it is committed or checked, and 422 once it is rejected or in quarantine.
 */
export const sendBatchHandler =
  (parts: SendBatchParts): KeyedHandler =>
  async (request) => {
    const { ctx } = request
    const accepted = await accept(parts, request)
    endStage(ctx, 'read')
    ctx.responseHeaders['location'] = batchLocation(accepted)
    const batch = await awaitBatch(parts, ctx, accepted)
    endStage(ctx, 'run')
    if (batch.state === 'refused' || batch.state === 'quarantined') {
      throw refusedBatch(parts, batch)
    }
    return batchResponse(parts, batch.finishedAt === null ? 202 : 200, batch)
  }

/** A separate function, so that the body is not kept in memory during the wait. */
const accept = async (
  { queue, bodies, signed }: SendBatchParts,
  request: KeyedRequest,
): Promise<Batch> => {
  const { ctx, grant, brand } = request
  const { keyId, collections } = grant
  const message = signed.take(ctx)
  const idempotencyKey = message?.messageId ?? readIdempotencyKey(ctx.request.headers)
  const { map, dryRun, park, quarantine, maxBadRows, results, form, body, release } =
    message ?? (await receiveBatch(request, { bodies, owner: { keyId } }))
  try {
    const options = { map, form, dryRun, park, quarantine, maxBadRows, results }
    const sent = { brand, keyId, idempotencyKey, body, collections, ...options }
    const { batch, repeated } = await queue.accept(sent)
    if (repeated) ctx.responseHeaders['idempotency-replayed'] = 'true'
    return batch
  } catch (error) {
    throw toBatchError(error)
  } finally {
    release()
  }
}

/** Null if there is none. The key may be a quoted string. */
const readIdempotencyKey = (headers: {
  readonly [name: string]: string | string[] | undefined
}): string | null => {
  const sent = headers['idempotency-key']
  if (sent === undefined) return null
  const [, quoted, bare] = /^(?:"([^"\\]*)"|([!#-[\]-~]+))$/.exec(String(sent).trim()) ?? []
  const key = quoted ?? bare ?? ''
  if (/^[ -~]+$/.test(key) && key.length <= ingestLimits.idempotencyKey) return key
  throw new ApiError(
    'malformed_request',
    `An Idempotency-Key has 1 to ${ingestLimits.idempotencyKey} characters of ASCII, without quotes and backslashes.`,
  )
}

const toBatchError = (error: unknown): unknown => {
  if (error instanceof IdempotencyConflictError) {
    return new ApiError('idempotency_conflict', error.message)
  }
  if (error instanceof QueueFullError) {
    const { message, retryAfterSeconds } = error
    return new ApiError('queue_full', message, { retryAfterSeconds })
  }
  return error
}
