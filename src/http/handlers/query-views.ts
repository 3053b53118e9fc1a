import type { PublishedView } from '#contract'
import { nextTurn } from '#reading'
import { createViewChecks, rejectParameters } from '#request'
import type { Store } from '#store'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface PublishedViewsParts {
  readonly store: Store
  readonly etags: Etags
}

/** The published views of a brand whose lists the key may read. */
export const publishedViewsHandler = ({ store, etags }: PublishedViewsParts): KeyedHandler => {
  const { canRead } = createViewChecks(store.catalog)
  return async ({ ctx, match, grant, brand }) => {
    rejectParameters(match.query)
    endStage(ctx, 'read')

    const items: PublishedView[] = []
    for (const view of await store.views.list(brand)) {
      if (canRead(view, grant.scope)) items.push(view)
      // A long view takes a millisecond.
      await nextTurn()
    }
    const text = JSON.stringify({ items })
    endStage(ctx, 'run')

    const tag = etags.of(brand, 'views', text)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag }
    }
    return { body: [Buffer.from(text)], tag }
  }
}
