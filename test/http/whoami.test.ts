import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brandRecord } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const rights = { expiresAt: null, perSecond: null, burst: null }

describe('a key for thousands of brands', () => {
  it('gets the list of those that exist without holding others up', async (test) => {
    const service = await openTestService()
    test.after(() => service.close())
    const slugs = Array.from({ length: 1_200 }, (_, index) => `brand-${index}`).sort()
    for (const [index, slug] of slugs.entries()) {
      // Every third is not there.
      if (index % 3 !== 0) await service.write(slug, { brand: [brandRecord(slug, index)] })
    }
    const { database } = service.records
    const { read } = database
    let reads = 0
    let rowsMax = 0
    database.read = async (...args) => {
      reads += 1
      const results = await read(...args)
      for (const rows of results) rowsMax = Math.max(rowsMax, rows.length)
      return results
    }
    const there = slugs.filter((_, index) => index % 3 !== 0)
    for (const [brands, expected] of [
      [slugs, there],
      [[], ['aldermoor', ...there]],
    ] as const) {
      const global = brands.length === 0
      const { key } = await service.records.keys.issue({ name: '', brands, global, ...rights })
      reads = 0
      const { status, body } = await service.get('/whoami', { key })
      assert.equal(status, 200)
      const listed = body.brands.map(({ slug }: { slug: string }) => slug)
      assert.deepEqual(listed, expected)
      assert.ok(reads < 10, `${reads} reads`)
      assert.ok(rowsMax <= 500, `${rowsMax} rows in one read`)
    }
    database.read = read
  })
})
