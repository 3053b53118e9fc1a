/** Walks through sorted and ranged lists while others write, and wide ranges beside other requests. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, queryBasePath, resourceAt } from '#contract'
import { median } from '../../bench/statistics.ts'
import { openServingProcess, type ServingProcess } from '../../reliability/server-process.ts'
import { openBrandsModel } from '../support/brands.ts'
import { staleMsMax } from '../support/freshness.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'
import { openPostgres } from '../support/postgres.ts'
import { type WalkedQueries, walkQueries } from '../support/query-walks.ts'
import { openTestService, patient } from '../support/service.ts'

/** Whatever the others do, each response is that of one state, and what stays is seen exactly once. */
const assertWalked = ({ walks, pages, changes, writes, misses }: WalkedQueries) => {
  assert.deepEqual(misses.slice(0, 5), [])
  assert.equal(walks, 27)
  assert.ok(writes > 10 && pages > 100, `${writes} writes beside ${pages} pages are few`)
  assert.ok(changes > 10, `${changes} pages of another state are few`)
}

describe('a walk through a list of the query API', () => {
  it('beside imports has pages of one state each, and each record that stays once', async () => {
    const service = await openTestService()
    try {
      const key = await service.key()
      assertWalked(await walkQueries({ service, key, brand: 'moving', walks: 27, seed: 31 }))
    } finally {
      await service.close()
    }
  })

  it('has them on PostgreSQL too', async () => {
    const postgres = await openPostgres()
    const service = await openTestService({ DATABASE_URL: patient(await postgres.url('walks')) })
    try {
      const parts = { service, key: await service.key() }
      const noticedWithinMs = staleMsMax.postgres
      assertWalked(
        await walkQueries({ ...parts, brand: 'moving', walks: 27, seed: 32, noticedWithinMs }),
      )
    } finally {
      await service.close()
      await postgres.close()
    }
  })
})

describe('a wide range', () => {
  const brand = 'wide'
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-wide-'))
  let serving: ServingProcess
  let key: string

  before(async () => {
    const DATABASE_URL = patient(`sqlite:${join(folder, 'selvedge.db')}`)
    // In a process of its own, so that the work of this test is not measured with it.
    serving = await openServingProcess(openBrandsModel(1), { DATABASE_URL }, { hasMeter: true })
    const { store, keys } = serving.records
    const [sample = {}] = recordsAt('order-items')
    const written = {
      brand: [brandRecord(brand, 4)],
      'order-items': Array.from({ length: 100_000 }, (_, n) => ({
        ...sample,
        id: idOf(n),
        qty: n % 1_000,
        category: n % 2 ? 'A' : 'B',
      })),
    }
    await store.write(brand, async (writer) => {
      for (const [path, records] of Object.entries(written)) {
        await writer.stage(resourceAt(catalog, path), records as never)
        await writer.merge(resourceAt(catalog, path))
      }
    })
    const rights = { brands: [brand], global: false, expiresAt: null }
    const limit = { perSecond: null, burst: null }
    key = (await keys.issue({ name: 'wide', ...rights, ...limit })).key
    while ((await ask('limit=1')).status === 401) await wait(20)
  })
  after(async () => {
    await serving.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = async (rest: string) => {
    const response = await fetch(
      `${serving.url}${queryBasePath}/brands/${brand}/order-items?${rest}`,
      { headers: { authorization: `Bearer ${key}` } },
    )
    return { status: response.status, text: await response.text() }
  }
  const total = async (rest: string): Promise<number> => {
    const { status, text } = await ask(rest)
    assert.equal(status, 200, text)
    return JSON.parse(text).totalItems
  }

  it('does not keep other requests waiting', async (t) => {
    // The first request of a process compiles code, which takes longer than anything it reads.
    assert.equal(await total('qty.gte=1000&sort=qty'), 0)
    const askAll = async (round: number) => {
      const more = 100 * round
      const half = `qty.gte=${500 + 2 * round}&category=A&sort=-qty`
      assert.equal(await total(half), 25_000 - more)
      const most = `qty.gte=10&qty.lt=${990 - round}&sort=updatedAt`
      assert.equal(await total(most), 98_000 - more)
      assert.equal(await total(`qty.in=1,2,${3 + round}&category.in=A,B`), 300)
      assert.equal(await total(`qty.lt=${2 + round}&sort=-updatedAt`), 200 + more)
    }
    const rounds: number[] = []
    for (let round = 0; round < 5; round += 1) {
      const [, longestMs] = await serving.busyDuring(() => askAll(round))
      rounds.push(longestMs)
    }
    t.diagnostic(
      `the longest turn of each round: ${rounds.map((ms) => ms.toFixed(1)).join(', ')} ms`,
    )
    const longest = median(rounds)
    assert.ok(longest < 20, `the event loop was busy for ${Math.round(longest)} ms`)
  })
})
