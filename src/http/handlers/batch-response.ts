import { ApiError, ingestBasePath, ingestLimits, type JsonValue } from '#contract'
import type { Batch, BatchQueue } from '#queue'
import type { RequestContext } from '../context.ts'
import type { PlainResponse } from '../response.ts'

export interface AwaitedBatchParts {
  readonly queue: BatchQueue
  /** Calls a listener when the server is about to stop, until the returned function is called. */
  readonly onDraining: (listener: () => void) => () => void
}

/**
 * The batch once it is finished, or as it is after the time that the request prefers to wait (RFC 7240),
 * when its client has gone, or when the server stops.
 */
export const awaitBatch = async (
  { queue, onDraining }: AwaitedBatchParts,
  ctx: RequestContext,
  batch: Batch,
): Promise<Batch> => {
  const seconds = preferredWait(ctx.request.headers['prefer'])
  if (seconds === null) return batch
  ctx.responseHeaders['preference-applied'] = `wait=${seconds}`
  if (seconds === 0 || batch.finishedAt !== null) return batch
  const stopped = Promise.withResolvers<void>()
  const stop = () => stopped.resolve()
  const remove = onDraining(stop)
  ctx.response.once('close', stop)
  try {
    const finished = queue.finished(batch.brand, batch.id, seconds * 1_000)
    // Where it is not waited for to the end, what becomes of it does not matter.
    finished.catch(() => undefined)
    return (await Promise.race([finished, stopped.promise])) ?? batch
  } finally {
    remove()
    ctx.response.off('close', stop)
  }
}

/** Null where the request does not prefer to wait. */
const preferredWait = (prefer: string | string[] | undefined): number | null => {
  for (const each of String(prefer ?? '').split(',')) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(each) ?? []
    if (seconds !== undefined) return Math.min(Number(seconds), ingestLimits.waitSeconds)
  }
  return null
}

export const batchLocation = ({ brand, id }: Batch): string =>
  `${ingestBasePath}/brands/${brand}/batches/${id}`

/** A batch as clients get it: problems without the name that reports give to a body. */
export const batchBody = (batch: Batch): { readonly [name: string]: JsonValue } => ({
  ...(batch as unknown as { readonly [name: string]: JsonValue }),
  problems: batch.problems.map(({ file: _, ...problem }) => ({ ...problem })),
})

export const batchResponse = (status: number, batch: Batch): PlainResponse => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    vary: 'Authorization',
    'x-content-type-options': 'nosniff',
  },
  content: JSON.stringify(batchBody(batch)),
})

/** The batch as an error of the request that sent it. */
export const refusedBatch = (batch: Batch): ApiError => {
  const { problems, problemCount, dryRun } = batch
  const [first] = problems
  const where = first
    ? ` Line ${first.line}${first.field && ` ${first.field}`}: ${first.reason}.`
    : ''
  const changed = dryRun ? 'It would have been refused' : 'Nothing was changed'
  return new ApiError(
    'batch_refused',
    `The batch has ${problemCount} ${problemCount === 1 ? 'problem' : 'problems'}. ${changed}.${where}`,
    { details: batchBody(batch) },
  )
}
