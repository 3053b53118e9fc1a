import type { Resource } from '#contract'
import { getParameters, notFound, pathIdParameter } from '#request'
import type { Store } from '#store'
import { endStage } from '../context.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import type { KeyedHandler } from './handler.ts'

export interface GetParts {
  readonly store: Store
  readonly etags: Etags
}

/** One record by its id. */
export const getHandler = ({ store, etags }: GetParts, resource: Resource): KeyedHandler => {
  const parse = getParameters(resource)
  const checkId = pathIdParameter(resource)
  return async ({ ctx, match, brand, id, reserve, isCancelled }) => {
    const include = parse(match.query, checkId(id))
    endStage(ctx, 'read')

    const target = JSON.stringify([resource.path, id, include])
    const tagAt = (version: string) => etags.of(brand, target, version)
    const { ifNoneMatch } = ctx.headers
    // `*` matches any record, so this one has to be read.
    if (ifNoneMatch && !matchesAny(ifNoneMatch)) {
      const { version, readState } = await store.state({ resource, brand, filters: [], include })
      const tag = tagAt(version)
      if (matchesEtag(ifNoneMatch, tag)) return { notModified: tag, readState }
    }
    const wanted = { resource, brand, key: [id], include }
    const record = await store.get({ ...wanted, reserve, isCancelled })
    endStage(ctx, 'run')

    if (!record) throw notFound()
    const { body, readState } = record
    const tag = tagAt(record.version)
    return matchesAny(ifNoneMatch)
      ? { notModified: tag, readState }
      : { body: [body], tag, readState }
  }
}
