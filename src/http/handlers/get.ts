import type { Resource } from '#contract'
import { getParameters, notFound, pathIdParameter } from '#request'
import type { Store } from '#store'
import { endStage } from '../context.ts'
import { furtherGroups } from '../further-groups.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface GetParts {
  readonly store: Store
  readonly etags: Etags
}

/** One record by its id. */
export const getHandler = ({ store, etags }: GetParts, resource: Resource): KeyedHandler => {
  const parse = getParameters(resource)
  const checkId = pathIdParameter(resource)
  return async ({ ctx, match, grant, brand, id, reserve, isCancelled }) => {
    const include = parse(match.query, checkId(id), grant.scope)
    endStage(ctx, 'read')

    // The text of a JSON array. Checked paths and ids need no escaping.
    const includeText = include.length === 0 ? '[]' : JSON.stringify(include)
    const target = `["${resource.path}","${id}",${includeText}]`
    const { ifNoneMatch } = ctx.headers
    // `*` matches any record, so this one has to be read.
    if (ifNoneMatch && !matchesAny(ifNoneMatch)) {
      const { version, readState } = await store.state({ resource, brand, filters: [], include })
      const tag = etags.of(brand, target, version)
      if (matchesEtag(ifNoneMatch, tag)) return { notModified: tag, readState }
    }
    const wanted = { resource, brand, key: [id], include, reserve, isCancelled }
    const record = await store.get(wanted)
    endStage(ctx, 'run')

    if (!record) throw notFound()
    const { body, readState } = record
    const tag = etags.of(brand, target, record.version)
    return ifNoneMatch && matchesAny(ifNoneMatch)
      ? { notModified: tag, readState }
      : { body: [body], tag, readState, records: 1, groups: furtherGroups(resource, { include }) }
  }
}
