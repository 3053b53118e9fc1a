import { createHash } from 'node:crypto'
import type { Resource } from '#contract'
import { createLineageQueries, lineageJson, readLineage } from '#reading'
import { notFound } from '#request'
import type { Store } from '#store'
import { allGroups } from '#usage'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface LineageParts {
  readonly store: Store
  readonly etags: Etags
}

/** The origin of a record and its consequences, along the chain from the product to the payment. */
export const lineageHandler = (
  { store, etags }: LineageParts,
  resource: Resource,
): KeyedHandler => {
  const open = createLineageQueries(resource)
  return async ({ ctx, match, grant, brand, id, reserve, isCancelled }) => {
    const request = open(brand, id, match.query, grant.scope)
    endStage(ctx, 'read')

    const lineage = await readLineage(store, request, { reserve, isCancelled })
    if (!lineage) throw notFound()
    endStage(ctx, 'run')

    const body = await lineageJson(request, lineage, reserve)
    // Its collections are known only after reading it, so its tag is a hash of its bytes.
    const bytes = createHash('sha256')
    for (const piece of body) bytes.update(piece)
    const tag = etags.of(brand, 'lineage', bytes.digest('base64url'))
    const { ifNoneMatch } = ctx.headers
    return ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))
      ? { notModified: tag }
      : { body, tag, records: lineage.nodes.size, groups: [allGroups] }
  }
}
