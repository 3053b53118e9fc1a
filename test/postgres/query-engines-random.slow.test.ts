/** The query API gives the same bytes on SQLite and on PostgreSQL. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { basePath, queryBasePath } from '#contract'
import { assertSameQueries, compareQueries, openEngines } from '../support/query-engines.ts'

const { engines, close } = await openEngines()
after(close)

describe('the query API on both engines', () => {
  it('gives the same bytes for random requests over random records', async (context) => {
    const seed = Number(process.env['SELVEDGE_SEED'] ?? 20_261_116)
    const compared = await compareQueries(engines, { seed, requests: 250, orders: 2 })
    context.diagnostic(`${compared.requests} requests, repeat with SELVEDGE_SEED=${seed}`)
    assertSameQueries(compared, seed)
  })

  it('gives the same lineages of these records', async () => {
    const lineages = async (path: string) =>
      Promise.all(
        engines.map(async ({ service, key }) => {
          const { body } = await service.get(`${basePath}/brands/kowhai/${path}?limit=3`, { key })
          const texts: string[] = []
          for (const { id } of body.items) {
            const target = `${queryBasePath}/brands/kowhai/${path}/${id}/lineage`
            const { status, text } = await service.get(target, { key })
            assert.equal(status, 200, text)
            texts.push(text)
          }
          return texts
        }),
      )
    for (const path of ['orders', 'skus', 'shipments', 'invoices', 'payments', 'bom-components']) {
      const [one, other] = await lineages(path)
      assert.ok(one && one.length > 0, path)
      assert.deepEqual(other, one, path)
    }
  })
})
