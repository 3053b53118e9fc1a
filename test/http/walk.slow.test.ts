/** Walks while others write, and totals that are kept rather than counted. */

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import type { DemoRecord } from '#demo'
import { ownerNumber } from '#store'
import { countedMax } from '../../src/store/schema/collection-stats.ts'
import { brandRecord, idOf, queryOf, recordsAt, seeded, valueAt } from '../support/model.ts'
import { openTestService } from '../support/service.ts'
import {
  at,
  missed,
  staying,
  type Walked,
  walkSlowly,
  walkUnderProcess,
  walkUnderWriters,
} from '../support/walks.ts'

const service = await openTestService()
const key = await service.key()
const { store, database } = service.records
after(() => service.close())

describe('a walk', () => {
  const assertWalked = ({ walks, writes, misses }: Walked, least: number) => {
    assert.deepEqual(misses, [])
    assert.equal(walks, 10)
    assert.ok(writes > least, `${writes} writes are few`)
  }

  it('under writers sees each record that stays exactly once, and totals that were true', async () => {
    assertWalked(await walkUnderWriters({ service, key, brand: 'busy', walks: 10, seed: 9 }), 60)
  })

  it('sees the same while a second process writes', async () => {
    assertWalked(await walkUnderProcess({ service, key, brand: 'apart', walks: 10, seed: 26 }), 30)
  })

  it('continues while a large import creates the indexes again', async () => {
    const [tag] = recordsAt('tags')
    const brand = 'quiet'
    await service.write(brand, {
      brand: [brandRecord(brand, 9)],
      tags: staying.map((id) => ({ ...tag, id, name: 'Staying', code: id })),
    })
    const others = Array.from({ length: 21_000 }, (_, index) => ({
      ...tag,
      id: idOf(index),
      name: 'Staying',
      code: `${index % 7}`,
    }))
    let done = false
    const writing = service
      .write('loud', { brand: [brandRecord('loud', 10)], tags: others })
      .finally(() => {
        done = true
      })
    let walks = 0
    do {
      const pages = await walkSlowly({ service, key }, at(brand, 'tags?name=Staying'), 13, () => 0)
      assert.deepEqual(missed(pages, `walk ${walks}`), [])
      for (const { total } of pages) assert.equal(total, 60)
      walks += 1
    } while (!done)
    await writing
    const loud = await service.get(at('loud', 'tags?name=Staying'), { key })
    assert.equal(loud.body.totalItems, 21_000)
    assert.equal((await service.get(at('loud', 'tags?code=3'), { key })).body.totalItems, 3_000)
    const after = await walkSlowly({ service, key }, at(brand, 'tags?name=Staying'), 13, () => 0)
    assert.deepEqual(missed(after, 'after'), [])
  })
})

