import { rejectParameters } from '#request'
import type { Store } from '#store'
import { allGroups } from '#usage'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface QualityParts {
  readonly store: Store
  readonly etags: Etags
}

/** The results of the rule checks. The rules are loaded before the server listens. */
export const qualityHandler =
  ({ store, etags }: QualityParts): KeyedHandler =>
  async ({ ctx, match, grant, brand }) => {
    rejectParameters(match.query)
    const { qualityJson } = await import('#check')
    endStage(ctx, 'read')

    const text = JSON.stringify(qualityJson(await store.quality.read(brand), grant.scope))
    endStage(ctx, 'run')

    const tag = etags.of(brand, 'quality', text)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag }
    }
    return { body: [Buffer.from(text)], tag, groups: [allGroups] }
  }
