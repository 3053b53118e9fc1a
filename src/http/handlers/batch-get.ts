import { ApiError, batchIdPattern } from '#contract'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type AwaitedBatchParts, awaitBatch, batchResponse } from './batch-response.ts'

const idPattern = new RegExp(batchIdPattern)

/** A batch of the brand: its progress, changes and problems. */
export const batchHandler =
  (parts: AwaitedBatchParts): KeyedHandler =>
  async ({ ctx, brand, id }) => {
    const stored = idPattern.test(id) ? await parts.queue.find(brand, id) : null
    if (!stored) throw new ApiError('not_found', 'There is no such batch of this brand.')
    const batch = await awaitBatch(parts, ctx, stored)
    endStage(ctx, 'run')
    return batchResponse(parts, 200, batch)
  }
