import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Resource } from '#contract'
import { quote } from '#database'
import { decodeBody } from '../../../src/store/read/body.ts'
import { feedStart } from '../../../src/store/read/feed.ts'
import { ownerNumber } from '../../../src/store/schema/owners.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { crate, crates, type OpenedForStore, small, uuid } from './samples.ts'

const daySnapshot = {
  day: '2026-06-01',
  takenAt: '2026-06-02T04:00:00.000Z',
  figures: new Map(),
  series: new Map(),
  changed: { since: '2026-05-31T04:00:00.000Z', items: 0, groups: [] },
}

/** What the removal of a brand promises, on every engine. */
export const brandRemovalConformance = (
  name: string,
  open: () => Promise<OpenedForStore>,
): void => {
  describe(`the removal of a brand on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(small, opened.database, { recordsChanges: true })
    })
    after(() => opened.close())

    const put = (owner: string, into: Resource, records: object[]) =>
      store.write(owner, async (writer) => {
        await writer.stage(into, records as never)
        return writer.merge(into)
      })
    const changes = async (brand: string, after = feedStart) => {
      const page = await store.feed.page({ brand, resource: null, after, limit: 100 })
      const ids = page.changes.map(({ key, body }) => `${key} ${body === null ? 'removed' : 'put'}`)
      return { ids, isKnown: page.isKnown, next: page.next }
    }
    const bodies = async (brand: string): Promise<readonly string[]> => {
      const all: string[] = []
      await store.snapshot(brand, async (reader) => {
        for await (const batch of reader.bodies(crates)) all.push(...batch.map(decodeBody))
      })
      return all
    }
    /** How many rows of an owner there are, in every table that has owners. */
    const rowsOf = async (brand: string): Promise<{ readonly [table: string]: number }> => {
      const counts: { [table: string]: number } = {}
      for (const [table, columns] of await opened.database.tables()) {
        if (!columns.includes('owner')) continue
        const text = `select count(*) from ${quote(table)} where "owner" = ?1`
        const [[row] = []] = await opened.database.read([{ text, values: [ownerNumber(brand)] }])
        if (Number(row?.[0]) > 0) counts[table] = Number(row?.[0])
      }
      return counts
    }

    it('leaves no row of it but empty states, and every row of others', async () => {
      for (const brand of ['going', 'staying']) {
        await put(brand, crates, [crate(1), crate(2), crate(3)])
        await store.sources.update(brand, { kind: 'watch', name: 'drop' }, { waiting: 1 })
        await store.daySnapshots.add(brand, daySnapshot)
        await store.views.add(brand, { name: 'Late', group: 'crates', query: '' })
      }
      const before = await rowsOf('staying')
      assert.ok(Object.keys(before).length >= 6, JSON.stringify(before))
      assert.equal(before['selvedge_day_snapshots'], 1)
      assert.equal(before['selvedge_views'], 1)
      assert.deepEqual(await store.brandCounts('going'), [{ collection: 'crates', records: 3 }])
      const stateOf = (brand: string) =>
        store.state({ resource: crates, brand, filters: [], include: [] })
      const [going, staying] = [await stateOf('going'), await stateOf('staying')]
      const feed = await changes('staying')

      const removed = new Map<string, number>()
      await store.removeBrand('going', ({ table, rows }) => removed.set(table, rows))
      assert.equal(removed.get('crates'), 3)
      assert.deepEqual(await rowsOf('going'), { selvedge_collections: 2 })
      assert.deepEqual(await store.brandCounts('going'), [])
      assert.deepEqual(await bodies('going'), [])
      assert.notEqual((await stateOf('going')).version, going.version)

      assert.deepEqual(await rowsOf('staying'), before)
      assert.equal((await bodies('staying')).length, 3)
      assert.equal((await stateOf('staying')).version, staying.version)
      assert.deepEqual(await changes('staying'), feed)
    })

    it('ends its change feed, which begins again with the brand', async () => {
      await put('again', crates, [crate(1), crate(2)])
      const { next } = await changes('again')
      await store.removeBrand('again')
      await put('again', crates, [crate(3)])
      assert.equal((await changes('again', next)).isKnown, false)
      const fresh = await changes('again')
      assert.deepEqual([fresh.isKnown, fresh.ids], [true, [`${uuid(3)} put`]])
      assert.equal((await changes('again', fresh.next)).isKnown, true)
    })

    it('of a brand without records changes nothing', async () => {
      await store.removeBrand('never-there')
      assert.deepEqual(await rowsOf('never-there'), { selvedge_collections: 1 })
    })
  })
}
