/** Writers of different brands on PostgreSQL: at the same time, with feeds and trackers that miss nothing. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Database, DatabaseBusyError, openDatabase } from '#database'
import { createStore, decodeBody, feedStart, type Store, sharedOwner } from '#store'
import type { FeedPosition } from '../../src/store/read/feed.ts'
import type { SnapshotReader } from '../../src/store/read/snapshot.ts'
import { colours, crate, crates, small, uuid } from '../conformance/store/samples.ts'
import { seeded } from '../support/model.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const brands = ['ash', 'birch', 'cedar'] as const

describe('writers of different brands on PostgreSQL', () => {
  let postgres: PostgresDatabases
  const open: Database[] = []
  /** A store with connections of its own, as another process has it. */
  const openStore = async (name: string, writeWaitMs = 30_000): Promise<Store> => {
    const database = openDatabase(await postgres.url(name), { writeWaitMs })
    open.push(database)
    return createStore(small, database, { recordsChanges: true })
  }
  const pageOf = (store: Store, brand: string, from: FeedPosition = feedStart, limit = 100) =>
    store.feed.page({ brand, resource: null, after: from, limit })
  const versionOf = (store: Store, brand: string) =>
    store.state({ resource: crates, brand, filters: [], include: [] })

  before(async () => {
    postgres = await openPostgresDatabases()
  })
  after(async () => {
    for (const database of open) await database.close()
    await postgres.close()
  })

  /** Writes a crate and keeps the transaction open. The result commits it. */
  const hold = async (store: Store, owner: string, records: readonly object[]) => {
    const [merged, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const resource = owner === sharedOwner ? colours : crates
    const written = store.write(owner, async (writer) => {
      await writer.stage(resource, records as never)
      await writer.merge(resource)
      merged.resolve()
      await commit.promise
    })
    await Promise.race([merged.promise, written])
    return async () => {
      commit.resolve()
      await written
    }
  }

  it('do not wait for each other; those of one brand and of shared records do', async () => {
    const [one, other] = [await openStore('locks'), await openStore('locks', 100)]
    const commit = await hold(one, 'ash', [crate(1)])
    await (await hold(other, 'birch', [crate(1)]))()
    const busy = (owner: string) => assert.rejects(hold(other, owner, []), DatabaseBusyError)
    await busy('ash')
    await busy(sharedOwner)
    await assert.rejects(
      other.setting('a setting', () => 'any'),
      DatabaseBusyError,
    )
    await commit()
    const commitShared = await hold(one, sharedOwner, [{ id: uuid(1), name: 'red' }])
    await busy('ash')
    await busy('birch')
    await commitShared()
    await (await hold(other, 'ash', [crate(2)]))()
  })

  it('a feed has the change of a writer that began earlier and committed later', async () => {
    const [one, other] = [await openStore('order'), await openStore('order')]
    const commit = await hold(one, 'ash', [crate(1)])
    await (await hold(other, 'birch', [crate(2)]))()
    const positions = await Promise.all(
      ['ash', 'birch'].map(async (brand) => (await pageOf(other, brand)).next),
    )
    const exported = await other.snapshot('ash', (reader) => reader.feedPosition())
    await commit()
    for (const from of [positions[0], exported]) {
      const { changes, isKnown } = await pageOf(other, 'ash', from ?? undefined)
      assert.ok(isKnown)
      assert.deepEqual(
        changes.map(({ key }) => key),
        [[uuid(1)]],
      )
    }
    const { changes, isKnown } = await pageOf(other, 'birch', positions[1])
    assert.ok(isKnown)
    assert.deepEqual(changes, [])
  })

  it('a tracker learns of the change of a writer that began earlier and committed later', async () => {
    const [one, other] = [await openStore('tracked'), await openStore('tracked')]
    const tracker = await other.trackChanges()
    const commit = await hold(one, 'ash', [crate(1)])
    await (await hold(other, 'birch', [crate(2)]))()
    const { readState } = await versionOf(other, 'ash')
    await until(() => tracker.isFresh(readState))
    await commit()
    await until(() => tracker.isStale(readState))
    await tracker.close()
  })

  for (const seed of [1, 2]) {
    it(`in random order, nothing is skipped and nothing stale is taken for fresh, seed ${seed}`, async () => {
      const name = `random_${seed}`
      const observer = await openStore(name)
      const trackers = [await observer.trackChanges(), await (await openStore(name)).trackChanges()]
      let isDone = false

      const write = async (store: Store, owner: string, draw: (below: number) => number) => {
        for (let round = 1; round <= 8; round += 1) {
          // A record that nothing changes again, and one that every round does.
          const own = (numbers: readonly number[]) =>
            owner === sharedOwner
              ? numbers.map((n) => ({ id: uuid(n), name: `round ${round}` }))
              : numbers.map((n) => crate(n, { code: `round ${round}` }))
          await wait(draw(6))
          const commit = await hold(store, owner, own([0, round]))
          await wait(draw(12))
          await commit()
        }
      }
      /** Follows a feed from a position to the end of the test. */
      const follow = async (
        brand: string,
        from: FeedPosition,
        copy: Map<string, string | null>,
      ) => {
        for (let position = from; ; ) {
          const isLast = isDone
          const page = await pageOf(observer, brand, position, 3)
          assert.ok(page.isKnown)
          for (const { collection, key, body } of page.changes)
            copy.set(`${collection} ${key}`, body && decodeBody(body))
          position = page.next
          if (isLast && !page.hasMore) return copy
        }
      }
      /** Begins with an export, and follows the feed from there. */
      const followExport = async (brand: string, delayMs: number) => {
        await wait(delayMs)
        const [records, position] = await observer.snapshot(brand, async (reader) => [
          await recordsIn(reader),
          await reader.feedPosition(),
        ])
        assert.ok(position)
        return follow(brand, position, new Map<string, string | null>(records))
      }
      const states: {
        readonly brand: string
        readonly state: Awaited<ReturnType<typeof versionOf>>
      }[] = []
      const observe = async (brand: string) => {
        while (!isDone) states.push({ brand, state: await versionOf(observer, brand) })
      }

      const writers = Promise.all(
        [...brands, 'ash', sharedOwner].map(async (owner, index) =>
          write(await openStore(name), owner, seeded(seed * 100 + index)),
        ),
      ).finally(() => {
        isDone = true
      })
      const [copies] = await Promise.all([
        Promise.all(
          brands.flatMap((brand) => [
            follow(brand, feedStart, new Map()).then((copy) => ({ brand, copy })),
            followExport(brand, seed * 30).then((copy) => ({ brand, copy })),
          ]),
        ),
        ...brands.map(observe),
        writers,
      ])

      for (const { brand, copy } of copies) {
        const stored = await observer.snapshot(brand, recordsIn)
        assert.equal(stored.length, 18)
        assert.deepEqual([...copy].sort(), stored.sort(), brand)
      }
      for (const brand of brands) {
        const now = await versionOf(observer, brand)
        for (const tracker of trackers) await until(() => tracker.isFresh(now.readState))
        for (const { state } of states.filter((each) => each.brand === brand)) {
          const isCurrent = state.version === now.version
          for (const tracker of trackers) assert.equal(tracker.isStale(state.readState), !isCurrent)
        }
      }
      for (const tracker of trackers) await tracker.close()
    })
  }
})

/** The text of each record, by its collection and identity. */
const recordsIn = async (reader: SnapshotReader): Promise<[string, string][]> => {
  const records: [string, string][] = []
  for (const resource of [colours, crates]) {
    for await (const bodies of reader.bodies(resource)) {
      for (const text of bodies.map(decodeBody)) {
        records.push([`${resource.path} ${JSON.parse(text).id}`, text])
      }
    }
  }
  return records
}

const until = async (condition: () => boolean): Promise<void> => {
  for (const limit = performance.now() + 10_000; !condition(); ) {
    assert.ok(performance.now() < limit, 'the condition was not met within 10 s')
    await wait(5)
  }
}
