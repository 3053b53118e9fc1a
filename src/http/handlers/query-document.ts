import type { Resource } from '#contract'
import { type Images, StorageUnavailable } from '#images'
import { createDocumentQueries, documentJson, type PictureLink, type QueryParts } from '#reading'
import { notFound } from '#request'
import type { Picture, RecordDocument } from '#store'
import { allGroups } from '#usage'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface QueryDocumentParts extends Pick<QueryParts, 'store' | 'now'> {
  readonly etags: Etags
  readonly images: Images
}

/** Concurrent link requests to a storage. */
const linksAtOnce = 8
/** Lifetime of a tag: no link of a document expires sooner. */
const tagMs = 60_000

/** A record with everything that belongs to it. It depends on the time, so it is not cached. */
export const queryDocumentHandler = (
  parts: QueryDocumentParts,
  resource: Resource,
): KeyedHandler => {
  const { store, etags, images, now } = parts
  const open = createDocumentQueries(parts, resource)
  return async ({ ctx, match, grant, brand, id, reserve, isCancelled }) => {
    const { scope } = grant
    const query = await open(brand, id, match.query, scope)
    endStage(ctx, 'read')

    const { limit, today } = query
    const turn = Math.floor(now() / tagMs)
    const target = JSON.stringify(['document', resource.path, id, limit, today, turn, scope.id])
    const { ifNoneMatch } = ctx.headers
    // `*` matches any record, so this one has to be read.
    if (ifNoneMatch && !matchesAny(ifNoneMatch)) {
      const { version } = await store.documents.state({ resource, brand, scope })
      const tag = etags.of(brand, target, version)
      if (matchesEtag(ifNoneMatch, tag)) return { notModified: tag }
    }
    const document = await store.documents.read({ ...query, reserve, isCancelled })
    if (!document) throw notFound()
    const links = await linkPictures(images, brand, [...document.pictures.values()])
    endStage(ctx, 'run')

    const tag = etags.of(brand, target, document.version)
    return ifNoneMatch && matchesAny(ifNoneMatch)
      ? { notModified: tag }
      : {
          body: documentJson(parts, query, document, links),
          tag,
          records: recordsOf(document),
          groups: [allGroups],
        }
  }
}

/** The record itself and those of its sections. */
const recordsOf = ({ sections }: RecordDocument): number =>
  sections.reduce((sum, { rows }) => sum + rows.length, 1)

/** The links of pictures. A document without its pictures is better than none. */
const linkPictures = async (
  images: Images,
  brand: string,
  pictures: readonly Picture[],
): Promise<ReadonlyMap<string, PictureLink>> => {
  const links = new Map<string, PictureLink>()
  try {
    for (let from = 0; from < pictures.length; from += linksAtOnce) {
      const batch = pictures.slice(from, from + linksAtOnce)
      const batchLinks = await Promise.all(batch.map((each) => images.link({ brand, ...each })))
      for (const [index, link] of batchLinks.entries()) {
        const picture = batch[index]
        if (link && picture) links.set(picture.id, link)
      }
    }
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
  }
  return links
}
