import { ApiError, batchIdPattern } from '#contract'
import type { Batch } from '#intake'
import type { Grant } from '#keys'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type AwaitedBatchParts, awaitBatch, batchResponse } from './batch-response.ts'

const idPattern = new RegExp(batchIdPattern)

/**
 * A batch of the brand: its progress, changes and problems. A key that is limited to collections
 * reads only batches of keys with these limits or narrower ones.
 */
export const batchHandler =
  (parts: AwaitedBatchParts): KeyedHandler =>
  async ({ ctx, grant, brand, id }) => {
    const stored = idPattern.test(id) ? await parts.queue.find(brand, id) : null
    if (!stored) throw new ApiError('not_found', 'There is no such batch of this brand.')
    requireCollections(grant, stored)
    const batch = await awaitBatch(parts, ctx, stored)
    endStage(ctx, 'run')
    return batchResponse(parts, 200, batch)
  }

const requireCollections = ({ collections }: Grant, { sentWith }: Batch): void => {
  if (collections === null || sentWith?.every((each) => collections.includes(each))) return
  throw new ApiError(
    'out_of_scope',
    'The API key is limited to collections, and the batch was sent with a key for others.',
  )
}
