import type { Resource } from '#contract'
import { getParameters, notFound } from '#request'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { matchesAny, matchesEtag } from '../response.ts'
import type { GetParts } from './get.ts'

/** The brand itself: the only record of its collection. */
export const brandHandler = ({ store, etags }: GetParts, resource: Resource): KeyedHandler => {
  const parse = getParameters(resource)
  const target = JSON.stringify([resource.path])
  return async ({ ctx, match, grant, brand, reserve }) => {
    const include = parse(match.query, undefined, grant.scope)
    endStage(ctx, 'read')
    const tagAt = (version: string) => etags.of(brand, target, version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const { version, readState } = await store.state({ resource, brand, filters: [], include })
      const tag = tagAt(version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, readState }
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
    endStage(ctx, 'run')
    if (items.length === 0) throw notFound()
    return { body: [items], tag: tagAt(version), readState, records: 1 }
  }
}
