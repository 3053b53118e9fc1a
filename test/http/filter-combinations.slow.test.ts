/** Filters together, in every pair, compared with a model. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Filter, Resource } from '#contract'
import {
  absentValue,
  eachOf,
  lists,
  passes,
  queryOf,
  recordsAt,
  seeded,
  valuesOf,
  walk,
} from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const service = await openTestService()
after(() => service.close())

describe('filters together', () => {
  const pairsOf = (resource: Resource): readonly (readonly [Filter, Filter])[] =>
    resource.filters.flatMap((a, index) =>
      resource.filters.slice(index + 1).map((b) => [a, b] as const),
    )

  it('narrow the result to what passes each of them, in every pair', () => {
    const draw = seeded(464)
    const pairs = lists.flatMap((resource) =>
      pairsOf(resource).map(([a, b]) => ({ resource, a, b })),
    )
    return eachOf(pairs, async ({ resource, a, b }) => {
      const records = recordsAt(resource.path)
      // A record's own values, so that most pairs find something; now and then a stranger's.
      const valueFor = (filter: Filter) => {
        const values = valuesOf(resource, filter)
        const likely = values.filter((value) =>
          passes(records[draw(records.length)] ?? {}, filter, value),
        )
        const from = likely.length > 0 && draw(4) > 0 ? likely : values
        return from[draw(from.length)] ?? absentValue(filter)
      }
      const [first, second] = [valueFor(a), valueFor(b)]
      const expected = records.filter(
        (record) => passes(record, a, first) && passes(record, b, second),
      )
      const parameters = { [a.name]: first, limit: 5, [b.name]: second }
      const { items, totals } = await walk(service, resource.path, parameters)
      const where = `${resource.path}?${queryOf(parameters)}`
      assert.deepEqual(items, expected, where)
      assert.deepEqual([...new Set(totals)], [expected.length], where)
    })
  })

  it('narrow it in threes and with all there are', () => {
    const draw = seeded(3)
    return eachOf(lists, async (resource) => {
      const records = recordsAt(resource.path)
      for (const take of [3, resource.filters.length]) {
        const record = records[draw(records.length)] ?? {}
        const chosen = [...resource.filters]
          .sort(() => draw(3) - 1)
          .flatMap((filter) => {
            const value = valuesOf(resource, filter).find((each) => passes(record, filter, each))
            return value === undefined ? [] : [{ filter, value }]
          })
          .slice(0, take)
        const expected = records.filter((each) =>
          chosen.every(({ filter, value }) => passes(each, filter, value)),
        )
        const parameters = Object.fromEntries(
          chosen.map(({ filter, value }) => [filter.name, value]),
        )
        const { items, totals } = await walk(service, resource.path, { ...parameters, limit: 2 })
        const where = `${resource.path}?${queryOf(parameters)}`
        assert.ok(items.length > 0 || chosen.length === 0, where)
        assert.deepEqual(items, expected, where)
        assert.equal(totals[0], expected.length, where)
      }
    })
  })
})
