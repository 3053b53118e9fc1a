import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { SourceState } from '#store'
import { createStore, type Store } from '../../../src/store/store.ts'
import { crate, crates, type OpenedForStore, small, uuid } from './samples.ts'

export const sourceConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`the states of sources on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(small, opened.database)
    })
    after(() => opened.close())

    const orders = { kind: 'sync', name: 'orders' } as const
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 16, 6, minute)).toISOString()
    const initial: SourceState = {
      brand: 'acme',
      ...orders,
      state: 'idle',
      cursor: null,
      startedAt: null,
      succeededAt: null,
      failedAt: null,
      error: null,
      waiting: 0,
      behindSince: null,
      processed: 0,
      failed: 0,
      quarantinedRows: 0,
    }

    it('begin idle, and keep what a change does not name', async () => {
      assert.equal(await store.sources.find('acme', orders), null)
      await store.sources.update('acme', orders, {})
      assert.deepEqual(await store.sources.find('acme', orders), initial)
      await store.sources.update('acme', orders, { state: 'working', startedAt: at(1) })
      await store.sources.update('acme', orders, { cursor: 'a', waiting: 7, behindSince: at(0) })
      assert.deepEqual(await store.sources.find('acme', orders), {
        ...initial,
        state: 'working',
        startedAt: at(1),
        cursor: 'a',
        waiting: 7,
        behindSince: at(0),
      })
      await store.sources.update('acme', orders, { cursor: null, behindSince: null })
      const { cursor, behindSince } = (await store.sources.find('acme', orders)) ?? initial
      assert.deepEqual([cursor, behindSince], [null, null])
    })

    it('add to their counts, and cut long errors', async () => {
      await store.sources.update('acme', orders, { processed: 3, failed: 1 })
      await store.sources.update('acme', orders, { processed: 2, error: 'x'.repeat(9_000) })
      const state = await store.sources.find('acme', orders)
      assert.deepEqual([state?.processed, state?.failed, state?.error?.length], [5, 1, 500])
    })

    it('are listed by brand, kind and name, and apart from those of other brands', async () => {
      await store.sources.update('zenith', orders, { state: 'failing' })
      await store.sources.update('acme', { kind: 'watch', name: 'orders' }, {})
      const listed = async (brand?: string) =>
        (await store.sources.list(brand)).map((each) => `${each.brand} ${each.kind} ${each.name}`)
      assert.deepEqual(await listed(), [
        'acme sync orders',
        'acme watch orders',
        'zenith sync orders',
      ])
      assert.deepEqual(await listed('zenith'), ['zenith sync orders'])
      assert.equal((await store.sources.find('acme', orders))?.state, 'working')
    })

    it('change with the records of a transaction, or not at all', async () => {
      const fails = store.write('acme', async (writer) => {
        await writer.updateSource(orders, { cursor: 'lost' })
        throw new RangeError('not committed')
      })
      await assert.rejects(fails, /not committed/)
      assert.equal((await store.sources.find('acme', orders))?.cursor, null)
      await store.write('acme', (writer) => writer.updateSource(orders, { cursor: 'b' }))
      assert.equal((await store.sources.find('acme', orders))?.cursor, 'b')
      assert.equal((await store.sources.find('zenith', orders))?.cursor, null)
    })

    it('are removed one by one', async () => {
      assert.equal(await store.sources.remove('acme', orders), true)
      assert.equal(await store.sources.remove('acme', orders), false)
      assert.deepEqual(
        (await store.sources.list()).map(({ brand, kind }) => [brand, kind]),
        [
          ['acme', 'watch'],
          ['zenith', 'sync'],
        ],
      )
    })

    // SQLite has one writer.
    if (name !== 'SQLite')
      it('can change while an import runs', async () => {
        await store.write('acme', async () => {
          await store.sources.update('acme', orders, { state: 'failing' })
          assert.equal((await store.sources.find('acme', orders))?.state, 'failing')
        })
      })
  })

  describe(`a replacement with identities to keep on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(small, opened.database)
    })
    after(() => opened.close())

    it('removes all others, also where an identity comes twice or is not stored', async () => {
      await store.write('kept', async (writer) => {
        await writer.stage(crates, [1, 2, 3, 4].map((number) => crate(number)) as never)
        await writer.merge(crates)
      })
      const replaceBut = (...numbers: number[]) =>
        store.write('kept', async (writer) => {
          await writer.stageKept(
            crates,
            numbers.map((number) => [uuid(number)]),
          )
          await writer.stageKept(crates, [[uuid(99)]])
          await writer.stage(crates, [crate(5)] as never)
          return writer.merge(crates, { replace: true })
        })
      const counts = { added: 0, changed: 0, unchanged: 0 }
      assert.deepEqual(await replaceBut(1, 3, 1), { ...counts, stored: 4, added: 1, removed: 2 })
      // What was kept once is not kept the next time.
      assert.deepEqual(await replaceBut(3), { ...counts, stored: 3, unchanged: 1, removed: 1 })
      assert.deepEqual(await replaceBut(3, 5), { ...counts, stored: 2, unchanged: 1, removed: 0 })
    })
  })
}
