/** Walks through sorted and ranged lists while others write, and wide ranges beside other requests. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { catalog, queryBasePath, resourceAt } from '#contract'
import { brandRecord, idOf, recordsAt, seeded } from '../support/model.ts'
import { openTestService, type TestResponse } from '../support/service.ts'

const service = await openTestService()
after(() => service.close())
const key = await service.key()
const items = resourceAt(catalog, 'order-items')
const [sample = {}] = recordsAt('order-items')
const draw = seeded(31)

const ask = async (brand: string, rest: string): Promise<TestResponse> => {
  const answer = await service.get(`${queryBasePath}/brands/${brand}/${rest}`, { key })
  assert.equal(answer.status, 200, answer.text)
  return answer
}

const write = (brand: string, records: readonly object[], removed: readonly string[] = []) =>
  service.records.store.write(brand, async (writer) => {
    await writer.stage(items, records as never)
    await writer.stageRemoval(
      items,
      removed.map((id) => [id]),
    )
    await writer.merge(items)
  })

describe('a walk through a list of the query API', () => {
  it('under writers sees each record that stays exactly once, in order', async () => {
    const brand = 'moving'
    const staying = Array.from({ length: 120 }, (_, n) => ({
      ...sample,
      id: idOf(1_000 + n * 5),
      qty: draw(9),
    }))
    const stays = new Set(staying.map(({ id }) => id))
    await service.write(brand, { brand: [brandRecord(brand, 3)], 'order-items': staying })
    let isOver = false
    let writes = 0
    const writing = (async () => {
      while (!isOver) {
        const ids = Array.from({ length: 3 }, () => idOf(1_000 + draw(600)))
        const others = [...new Set(ids)].filter((id) => !stays.has(id))
        const records = others.map((id) => ({ ...sample, id, qty: draw(9) }))
        if (draw(3) === 0) await write(brand, [], others)
        else await write(brand, records)
        writes += 1
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    })()
    for (const query of [
      'sort=qty',
      'sort=-qty',
      'qty.gte=3&sort=qty',
      'qty.lt=6',
      'sort=-updatedAt',
    ]) {
      const seen: { id: string; qty: number }[] = []
      let cursor: string | null = null
      do {
        const { body }: TestResponse = await ask(
          brand,
          `order-items?${query}&limit=7${cursor ? `&cursor=${cursor}` : ''}`,
        )
        seen.push(...body.items)
        cursor = body.nextCursor
      } while (cursor)
      const ids = seen.map(({ id }) => id)
      const isMeant = ({ qty }: { qty: number }) =>
        query.startsWith('qty.gte') ? qty >= 3 : query.startsWith('qty.lt') ? qty < 6 : true
      const meant = staying.filter(isMeant).map(({ id }) => id)
      // A record whose value changes meanwhile may be seen at both of its places.
      assert.deepEqual(ids.filter((id) => stays.has(id)).sort(), [...meant].sort(), query)
    }
    isOver = true
    await writing
    assert.ok(writes > 20, `${writes} writes are few`)
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
    let longest = 0
    let last = busyMs()
    const timer = setInterval(() => {
      const now = busyMs()
      longest = Math.max(longest, now - last)
      last = now
    }, 0)
    const total = async (rest: string) => (await ask(brand, `order-items?${rest}`)).body.totalItems
    try {
      assert.equal(await total('qty.gte=500&category=A&sort=-qty'), 25_000)
      assert.equal(await total('qty.gte=10&qty.lt=990&sort=unitPrice'), 98_000)
      assert.equal(await total('qty.in=1,2,3&category.in=A,B'), 300)
      assert.equal(await total('qty.lt=2&sort=-updatedAt'), 200)
    } finally {
      clearInterval(timer)
    }
    assert.ok(longest < 30, `the event loop was busy for ${Math.round(longest)} ms`)
  })
})