describe('totals', () => {
  /** A collection of a brand whose records a test changes, and the model of it. */
  const openModel = async (brand: string, path: string, number: number) => {
    await service.write(brand, { brand: [brandRecord(brand, number)] })
    const resource = resourceAt(catalog, path)
    const [sample] = recordsAt(path)
    const model = new Map<string, DemoRecord>()
    return {
      model,
      record: (id: number, fields: DemoRecord): DemoRecord => ({
        ...sample,
        ...fields,
        id: idOf(id),
      }),
      /** Writes and removes at once, as one merge. */
      merge: async (
        records: readonly DemoRecord[],
        {
          removals = [],
          replace = false,
        }: { removals?: readonly string[]; replace?: boolean } = {},
      ) => {
        if (replace) model.clear()
        for (const id of removals) model.delete(id)
        for (const record of records) model.set(`${record['id']}`, record)
        return store.write(brand, async (writer) => {
          await writer.stage(resource, records)
          await writer.stageRemoval(
            resource,
            removals.map((id) => [id]),
          )
          return writer.merge(resource, { replace })
        })
      },
      /** Every value of these filters, and the whole, is counted as the model counts. */
      assertTotals: async (...filters: readonly (readonly [name: string, field: string])[]) => {
        const total = async (parameters: { [name: string]: string | number }) => {
          const query = queryOf({ ...parameters, limit: 1 })
          const { status, body, text } = await service.get(at(brand, `${path}?${query}`), { key })
          assert.equal(status, 200, text)
          return body.totalItems
        }
        const records = [...model.values()]
        assert.equal(await total({}), records.length)
        for (const [name, field] of filters) {
          const counts = Map.groupBy(records, (record) => valueAt(record, field))
          counts.delete(null)
          for (const [value, matches] of counts) {
            const filter = { [name]: value as string | number }
            assert.equal(await total(filter), matches.length, `${name}=${value}`)
          }
        }
      },
      /** The values whose totals are stored. */
      storedTotals: async (filter: string): Promise<readonly (readonly [string, number])[]> => {
        const [rows = []] = await database.read([
          {
            text: 'select "value", "total" from "selvedge_totals" where "owner" = ?1 and "collection" = ?2 and "filter" = ?3 order by "value"',
            values: [ownerNumber(brand), path, filter],
          },
        ])
        return rows as unknown as readonly (readonly [string, number])[]
      },
    }
  }

  const range = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => from + index)

  it(`of a text are counted up to ${countedMax} records, kept beyond, and always right`, async () => {
    const many = await openModel('many-tags', 'tags', 3)
    const { record, merge, assertTotals, storedTotals } = many
    const check = () => assertTotals(['name', 'name'], ['code', 'code'])
    const of = (ids: readonly number[], name: string) =>
      ids.map((id) => record(id, { name, code: id % 2 === 0 ? 'even' : 'odd' }))

    await merge(of(range(0, countedMax), 'Core'))
    await check()
    assert.deepEqual(await storedTotals('name'), [], 'what can be counted is not kept')
    await merge(of(range(countedMax, 1), 'Core'))
    await check()
    assert.deepEqual(await storedTotals('name'), [['Core', countedMax + 1]])
    await merge(of(range(1_001, 30), 'Core'))
    await check()
    await merge([], { removals: range(0, 100).map(idOf) })
    await check()
    assert.deepEqual(
      await storedTotals('name'),
      [['Core', 931]],
      'what is kept stays kept, and right',
    )
    await merge(of(range(100, 500), 'core'))
    await check()
    await merge(of(range(100, 500), 'Core'), { removals: range(600, 3).map(idOf) })
    await check()
    await merge(of(range(2_000, 1_500), 'Other'))
    await check()
    assert.deepEqual(
      (await storedTotals('name')).map(([value]) => value),
      ['Core', 'Other'],
    )
    await merge(of(range(2_000, 1_500), 'Core'))
    await check()
    await merge(of(range(2_000, 20), 'Other'))
    await check()
    await merge(of(range(3_000, 50), 'Core'), { replace: true })
    await check()
    await merge(of(range(0, 2_100), 'Other'), { replace: true })
    await check()
    assert.equal((await storedTotals('code')).length, 2)
    await merge([], { replace: true })
    await check()
    await merge(of(range(0, 3), 'Core'))
    await check()
  })

  it('of a number and a reference move with the records', async () => {
    const many = await openModel('many-runs', 'production-runs', 4)
    const { record, merge, assertTotals, storedTotals } = many
    const check = () =>
      assertTotals(['runNumber', 'runNumber'], ['orderId', 'orderId'], ['originId', 'originId'])
    const of = (ids: readonly number[], runNumber: number) =>
      ids.map((id) => record(id, { runNumber, orderId: idOf(runNumber), originId: null }))
    await merge([...of(range(0, 1_200), 1), ...of(range(2_000, 1_100), 10)])
    await check()
    assert.deepEqual(await storedTotals('runNumber'), [
      ['1', 1_200],
      ['10', 1_100],
    ])
    await merge(of(range(0, 400), 10))
    await check()
    await merge(of(range(0, 300), 0))
    await check()
    await merge(of(range(1_000, 700), 1), { removals: range(0, 50).map(idOf) })
    await check()
    assert.equal((await storedTotals('runNumber')).length, 2)
  })

  it('of a nested field move with it, and with its object being null', async () => {
    const many = await openModel('many-partners', 'partners', 5)
    const { record, merge, assertTotals, storedTotals } = many
    const [sample] = recordsAt('partners')
    const check = () => assertTotals(['relationshipStatus', 'relationship.status'])
    const of = (ids: readonly number[], status: string) =>
      ids.map((id) =>
        record(id, {
          slug: `partner-${id}`,
          relationship: { ...(sample?.['relationship'] as DemoRecord), status },
        }),
      )
    await merge(of(range(0, 1_050), 'active'))
    await check()
    assert.deepEqual(await storedTotals('relationshipStatus'), [['active', 1_050]])
    await merge(of(range(0, 200), 'paused'))
    await check()
    await merge(of(range(100, 300), 'active'), { removals: range(900, 10).map(idOf) })
    await check()
  })

  it('are right when a record is staged and removed in the same merge: it stays', async () => {
    const { record, merge, assertTotals } = await openModel('twice', 'tags', 6)
    await merge(range(0, 1_100).map((id) => record(id, { name: 'Core', code: 'x' })))
    const again = record(5, { name: 'Other', code: 'y' })
    await merge([again], { removals: [idOf(5)] })
    const { body } = await service.get(at('twice', `tags/${idOf(5)}`), { key })
    assert.deepEqual([body.name, body.code], ['Other', 'y'])
    await assertTotals(['name', 'name'], ['code', 'code'])
  })

  it('are right when a record is staged twice in the same merge: the last one counts', async () => {
    const { record, merge, assertTotals } = await openModel('doubled', 'tags', 8)
    await merge(range(0, 1_100).map((id) => record(id, { name: 'Core', code: 'x' })))
    for (const id of [5, 2_000]) {
      const twins = ['y', 'z'].map((code) => record(id, { name: 'Core', code }))
      await merge(twins)
      const { body } = await service.get(at('doubled', `tags/${idOf(id)}`), { key })
      assert.equal(body.code, 'z')
    }
    await assertTotals(['name', 'name'], ['code', 'code'])
  })

  it('are right after any merges, as a model is', async () => {
    const { record, merge, assertTotals, model, storedTotals } = await openModel(
      'chance',
      'tags',
      7,
    )
    const draw = seeded(7)
    const names = ['a', 'b', 'A']
    let promoted = 0
    for (let round = 0; round < 40; round += 1) {
      const many = draw(4) === 0 ? 1_400 : draw(300)
      const from = draw(2_000)
      const name = names[draw(3)] ?? ''
      const records = range(from, many).map((id) =>
        record(id, { name: draw(9) === 0 ? 'c' : name, code: `${draw(2)}` }),
      )
      const staged = new Set(records.map((each) => `${each['id']}`))
      const removals = [...model.keys()].filter((id) => !staged.has(id) && draw(5) === 0)
      const before = model.size
      const merged = await merge(records, { removals, replace: draw(12) === 0 })
      assert.equal(model.size, before + merged.added - merged.removed, `round ${round}`)
      await assertTotals(['name', 'name'], ['code', 'code'])
      promoted = Math.max(promoted, (await storedTotals('name')).length)
    }
    assert.ok(promoted >= 2, `${promoted} values became large`)
  })
})
