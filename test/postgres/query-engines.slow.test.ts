/** The same as query-engines-random.slow.test.ts, with so many requests that every parameter and view is among them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { catalog, queryParametersOf, summaryParametersOf } from '#contract'
import { lists } from '../support/model.ts'
import { assertSameQueries, compareQueries, openEngines } from '../support/query-engines.ts'

const { engines, close } = await openEngines()
after(close)

describe('the query API on both engines', () => {
  it('gives the same bytes for every kind of parameter and every view', async (context) => {
    const seed = Number(process.env['SELVEDGE_SEED'] ?? 20_261_117)
    const compared = await compareQueries(engines, { seed, requests: 2_000, orders: 6 })
    context.diagnostic(`${compared.requests} requests, repeat with SELVEDGE_SEED=${seed}`)
    assertSameQueries(compared, seed)
    const { kinds, views } = compared.drawn
    const all = lists
      .flatMap((resource) => [...queryParametersOf(resource), ...summaryParametersOf(resource)])
      .map(({ kind }) => kind)
    const missing = [...new Set(all)].filter((kind) => !kinds.has(kind))
    assert.deepEqual(missing.sort(), ['cursor', 'limit'], 'they are added to every list')
    const allViews = catalog.resources.flatMap((resource) =>
      resource.views.map(({ name }) => `${resource.path} ${name}`),
    )
    assert.deepEqual(
      allViews.filter((view) => !views.has(view)),
      [],
    )
  })
})
