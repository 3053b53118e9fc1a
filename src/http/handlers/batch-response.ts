import { ApiError, ingestBasePath, ingestLimits, type JsonValue } from '#contract'
import type { WriteTokens } from '#cursors'
import type { Batch, BatchQueue } from '#intake'
import type { RequestContext } from '../context.ts'
import type { PlainResponse } from '../response.ts'

export interface AwaitedBatchParts {
  readonly queue: BatchQueue
  readonly writeTokens: WriteTokens
  /** Calls a listener when the server starts to drain, until the returned function is called. */
  readonly onDraining: (listener: () => void) => () => void
}

/**
 * Returns the batch once it is finished, or its current state after the preferred wait (RFC 7240),
 * when the client disconnects, or when the server drains.
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
    // If the wait ends early, a late failure does not matter.
    finished.catch(() => undefined)
    return (await Promise.race([finished, stopped.promise])) ?? batch
  } finally {
    remove()
    ctx.response.off('close', stop)
  }
}

/** Null if the request does not prefer to wait. */
const preferredWait = (prefer: string | string[] | undefined): number | null => {
  for (const each of String(prefer ?? '').split(',')) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d+)"?\s*(?:;|$)/i.exec(each) ?? []
    if (seconds !== undefined) return Math.min(Number(seconds), ingestLimits.waitSeconds)
  }
  return null
}

export const batchLocation = ({ brand, id }: Batch): string =>
  `${ingestBasePath}/brands/${brand}/batches/${id}`

/**
 * A batch as clients see it: with the token of its write, and with problems without the file name
 * that reports use for a body.
 */
export const batchBody = (
  { writeTokens }: Pick<AwaitedBatchParts, 'writeTokens'>,
  { change, sentWith: _, ...batch }: Batch,
): { readonly [name: string]: JsonValue } => ({
  ...(batch as unknown as { readonly [name: string]: JsonValue }),
  problems: withoutFiles(batch.problems),
  ...(batch.results && {
    results: batch.results.map((each) => ({ ...each, problems: withoutFiles(each.problems) })),
  }),
  writeToken: change === null ? null : writeTokens.seal({ owner: batch.brand, change }),
})

const withoutFiles = (problems: Batch['problems']) =>
  problems.map(({ file: _, ...problem }) => ({ ...problem }))

export const batchResponse = (
  parts: Pick<AwaitedBatchParts, 'writeTokens'>,
  status: number,
  batch: Batch,
): PlainResponse => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    vary: 'Authorization',
    'x-content-type-options': 'nosniff',
  },
  content: JSON.stringify(batchBody(parts, batch)),
})

/** The batch as an error of the request that sent it. */
export const refusedBatch = (
  parts: Pick<AwaitedBatchParts, 'writeTokens'>,
  batch: Batch,
): ApiError => {
  const { problems, problemCount, dryRun } = batch
  const first = problems.find(({ severity }) => severity === 'error') ?? problems[0]
  const where = first ? ` ${problemSentence(first)}` : ''
  const changed = dryRun ? 'It would have been refused' : 'Nothing was changed'
  return new ApiError(
    'batch_refused',
    `The batch has ${problemCount} ${problemCount === 1 ? 'problem' : 'problems'}. ${changed}.${where}`,
    { details: batchBody(parts, batch) },
  )
}

/** A problem as a sentence: of a line, or of the batch as a whole. */
const problemSentence = ({
  line,
  key,
  field,
  value,
  reason,
}: Batch['problems'][number]): string => {
  const end = /[.?]$/.test(reason) ? '' : '.'
  if (line === 0) return `${value === '' ? 'The batch' : value} ${reason}${end}`
  const place = [`Line ${line}`, key && `, ${key}`, field && ` ${field}`, value && ` (${value})`]
  return `${place.filter(Boolean).join('')}: ${reason}${end}`
}
