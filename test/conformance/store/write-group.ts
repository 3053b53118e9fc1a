import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Body, decodeBody } from '../../../src/store/read/body.ts'
import { feedStart } from '../../../src/store/read/feed.ts'
import { sharedOwner } from '../../../src/store/schema/owners.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import type { Writer } from '../../../src/store/write/writer.ts'
import { colours, crate, crates, type OpenedForStore, small, uuid } from './samples.ts'

/** What pieces of one transaction can rely on, on every engine. */
export const writeGroupConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`a group of writes on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(small, opened.database, { recordsChanges: true })
    })
    after(() => opened.close())

    const put =
      (...records: object[]) =>
      async (writer: Writer) => {
        await writer.stage(crates, records as never)
        return writer.merge(crates)
      }
    const codes = async (brand: string) => {
      const request = { resource: crates, brand, filters: new Map(), limit: 100, include: [] }
      const { items } = await store.list({ ...request, after: null })
      const records = JSON.parse(`[${decodeBody(items as Body)}]`) as { code: string }[]
      return records.map(({ code }) => code)
    }
    const failing = (writer: Writer) =>
      put(
        crate(2, { code: 'never' }),
        crate(9),
      )(writer).then(() => {
        throw new RangeError('no')
      })

    it('commits the pieces that succeed, and nothing of those that fail', async () => {
      const merged = await store.writeGroup('apart', async (group) => {
        const first = await group.attempt(put(crate(1), crate(2)))
        await assert.rejects(group.attempt(failing), /^RangeError: no$/)
        // A later piece works on what the earlier ones have left.
        const last = await group.attempt(put(crate(2, { code: 'new' }), crate(3)))
        return [first, last]
      })
      assert.deepEqual(
        merged.map(({ added, changed }) => [added, changed]),
        [
          [2, 0],
          [1, 1],
        ],
      )
      assert.deepEqual(await codes('apart'), ['C-1', 'new', 'C-3'])
    })

    it('records the changes of all pieces that succeed', async () => {
      await store.writeGroup('recorded', async (group) => {
        await assert.rejects(group.attempt(failing))
        await group.attempt(put(crate(1)))
        await assert.rejects(group.attempt(failing))
        await group.attempt(put(crate(2)))
      })
      const feed = () =>
        store.feed.page({ brand: 'recorded', resource: null, after: feedStart, limit: 100 })
      const { changes, next, isKnown } = await feed()
      assert.ok(isKnown)
      assert.deepEqual(
        changes.map(({ key }) => key.join()),
        [uuid(1), uuid(2)],
      )
      // The position is of a history that the database has.
      const after = await store.feed.page({
        brand: 'recorded',
        resource: null,
        after: next,
        limit: 100,
      })
      assert.ok(after.isKnown)
      assert.deepEqual(after.changes, [])
    })

    it('moves the version of a collection only if a piece that succeeded has changed it', async () => {
      const version = async () =>
        (await store.feed.state({ brand: 'still', resource: crates })).version
      await store.writeGroup('still', (group) => group.attempt(put(crate(1))))
      const before = await version()
      await store.writeGroup('still', async (group) => {
        await assert.rejects(group.attempt(failing))
      })
      assert.equal(await version(), before)
      await store.writeGroup('still', (group) => group.attempt(put(crate(2))))
      assert.notEqual(await version(), before)
    })

    it('keeps nothing of a rehearsal, also of another owner', async () => {
      const rehearsed = await store.writeGroup('rehearsed', async (group) => {
        const shared = await group.rehearse(sharedOwner, async (writer) => {
          await writer.stage(colours, [{ id: uuid(1), name: 'red' }])
          return writer.merge(colours)
        })
        return [shared.added, (await group.rehearse('rehearsed', put(crate(1)))).added]
      })
      assert.deepEqual(rehearsed, [1, 1])
      assert.deepEqual(await codes('rehearsed'), [])
      const text = 'select count(*) from "colours"'
      const [rows] = await opened.database.read([{ text, values: [] }])
      assert.equal(Number(rows?.[0]?.[0]), 0)
    })

    it('stores the result of a batch with its records, for its owner', async () => {
      const find = (owner: string) =>
        store.writeGroup(owner, async ({ batchResults }) => [
          ...(await batchResults.find(['b1', 'b2', 'b3'])),
        ])
      await assert.rejects(
        store.writeGroup('marked', async ({ batchResults }) => {
          await batchResults.store('b1', '2026-11-16T08:00:00.000Z', 'lost')
          throw new RangeError('no')
        }),
      )
      assert.deepEqual(await find('marked'), [])
      await store.writeGroup('marked', async (group) => {
        await group.attempt(put(crate(1)))
        await group.batchResults.store('b1', '2026-11-16T08:00:00.000Z', 'one')
        await group.batchResults.store('b2', '2026-11-16T09:00:00.000Z', 'two')
      })
      assert.deepEqual(await find('marked'), [
        ['b1', 'one'],
        ['b2', 'two'],
      ])
      assert.deepEqual(await find('other'), [])
      await store.writeGroup('other', ({ batchResults }) =>
        batchResults.prune('2026-11-16T10:00:00.000Z'),
      )
      await store.writeGroup('marked', ({ batchResults }) =>
        batchResults.prune('2026-11-16T08:30:00.000Z'),
      )
      assert.deepEqual(await find('marked'), [['b2', 'two']])
    })
  })
}
