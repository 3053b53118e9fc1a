/** Usage as the operator page and the command show it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeyRecord } from '#keys'
import { describeUsage, type UsageReport } from '#operator'

describe('usage of many keys', () => {
  it('has their names, and looks at each key once or twice', () => {
    let looks = 0
    const count = 1_000
    const keys = Array.from({ length: count }, (_, index) => ({
      get id() {
        looks += 1
        return `key-${index}`
      },
      name: `Key ${index}`,
    })) as unknown as readonly KeyRecord[]
    const totals = Array.from({ length: count + 1 }, (_, index) => ({
      parts: [`key-${count - index}`],
    })) as unknown as UsageReport['totals']
    const filter = { since: '2026-01-01', until: '2026-01-31' }
    const { items, isCut } = describeUsage({ by: ['key'], filter, totals, keys }, 500)
    assert.equal(isCut, true)
    assert.deepEqual(
      [items[0], items[1], items.at(-1)].map((item) => [item?.key, item?.name]),
      [
        [`key-${count}`, null],
        ['key-999', 'Key 999'],
        ['key-501', 'Key 501'],
      ],
    )
    assert.ok(looks <= 2 * count, `${looks}`)
  })
})
