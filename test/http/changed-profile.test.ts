/** The brand's base currency changes after it was read and before the records are. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalog, resourceAt, wholeScope } from '#contract'
import { createQueryCursors } from '#cursors'
import { openStory } from '#demo'
import type { KeyedHandler } from '../../src/http/handler.ts'
import { type QueryListParts, queryListHandler } from '../../src/http/handlers/query-list.ts'
import { querySummaryHandler } from '../../src/http/handlers/query-summary.ts'
import { createEtags } from '../../src/http/response.ts'
import { openTestService } from '../support/service.ts'

const orders = resourceAt(catalog, 'orders')
const requests: {
  readonly [query: string]: (parts: QueryListParts) => KeyedHandler
} = {
  'sum=totalAmount': (parts) => querySummaryHandler(parts, orders),
  'totals=totalAmount': (parts) => queryListHandler(parts, orders),
  'sort=totalAmount.base': (parts) => queryListHandler(parts, orders),
}

it('sums and orders of the earlier base currency are not cached as of the later one', async () => {
  const { records, write, close } = await openTestService()
  const { store } = records
  const { brand, records: story } = await openStory()
  const [profile = {}] = story['brand'] ?? []
  const changeTo = (currency: string) =>
    write(brand, { brand: [{ ...profile, baseCurrencyCode: currency }] } as never)
  try {
    for (const [query, handlerOf] of Object.entries(requests)) {
      await changeTo('EUR')
      const handler = handlerOf({
        store: {
          ...store,
          profile: async (slug) => {
            const read = await store.profile(slug)
            await changeTo('JPY')
            return read
          },
        },
        now: Date.now,
        etags: createEtags('secret', 'test'),
        queryCursors: createQueryCursors('secret'),
      })
      const response = await handler({
        ctx: { stages: '', stageStartedAt: 0, headers: {} },
        match: { path: '/orders', query },
        grant: { scope: wholeScope },
        ...{ brand, id: '', isCancelled: () => false },
      } as never)
      const changed = (await store.profile(brand))?.change ?? 0
      assert.ok('readState' in response && response.readState, query)
      assert.ok(response.readState.change < changed, query)
    }
  } finally {
    await close()
  }
})
