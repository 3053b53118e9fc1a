/** The short form of `npm run reliability -- replay`, with this checkout on both sides. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Checkout } from '../../bench/checkouts.ts'
import { ownCheckout as folder } from '../../bench/product.ts'
import { defaultSeed } from '../../reliability/check.ts'
import { replay } from '../../reliability/replay.ts'

const compare = (after: Checkout, requests: number) =>
  replay({ before: { folder }, after, requests, engine: 'sqlite', seed: defaultSeed })

describe('a replay', () => {
  it('of a checkout against itself finds no difference', async () => {
    const { groups, requests, connections, statuses } = await compare({ folder }, 2_000)
    assert.deepEqual(groups, [])
    assert.equal(requests, 2_000)
    assert.ok(connections >= 60)
    for (const status of [200, 304, 400, 401, 404, 405, 429]) {
      assert.ok((statuses[status] ?? 0) > 0, `no response has the status ${status}`)
    }
  })

  it('reports the responses that a changed server answers differently', async () => {
    const changed = { folder, settings: { CORS_ORIGINS: 'https://changed.example' } }
    const { groups, different } = await compare(changed, 600)
    assert.ok(different > 0)
    const parts = new Set(groups.map(({ part }) => part))
    assert.ok(parts.has('header access-control-allow-origin'), [...parts].join(', '))
  })
})
