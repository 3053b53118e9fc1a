import type { Store } from '#store'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'

/** The existing brands that a key may read, with their time zones and base currencies. */
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
      content: JSON.stringify({ brands }),
    }
  }
