/** Walks through sorted and ranged lists while others write, and wide ranges beside other requests. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { catalog, queryBasePath, resourceAt } from '#contract'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'
import { openPostgres } from '../support/postgres.ts'
import { type WalkedQueries, walkQueries } from '../support/query-walks.ts'
import { openTestService, type TestResponse } from '../support/service.ts'

const service = await openTestService()
after(() => service.close())
const key = await service.key()
const items = resourceAt(catalog, 'order-items')
const [sample = {}] = recordsAt('order-items')

/** A count that takes longer than one request may is continued by the same request. */
const ask = async (brand: string, rest: string, triesLeft = 20): Promise<TestResponse> => {
  const answer = await service.get(`${queryBasePath}/brands/${brand}/${rest}`, { key })
  if (answer.status === 500 && triesLeft > 0 && answer.text.includes('Send the same request again'))
    return ask(brand, rest, triesLeft - 1)
  assert.equal(answer.status, 200, answer.text)
  return answer
}

const write = (brand: string, records: readonly object[]) =>
  service.records.store.write(brand, async (writer) => {
    await writer.stage(items, records as never)
    await writer.merge(items)
  })

/** Whatever the others do, each response is that of one state, and what stays is seen exactly once. */
const assertWalked = ({ walks, pages, changes, writes, misses }: WalkedQueries) => {
  assert.deepEqual(misses.slice(0, 5), [])
  assert.equal(walks, 27)
  assert.ok(writes > 10 && pages > 100, `${writes} writes beside ${pages} pages are few`)
  assert.ok(changes > 10, `${changes} pages of another state are few`)
}

describe('a walk through a list of the query API', () => {
  it('beside imports has pages of one state each, and each record that stays once', async () => {
    assertWalked(await walkQueries({ service, key, brand: 'moving', walks: 27, seed: 31 }))
  })

  it('has them on PostgreSQL too', async () => {
    const postgres = await openPostgres()
    const other = await openTestService({ DATABASE_URL: await postgres.url('walks') })
    try {
      const parts = { service: other, key: await other.key() }
      // A cached response is valid until the notification of a commit has arrived.
      const noticedWithinMs = 1_000
      assertWalked(
        await walkQueries({ ...parts, brand: 'moving', walks: 27, seed: 32, noticedWithinMs }),
      )
    } finally {
      await other.close()
      await postgres.close()
    }
  })
})

describe('a wide range', () => {
  it('does not keep other requests waiting', async () => {
    const brand = 'wide'
    await service.write(brand, { brand: [brandRecord(brand, 4)] })
    const all = Array.from({ length: 100_000 }, (_, n) => ({
      ...sample,
      id: idOf(n),
      qty: n % 1_000,
      category: n % 2 ? 'A' : 'B',
    }))
    await write(brand, all)
    // Time of the processor, because other processes may have it for long.
    const busyMs = () => {
      const { user, system } = process.threadCpuUsage()
      return (user + system) / 1_000
    }
    const total = async (rest: string) => (await ask(brand, `order-items?${rest}`)).body.totalItems
    // The first request of a process compiles code, which takes longer than anything it reads.
    assert.equal(await total('qty.gte=1000&sort=qty'), 0)
    const longestIn = async (round: number): Promise<number> => {
      let longest = 0
      let last = busyMs()
      const timer = setInterval(() => {
        const now = busyMs()
        longest = Math.max(longest, now - last)
        last = now
      }, 0)
      try {
        const more = 100 * round
        const half = `qty.gte=${500 + 2 * round}&category=A&sort=-qty`
        assert.equal(await total(half), 25_000 - more)
        const most = `qty.gte=10&qty.lt=${990 - round}&sort=updatedAt`
        assert.equal(await total(most), 98_000 - more)
        assert.equal(await total(`qty.in=1,2,${3 + round}&category.in=A,B`), 300)
        assert.equal(await total(`qty.lt=${2 + round}&sort=-updatedAt`), 200 + more)
      } finally {
        clearInterval(timer)
      }
      return longest
    }
    // The garbage of the test itself may be collected in one of them.
    const rounds = [await longestIn(0), await longestIn(1), await longestIn(2)]
    const longest = Math.min(...rounds)
    assert.ok(longest < 20, `the event loop was busy for ${Math.round(longest)} ms`)
  })
})
