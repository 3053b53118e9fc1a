import { hash } from 'node:crypto'
import { ApiError, type RecordAt, type Resource } from '#contract'
import { type Images, StorageUnavailable } from '#images'
import { getParameters, notFound, pathIdParameter } from '#request'
import { decodeBody, type Store } from '#store'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { matchesAny, matchesEtag } from '../response.ts'

export interface ImageLinkParts {
  readonly store: Store
  readonly images: Images
}

/** The only operation that returns no record: a temporary link to an image's file. */
export const imageLinkHandler = (
  { store, images }: ImageLinkParts,
  resource: Resource,
): KeyedHandler => {
  const parse = getParameters({ ...resource, fields: {} })
  const checkId = pathIdParameter(resource)
  return async ({ ctx, match, grant, brand, id }) => {
    parse(match.query, checkId(id), grant.scope)
    endStage(ctx, 'read')
    const record = await store.get({ resource, brand, key: [id], include: [] })
    if (!record) throw notFound()
    const image = JSON.parse(decodeBody(record.body)) as RecordAt<'images'>
    const { mimeType, fileName, widthPx, heightPx } = image
    const link = await images.link({ brand, id, mimeType, fileName }).catch((error: unknown) => {
      if (!(error instanceof StorageUnavailable)) throw error
      throw new ApiError(
        'storage_unavailable',
        'The image storage cannot be reached at the moment. Try again shortly.',
        { cause: error, retryAfterSeconds: 1 },
      )
    })
    endStage(ctx, 'run')
    if (!link) throw notFound()
    const extent =
      widthPx !== null && heightPx !== null ? { width: widthPx, height: heightPx } : null
    const body = Buffer.from(JSON.stringify({ ...link, extent }))
    const tagged = Buffer.concat([Buffer.from(`${brand} `), body])
    const tag = hash('sha256', tagged, 'base64url').slice(0, 22)
    const { ifNoneMatch } = ctx.headers
    return matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)
      ? { notModified: tag }
      : { body: [body], tag }
  }
}
