/** What the store promises of the changes that a merge is about to make. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createStore, type Store } from '../../../src/store/store.ts'
import type { MergeChange } from '../../../src/store/write/merge-changes.ts'
import { crate, crates, type OpenedForStore, places, small, uuid } from './samples.ts'

const place = (n: number, note: string | null = null) => ({
  ...{ crateId: uuid(1), rackId: uuid(2), slot: `s-${String(n).padStart(4, '0')}`, note },
})

export const changesConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`the changes of a merge on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(small, opened.database)
      await store.write('changed', async (writer) => {
        await writer.stage(crates, [crate(1), crate(2), crate(3), crate(4)])
        await writer.merge(crates)
      })
    })
    after(() => opened.close())

    it('are those that it makes, with the texts before and after', async () => {
      const changes: MergeChange[] = []
      const older = { weight: '2', label: { state: 'old' } }
      const merged = await store.write('changed', async (writer) => {
        const respelled = crate(2, { weight: '1.5' })
        await writer.stage(crates, [crate(1), respelled, crate(3, older), crate(9)])
        return writer.merge(crates, {
          replace: true,
          onChange: (change) => changes.push(change) > 0,
        })
      })
      assert.deepEqual(merged, { stored: 4, added: 1, changed: 1, unchanged: 2, removed: 1 })
      const text = (n: number, fields = {}) => JSON.stringify(crate(n, fields))
      assert.deepEqual(changes, [
        {
          ...{ operation: 'changed', key: [uuid(3)], place: { source: 0, line: 3 } },
          ...{ before: text(3), after: text(3, older) },
        },
        {
          ...{ operation: 'added', key: [uuid(9)], place: { source: 0, line: 4 } },
          ...{ before: null, after: text(9) },
        },
        { operation: 'removed', key: [uuid(4)], place: null, before: text(4), after: null },
      ])
    })

    it('are read in batches and in order, until they are not wanted', async () => {
      const count = 1_203
      const all = Array.from({ length: count }, (_, n) => place(n))
      const seen: string[] = []
      await store.write('many', async (writer) => {
        await writer.stage(places, all)
        await writer.merge(places, { onChange: ({ key }) => seen.push(key.join(' ')) > 0 })
      })
      assert.deepEqual(
        seen,
        all.map(({ crateId, rackId, slot }) => [crateId, rackId, slot].join(' ')),
      )
      const removed: string[] = []
      await store.write('many', async (writer) => {
        await writer.stage(places, [place(7, 'changed')])
        await writer.merge(places, {
          replace: true,
          onChange: ({ operation, key }) => removed.push(`${operation} ${key[2]}`) < 1_010,
        })
      })
      assert.deepEqual(removed, [
        'changed s-0007',
        ...all
          .filter((_, n) => n !== 7)
          .slice(0, 1_009)
          .map(({ slot }) => `removed ${slot}`),
      ])
    })

    it('read the texts of stored records by their identities', async () => {
      const key = (n: number) => [uuid(1), uuid(2), `s-${n}`]
      await store.write('texts', async (writer) => {
        await writer.stage(places, [{ ...place(1), slot: 's-1' }])
        await writer.merge(places)
        const texts = await writer.lastTexts(places, [key(1), key(2)])
        assert.deepEqual(
          [...texts],
          [[key(1).join(), JSON.stringify({ ...place(1), slot: 's-1' })]],
        )
      })
    })
  })
}
