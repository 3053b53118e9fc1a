import { hash } from 'node:crypto'
import { ApiError, type RecordAt, type Resource } from '#contract'
import { StorageUnavailable } from '#images'
import { getParameters, notFound, pathIdParameter } from '#request'
import { matchesAny, matchesEtag } from './etag.ts'
import type { Handler, HandlerParts } from './handlers.ts'
import { endStage } from './visit.ts'

/** The one answer that is no record: a temporary address of an image's file. */
export const imageContentHandler = (
  { store, images }: HandlerParts,
  resource: Resource,
): Handler => {
  const read = getParameters({ ...resource, fields: {} })
  const checkId = pathIdParameter(resource)
  return async ({ visit, brand, id, query, ifNoneMatch }) => {
    read(query, checkId(id))
    endStage(visit, 'read')
    const found = await store.get({ resource, brand, key: [id], include: [] })
    if (!found) throw notFound()
    const image = JSON.parse(found.body) as RecordAt<'images'>
    const { mimeType, fileName, widthPx, heightPx } = image
    const link = await images.link({ brand, id, mimeType, fileName }).catch((error: unknown) => {
      if (!(error instanceof StorageUnavailable)) throw error
      throw new ApiError(
        'storage_unavailable',
        'The image storage cannot be reached at the moment. Try again shortly.',
        { cause: error, retryAfterSeconds: 1 },
      )
    })
    endStage(visit, 'run')
    if (!link) throw notFound()
    const extent =
      widthPx !== null && heightPx !== null ? { width: widthPx, height: heightPx } : null
    const body = Buffer.from(JSON.stringify({ ...link, extent }))
    const tag = hash('sha256', Buffer.concat([Buffer.from(`${brand} `), body]), 'base64url').slice(
      0,
      22,
    )
    return matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)
      ? { notModified: tag }
      : { body, tag }
  }
}
