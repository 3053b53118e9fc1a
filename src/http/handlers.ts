import type { Endpoint, Resource } from '#contract'
import type { Cursors } from '#cursors'
import type { Images } from '#images'
import { getParameters, listParameters, notFound, pathIdParameter } from '#request'
import type { ReadState, Reserve, Store } from '#store'
import { type Etags, matchesAny, matchesEtag } from './etag.ts'
import { imageContentHandler } from './image-content.ts'
import { linkHeader } from './link-header.ts'
import { endStage, type Visit } from './visit.ts'
import type { Answer } from './write.ts'

/** A request for one operation, after who and how much have been settled. */
export interface Asked {
  readonly visit: Visit
  readonly brand: string
  readonly id: string
  /** The path as it was asked for, and the text after its question mark. */
  readonly path: string
  readonly query: string
  readonly ifNoneMatch: string | undefined
  /** Sets memory aside for a large response. */
  readonly reserve: Reserve
}

/** The tag of what the client has and may go on using. */
export interface NotModified {
  readonly notModified: string
  readonly readState?: ReadState
}

export type Handler = (asked: Asked) => Promise<Answer | NotModified>

export interface HandlerParts {
  readonly store: Store
  readonly cursors: Cursors
  readonly etags: Etags
  readonly images: Images
}

/** How an operation of a resource is answered. */
export const handlerOf = (parts: HandlerParts, resource: Resource, endpoint: Endpoint): Handler => {
  if (resource.lookup) return brandHandler(parts, resource)
  const handlers: Record<Endpoint, () => Handler> = {
    list: () => listHandler(parts, resource),
    get: () => getHandler(parts, resource),
    content: () => imageContentHandler(parts, resource),
  }
  return handlers[endpoint]()
}

const listHandler = ({ store, cursors, etags }: HandlerParts, resource: Resource): Handler => {
  const read = listParameters(resource)
  return async ({ visit, brand, path, query, ifNoneMatch, reserve }) => {
    const parameters = read(query)
    const { filters, limit, include } = parameters
    const walk = { brand, collection: resource.path, filters }
    const after = parameters.cursor === null ? null : cursors.open(walk, parameters.cursor)
    endStage(visit, 'read')

    const target = targetOf(resource.path, [...filters].sort(), limit, include, after)
    const tagAt = (version: string) => etags.of(brand, target, version)
    if (ifNoneMatch) {
      const state = await store.state({ resource, brand, filters: filters.keys(), include })
      const tag = tagAt(state.version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, readState: state.readState }
      }
    }
    const page = await store.list({ resource, brand, filters, limit, after, include, reserve })
    endStage(visit, 'run')

    const nextCursor = page.next && cursors.seal(walk, page.next)
    return {
      body: `{"items":[${page.items}],"nextCursor":${nextCursor === null ? 'null' : `"${nextCursor}"`},"totalItems":${page.total}}`,
      tag: tagAt(page.version),
      readState: page.readState,
      ...(nextCursor && { link: linkHeader(path, parameters, nextCursor) }),
    }
  }
}

const getHandler = ({ store, etags }: HandlerParts, resource: Resource): Handler => {
  const read = getParameters(resource)
  const checkId = pathIdParameter(resource)
  return async ({ visit, brand, id, query, ifNoneMatch, reserve }) => {
    const include = read(query, checkId(id))
    endStage(visit, 'read')

    const tagAt = (version: string) =>
      etags.of(brand, targetOf(resource.path, id, include), version)
    if (ifNoneMatch && !matchesAny(ifNoneMatch)) {
      const state = await store.state({ resource, brand, filters: [], include })
      const tag = tagAt(state.version)
      if (matchesEtag(ifNoneMatch, tag)) return { notModified: tag, readState: state.readState }
    }
    const found = await store.get({ resource, brand, key: [id], include, reserve })
    endStage(visit, 'run')

    if (!found) throw notFound()
    const { readState } = found
    const tag = tagAt(found.version)
    return matchesAny(ifNoneMatch)
      ? { notModified: tag, readState }
      : { body: found.body, tag, readState }
  }
}

/** The brand itself: the one record of its collection. */
const brandHandler = ({ store, etags }: HandlerParts, resource: Resource): Handler => {
  const read = getParameters(resource)
  return async ({ visit, brand, query, ifNoneMatch, reserve }) => {
    const include = read(query, undefined)
    endStage(visit, 'read')
    const tagAt = (version: string) => etags.of(brand, targetOf(resource.path), version)
    if (ifNoneMatch) {
      const state = await store.state({ resource, brand, filters: [], include })
      const tag = tagAt(state.version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, readState: state.readState }
      }
    }
    const { items, version, readState } = await store.list({
      resource,
      brand,
      filters: new Map(),
      limit: 1,
      after: null,
      include,
      reserve,
    })
    endStage(visit, 'run')
    if (items.length === 0) throw notFound()
    return { body: items, tag: tagAt(version), readState }
  }
}

/** What an answer depends on beside the data, in one spelling. */
const targetOf = (...parts: readonly unknown[]): string => JSON.stringify(parts)
