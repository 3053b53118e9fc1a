import { createSemaphore, type Release } from '#concurrency'
import { ApiError, type DownloadFormat, downloadParametersOf, type Resource } from '#contract'
import {
  columnsOf,
  plainBatches,
  sheetRowsMax,
  tableFormats,
  titledBatches,
  titledReferences,
  withTitles,
} from '#formats'
import { createSelector } from '#reading'
import { queryParameters } from '#request'
import type { Download, Store } from '#store'
import { endStage, type RequestContext } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import type { BeginStream } from '../response.ts'

export interface DownloadLimits {
  /** Maximum number of records per download. */
  readonly recordsMax: number
  /** Time limit of a download, in seconds. */
  readonly seconds: number
  /** Concurrent downloads per process, for one key and for all. */
  readonly perKey: number
  readonly total: number
}

/** Begins a download of a key. Throws `rate_limited` if there are too many. */
export type EnterDownload = (keyId: string) => Promise<Release>

export interface DownloadHandlerParts {
  readonly store: Store
  readonly now: () => number
  readonly downloadLimits: DownloadLimits
  readonly enterDownload: EnterDownload
  /** Called when a connection is closed because the download exceeded its time limit. */
  readonly onTimeout: () => void
}

/**
 * The connection times out this much later than the database, so that an error can still be sent.
 */
const lateMs = 1_000
/** Seconds after which a retry is worthwhile. */
const retryAfterSeconds = 5

export const createDownloadEntry = ({ total, perKey }: DownloadLimits): EnterDownload => {
  const semaphore = createSemaphore({ total, perOwner: perKey, waitingPerOwner: 0, waitMs: 0 })
  return async (keyId) => {
    try {
      return await semaphore.acquire(keyId)
    } catch (cause) {
      throw new ApiError(
        'rate_limited',
        `Too many downloads are in progress: at most ${perKey} of one key and ${total} in all. Try again when one has ended.`,
        { cause, retryAfterSeconds },
      )
    }
  }
}

/** A whole list as a file, encoded while it is sent, from one snapshot. */
export const downloadHandler = (parts: DownloadHandlerParts, resource: Resource): KeyedHandler => {
  const { store, downloadLimits } = parts
  const timeMs = downloadLimits.seconds * 1_000
  const parse = queryParameters(resource, downloadParametersOf(resource))
  const select = createSelector(parts, resource)
  const references = titledReferences(store.catalog, resource)
  const columns = withTitles(columnsOf(resource), references)
  return async ({ ctx, match, brand, grant, isCancelled }) => {
    const parameters = parse(match.query)
    const { filters, ids, sort, fields, view, format, hasBom } = parameters
    if (!format) throw new RangeError('A download has a format.')
    const { where, day } = await select(brand, parameters)
    endStage(ctx, 'read')

    const isShown = (field: string) => !fields || fields.includes(field)
    const shownReferences = references.filter(({ path }) => isShown(path[0] ?? ''))
    const table = {
      name: resource.path,
      hasBom,
      columns: columns.filter(({ field }) => isShown(field)),
    }
    const file = [resource.path, brand, ...(view ? [view.name] : []), day].join('-')
    const { contentType, encode } = tableFormats[format]

    /** Sends all records, after the total is known. */
    const send = async (begin: BeginStream, download: Download): Promise<void> => {
      checkTotal(download.total, format, downloadLimits.recordsMax)
      endStage(ctx, 'run')
      exposeHeaders(ctx)
      const { send: sendAll } = begin({
        headers: {
          'content-type': contentType,
          'content-disposition': `attachment; filename="${file}.${format}"`,
          'total-items': String(download.total),
        },
        // A workbook is already compressed.
        isCompressible: format !== 'xlsx',
      })
      const batches =
        format === 'ndjson'
          ? plainBatches(download.bodies())
          : titledBatches(download.bodies(), shownReferences, download.titles)
      await sendAll(encode(table, batches), { 'Download-Complete': 'true' })
    }

    return {
      stream: async (begin) => {
        const leave = await parts.enterDownload(grant.keyId)
        // A client that reads slowly would hold the snapshot for as long as it likes.
        const timer = setTimeout(() => {
          parts.onTimeout()
          ctx.request.socket.destroy()
        }, timeMs + lateMs)
        try {
          const selection = { resource, brand, filters, where, ids, sort, fields }
          await store.download({ ...selection, timeMs, isCancelled }, (download) =>
            send(begin, download),
          )
        } finally {
          clearTimeout(timer)
          leave()
        }
      },
    }
  }
}

/** Rejects a download that is too large for one file, before any of it is sent. */
const checkTotal = (total: number, format: DownloadFormat, recordsMax: number): void => {
  const most = format === 'xlsx' ? Math.min(recordsMax, sheetRowsMax) : recordsMax
  if (total <= most) return
  const issue = `selects ${total} records, but a file of this format has at most ${most}`
  const other = format === 'xlsx' && total <= recordsMax ? 'use csv or ndjson, or ' : ''
  throw new ApiError(
    'page_too_large',
    `This download ${issue}. To get fewer, ${other}add filters, ranges or a view; to get all of them, read the list page by page.`,
    { details: [{ parameter: 'format', issue }] },
  )
}

/** Lets scripts of other origins read the file name. */
const exposeHeaders = ({ responseHeaders }: RequestContext): void => {
  const exposed = responseHeaders['access-control-expose-headers']
  if (exposed === undefined) return
  responseHeaders['access-control-expose-headers'] = `${exposed}, Content-Disposition`
}
