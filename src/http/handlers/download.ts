import {
  ApiError,
  type DownloadFormat,
  downloadParametersOf,
  type LabelLanguage,
  loadLabels,
  type Resource,
} from '#contract'
import {
  columnsOf,
  plainBatches,
  readableTable,
  referencedBatches,
  type ShownTable,
  sheetRowsMax,
  tableFormats,
  titledReferences,
  withTitles,
} from '#formats'
import type { Slot, SlotLimits, SlotRefusal, Slots } from '#rate-limit'
import { createSelector } from '#reading'
import { queryParameters } from '#request'
import { type Download, isSnapshotLimit, type Store } from '#store'
import { endStage, type RequestContext } from '../context.ts'
import { furtherGroups } from '../further-groups.ts'
import type { KeyedHandler } from '../handler.ts'
import type { BeginStream } from '../response.ts'

export interface DownloadLimits {
  /** Maximum number of records per download. */
  readonly recordsMax: number
  /** Time limit of a download, in seconds. */
  readonly seconds: number
  /** Concurrent downloads of this machine, and seconds of them. */
  readonly slots: SlotLimits
}

/** Begins a download of a key. Throws `rate_limited` if there are too many. */
export type EnterDownload = (keyId: string) => Promise<Slot>

export interface DownloadHandlerParts {
  readonly store: Store
  readonly now: () => number
  readonly downloadLimits: DownloadLimits
  readonly enterDownload: EnterDownload
  /**
   * Called when a connection is closed because the download exceeded its time limit, or because of
   * what was written since its snapshot.
   */
  readonly onCut: (reason: 'download' | 'snapshot') => void
}

/**
 * The connection times out this much later than the database, so that an error can still be sent.
 */
const lateMs = 1_000
/** Seconds after which old snapshots may be released. */
const retryAfterSeconds = 10

export const createDownloadEntry =
  (slots: Slots, limits: SlotLimits): EnterDownload =>
  async (keyId) => {
    const slot = await slots.take(keyId)
    if ('reason' in slot) throw refusedEntry(slot, limits)
    return slot
  }

const refusedEntry = (
  { reason, retryAfterSeconds: seconds }: SlotRefusal,
  { perOwner, total, secondsPerHour }: SlotLimits,
): ApiError =>
  new ApiError(
    'rate_limited',
    reason === 'seconds'
      ? `The downloads of this key have used up its ${secondsPerHour} seconds, which it regains evenly within an hour. Try again later, or read the list page by page.`
      : `Too many downloads are in progress: at most ${perOwner} of one key and ${total} in all, one of them for a key that has none. Try again when one has ended.`,
    { retryAfterSeconds: seconds },
  )

/** A whole list as a file, encoded while it is sent, from one snapshot. */
export const downloadHandler = (parts: DownloadHandlerParts, resource: Resource): KeyedHandler => {
  const { store, downloadLimits } = parts
  const timeMs = downloadLimits.seconds * 1_000
  const parse = queryParameters(resource, downloadParametersOf(resource))
  const select = createSelector(parts, resource)
  const references = titledReferences(store.catalog, resource)
  const columns = withTitles(columnsOf(resource), references)

  /** The table for programs. */
  const ofFields = (fields: readonly string[] | null): ShownTable => {
    const isShown = (field: string) => !fields || fields.includes(field)
    return {
      name: resource.path,
      columns: columns.filter(({ field }) => isShown(field)),
      references: references.filter(({ path }) => isShown(path[0] ?? '')),
      fields,
    }
  }

  /** The table for people. */
  const readable = async (
    brand: string,
    fields: readonly string[] | null,
    language: LabelLanguage,
  ): Promise<ShownTable> => {
    const profile = await store.profile(brand)
    if (!profile) throw new ApiError('not_found', `The brand ${brand} does not exist.`)
    const labels = await loadLabels(language)
    return readableTable(store.catalog, resource, { labels, fields, ...profile })
  }

  return async ({ ctx, match, brand, grant, isCancelled }) => {
    const parameters = parse(match.query, grant.scope)
    const { filters, ids, view, format, hasBom, delimiter, labels } = parameters
    if (!format) throw new RangeError('A download has a format.')
    const { where, sort, today } = await select(brand, parameters)
    ctx.groups = furtherGroups(resource, { filters, where })
    endStage(ctx, 'read')

    const shown = labels
      ? await readable(brand, parameters.fields, labels)
      : ofFields(parameters.fields)
    const { name, fields } = shown
    const table = { name, hasBom, delimiter, columns: shown.columns }
    const file = [resource.path, brand, ...(view ? [view.name] : []), today.day].join('-')
    const { contentType, encode } = tableFormats[format]

    /** Sends all records, after the total is known. Releases the slot before the last byte. */
    const send = async (begin: BeginStream, download: Download, slot: Slot): Promise<void> => {
      checkTotal(download.total, format, downloadLimits.recordsMax)
      endStage(ctx, 'run')
      exposeFileName(ctx)
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
          ? plainBatches(counted(ctx, download.bodies()))
          : referencedBatches(counted(ctx, download.bodies()), shown.references, download.values)
      // Once its client has the whole file, it can ask for the next one.
      const pieces = encode(table, followedBy(batches, slot.release))
      await sendAll(pieces, { 'Download-Complete': 'true' }, slot.release)
    }

    return {
      stream: async (begin) => {
        const slot = await parts.enterDownload(grant.keyId)
        const cut = (reason: 'download' | 'snapshot') => {
          parts.onCut(reason)
          ctx.request.socket.destroy()
        }
        // A client that reads slowly would hold the snapshot for as long as it likes.
        const timer = setTimeout(cut, timeMs + lateMs, 'download')
        const onEnded = () => cut('snapshot')
        try {
          const { scope } = grant
          const selection = { resource, brand, filters, where, ids, sort, fields, scope }
          await store.download({ ...selection, timeMs, isCancelled, onEnded }, (download) =>
            send(begin, download, slot),
          )
        } catch (error) {
          throw isSnapshotLimit(error) ? tooMuchHeld(error) : error
        } finally {
          clearTimeout(timer)
          await slot.release()
        }
      },
    }
  }
}

/** Counts the records of each batch. */
async function* counted<T>(ctx: RequestContext, batches: AsyncIterable<readonly T[]>) {
  for await (const batch of batches) {
    ctx.records += batch.length
    yield batch
  }
}

async function* followedBy<T>(source: AsyncIterable<T>, end: () => Promise<void>) {
  yield* source
  await end()
}

const tooMuchHeld = (cause: unknown): ApiError =>
  new ApiError(
    'rate_limited',
    'Too much was written during downloads that have not ended. Try again when they have.',
    { cause, retryAfterSeconds },
  )

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
export const exposeFileName = ({ responseHeaders }: RequestContext): void => {
  const exposed = responseHeaders['access-control-expose-headers']
  if (exposed === undefined) return
  responseHeaders['access-control-expose-headers'] = `${exposed}, Content-Disposition`
}
