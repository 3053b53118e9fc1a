import type { Store } from '#store'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'

/**
 * The existing brands that a key may read, with their time zones and base currencies, and the groups
 * that it is limited to.
 */
export const whoamiHandler =
  (store: Store): KeyedHandler =>
  async ({ ctx, grant }) => {
    const brands = await store.listBrands(grant.global ? null : grant.brands)
    endStage(ctx, 'run')
    return {
      status: 200,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        vary: 'Authorization',
        'x-content-type-options': 'nosniff',
      },
      content: JSON.stringify({
        brands,
        ...(!grant.scope.isWhole && {
          groups: store.catalog.resources.flatMap(({ path }) =>
            grant.scope.has(path) ? path : [],
          ),
        }),
      }),
    }
  }
