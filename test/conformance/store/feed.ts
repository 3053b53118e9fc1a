import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiError, joinCatalog, limits, nullable, type Resource, resource, text } from '#contract'
import type { Database } from '#database'
import {
  afterNumber,
  type Change,
  createFeed,
  type Feed,
  type FeedPosition,
  feedStart,
} from '../../../src/store/read/feed.ts'
import { sharedOwner, tablesOf } from '../../../src/store/schema/tables.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { newestNumber } from '../../../src/store/write/change-log.ts'
import {
  brand,
  colours,
  crate,
  crates,
  described,
  type OpenedForStore,
  places,
  small,
  uuid,
} from './samples.ts'

const shown = ({ collection, key, body }: Change) =>
  [collection, ...key, body === null ? 'gone' : JSON.parse(body).code].join(' ')

/** What whoever follows the changes of a store can rely on, on every engine. */
export const feedConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`the changes of a store on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(small, opened.database, { recordsChanges: true })
    })
    after(() => opened.close())

    const put = (owner: string, into: Resource, records: object[], replace = false, at = store) =>
      at.write(owner, async (writer) => {
        await writer.stage(into, records as never)
        return writer.merge(into, { replace })
      })
    const remove = (owner: string, from: Resource, ...keys: string[][]) =>
      store.write(owner, async (writer) => {
        await writer.stageRemoval(from, keys)
        return writer.merge(from)
      })
    const page = (
      of: string,
      after: FeedPosition = feedStart,
      limit = 100,
      resource: Resource | null = null,
      at = store,
    ) => at.feed.page({ brand: of, resource, after, limit })
    const following = async (...ask: Parameters<typeof page>) =>
      (await page(...ask)).changes.map(shown)
    const count = async (database: Database, owner: string) => {
      const text = 'select count(*) from "selvedge_changes" where "brand" = ?1'
      const [rows] = await database.read([{ text, values: [owner] }])
      return Number(rows?.[0]?.[0])
    }

    it('come in the order of their transactions, removals among them', async () => {
      await put('order', crates, [crate(2), crate(1)])
      await put('order', crates, [crate(3)])
      await remove('order', crates, [uuid(2)])
      await put('order', crates, [crate(1, { code: 'new' })])
      assert.deepEqual(await following('order'), [
        `crates ${uuid(3)} C-3`,
        `crates ${uuid(2)} gone`,
        `crates ${uuid(1)} new`,
      ])
    })

    it('come in pages of at most 32 MiB, with memory set aside for long records', async () => {
      const weight = 'x'.repeat(limits.pageBytes / 4)
      // One by one and past the checks of an import, as a database of an older release may hold them.
      for (const n of [1, 2, 3, 4, 5]) await put('long', crates, [crate(n, { weight })])
      await put('long', crates, [crate(6)])
      await remove('long', crates, [uuid(2)])
      await put('long', places, [{ crateId: uuid(1), shelfId: uuid(2), slot: 'a', note: null }])
      for (const resource of [null, crates]) {
        const reserved: number[] = []
        const told: string[][] = []
        let position = feedStart
        for (let more = true; more; ) {
          const read = await store.feed.page({
            brand: 'long',
            resource,
            after: position,
            limit: 1_000,
            reserve: (bytes) => void reserved.push(bytes),
          })
          const bytes = read.changes.reduce((sum, { body }) => sum + (body?.length ?? 0), 0)
          assert.ok(bytes <= limits.pageBytes, `${bytes} bytes`)
          assert.equal(reserved[told.length], bytes)
          told.push(read.changes.map(shown))
          position = read.next
          more = read.hasMore
        }
        const ofPlaces = `places ${uuid(1)} ${uuid(2)} a `
        assert.deepEqual(told, [
          [1, 3, 4].map((n) => `crates ${uuid(n)} C-${n}`),
          [
            `crates ${uuid(5)} C-5`,
            `crates ${uuid(6)} C-6`,
            `crates ${uuid(2)} gone`,
            ...(resource ? [] : [ofPlaces]),
          ],
        ])
      }
      await put('long', crates, [crate(1, { weight: weight.repeat(4) })])
      const end = await page('long', feedStart, 1_000, places)
      await assert.rejects(
        page('long', end.next),
        (error) => error instanceof ApiError && error.code === 'page_too_large',
      )
    })

    it('have the text of a record as a get answers it', async () => {
      await put('text', crates, [crate(7)])
      const found = await store.get({
        resource: crates,
        brand: 'text',
        key: [uuid(7)],
        include: [],
      })
      const { changes } = await page('text', feedStart, 1, crates)
      assert.equal(changes[0]?.body, found?.body)
    })

    it('are told page by page, each once, and a position stays good', async () => {
      await put(
        'pages',
        crates,
        [1, 2, 3, 4, 5].map((n) => crate(n)),
      )
      await put('pages', places, [
        { crateId: uuid(1), shelfId: uuid(2), slot: 'a, b', note: null },
        { crateId: uuid(1), shelfId: uuid(2), slot: 'c', note: null },
      ])
      const whole = await following('pages')
      assert.equal(whole.length, 7)
      for (const limit of [1, 2, 3, 6, 7, 8]) {
        const told: string[] = []
        let position = feedStart
        for (let more = true; more; ) {
          const read = await page('pages', position, limit)
          assert.ok(read.changes.length <= limit)
          told.push(...read.changes.map(shown))
          position = read.next
          more = read.hasMore
        }
        assert.deepEqual(told, whole)
        assert.deepEqual(await page('pages', position, limit).then(({ changes }) => changes), [])
      }
      const { next } = await page('pages', feedStart, 2)
      await put('pages', crates, [crate(1, { code: 'moved' })])
      assert.deepEqual(await following('pages', next), [
        ...whole.slice(2),
        `crates ${uuid(1)} moved`,
      ])
    })

    it('of one collection are those among all changes', async () => {
      await put('one', crates, [crate(1), crate(2)])
      await put('one', places, [{ crateId: uuid(1), shelfId: uuid(2), slot: 'c', note: null }])
      await put('one', crates, [crate(1, { code: 'late' })])
      await put(sharedOwner, colours, [{ id: uuid(1), name: 'red' }])
      const all = await following('one')
      for (const each of [crates, places, colours]) {
        assert.deepEqual(
          await following('one', feedStart, 100, each),
          all.filter((change) => change.startsWith(`${each.path} `)),
        )
      }
      const first = await page('one', feedStart, 1, crates)
      assert.ok(first.hasMore)
      assert.deepEqual(await following('one', first.next, 100, crates), [`crates ${uuid(1)} late`])
    })

    it('are those of the brand and what is shared, and of nobody else', async () => {
      await put('mine', crates, [crate(1)])
      await put('theirs', crates, [crate(2)])
      await put(sharedOwner, colours, [{ id: uuid(3), name: 'blue' }])
      await remove(sharedOwner, colours, [uuid(3)])
      const mine = await following('mine')
      assert.ok(mine.includes(`crates ${uuid(1)} C-1`))
      assert.ok(mine.includes(`colours ${uuid(3)} gone`))
      assert.ok(!mine.some((change) => change.includes(`crates ${uuid(2)}`)))
    })

    it('of one record are one row, however many there were', async () => {
      for (let round = 0; round < 20; round += 1) {
        await put('compact', crates, [crate(1, { code: `round ${round}` }), crate(2)])
      }
      await remove('compact', crates, [uuid(1)])
      await put('compact', crates, [crate(1)])
      assert.equal(await count(opened.database, 'compact'), 2)
      assert.deepEqual(await following('compact', feedStart, 100, crates), [
        `crates ${uuid(2)} C-2`,
        `crates ${uuid(1)} C-1`,
      ])
    })

    it('are none where nothing changed, or what changed was undone', async () => {
      await put('none', crates, [crate(1), crate(2)])
      const { next } = await page('none')
      await put('none', crates, [crate(1), crate(2)], true)
      await remove('none', crates, [uuid(9)])
      await assert.rejects(
        store.write('none', async (writer) => {
          await writer.stage(crates, [crate(1, { code: 'undone' })] as never)
          await writer.merge(crates)
          throw new RangeError('on purpose')
        }),
        /on purpose/,
      )
      const after = await page('none', next)
      assert.deepEqual([after.changes, after.hasMore, after.next], [[], false, next])
    })

    it('tell what a replacement took away', async () => {
      await put('replace', crates, [crate(1), crate(2), crate(3)])
      const { next } = await page('replace')
      await put('replace', crates, [crate(2), crate(4)], true)
      assert.deepEqual(await following('replace', next), [
        `crates ${uuid(1)} gone`,
        `crates ${uuid(3)} gone`,
        `crates ${uuid(4)} C-4`,
      ])
    })

    it('follow a state that was read as a whole', async () => {
      await put('whole', crates, [crate(1)])
      const position = await store.snapshot('whole', async (reader) => {
        assert.equal((await reader.state(crates)).total, 1)
        await put('whole', crates, [crate(2)])
        return reader.feedPosition()
      })
      assert.ok(position)
      assert.deepEqual(await following('whole', position), [`crates ${uuid(2)} C-2`])
    })

    it('are refused after a position that was lost, and waited for beyond the newest', async () => {
      await put('lost', crates, [crate(1)])
      const { next } = await page('lost')
      assert.ok((await page('lost', next)).known)
      assert.ok(!(await page('lost', { ...next, change: next.change - 1 })).known)
      const ahead = afterNumber(next.change + 10)
      const { known, changes, next: again } = await page('lost', ahead)
      assert.deepEqual([known, changes, again], [true, [], ahead])
    })

    /** The same feed, over a database in which something happens after the first read. */
    const disturbed = (happen: () => Promise<Database['read']>) => {
      let read: Database['read'] = async (...first) => {
        const results = await opened.database.read(...first)
        read = await happen()
        return results
      }
      const database = {
        ...opened.database,
        read: (...ask: Parameters<Database['read']>) => read(...ask),
      }
      return createFeed({ catalog: small, database, tables: tablesOf(small) })
    }
    const whole = (brand: string, after = feedStart) => ({ brand, resource: null, after, limit: 9 })
    /** A page, and everything after it once it is quiet again; without what is shared. */
    const allOf = async (feed: Feed, brand: string, after: FeedPosition) => {
      const first = await feed.page(whole(brand, after))
      return [...first.changes.map(shown), ...(await following(brand, first.next))]
    }

    it('are told right although something is committed while a page is read', async () => {
      await put(
        'race',
        crates,
        [1, 2, 3].map((n) => crate(n)),
      )
      const { next } = await page('race', feedStart, 1, crates)
      const rounds: [() => Promise<unknown>, string[]][] = [
        [
          () => put('race', crates, [crate(2, { code: 'new' })]),
          [`${uuid(3)} C-3`, `${uuid(2)} new`],
        ],
        [() => remove('race', crates, [uuid(3)]), [`${uuid(2)} new`, `${uuid(3)} gone`]],
        [
          () =>
            put('race', places, [{ crateId: uuid(1), shelfId: uuid(2), slot: 'c', note: null }]),
          [`${uuid(2)} new`, `${uuid(3)} gone`, `${uuid(1)} ${uuid(2)} c `],
        ],
        [
          () => put('race', crates, [crate(5), crate(2, { code: 'last' })]),
          [`${uuid(3)} gone`, `${uuid(1)} ${uuid(2)} c `, `${uuid(2)} last`, `${uuid(5)} C-5`],
        ],
      ]
      for (const [happen, wanted] of rounds) {
        const feed = disturbed(async () => {
          await happen()
          return opened.database.read
        })
        const told = await allOf(feed, 'race', next)
        assert.deepEqual(
          told.map((change) => change.replace(/^\S+ /, '')),
          wanted,
        )
      }
    })

    it('are told right although the second look meets an older state, as on a replica', async () => {
      await put(
        'older',
        crates,
        [1, 2, 3].map((n) => crate(n)),
      )
      const { next } = await page('older', feedStart, 1, crates)
      await opened.database.snapshot(async (all) => {
        const old: Database['read'] = async (queries) => {
          const results = []
          for (const query of queries) results.push(await all(query))
          return results
        }
        await old([newestNumber])
        await put('older', crates, [crate(2, { code: 'new' }), crate(4)])
        await remove('older', crates, [uuid(3)])
        const told = await allOf(
          disturbed(async () => old),
          'older',
          next,
        )
        // Everything that is new comes at the end; what is older than that may come before it.
        const last = [`crates ${uuid(2)} new`, `crates ${uuid(4)} C-4`, `crates ${uuid(3)} gone`]
        assert.deepEqual(told.slice(-3), last)
        for (const each of told.slice(0, -3)) assert.match(each, / C-[23]$/)
      })
    })

    it('change the state of what was read, and only of that', async () => {
      await put('state', crates, [crate(1)])
      const stateOf = (of: Resource | null) => store.feed.state({ brand: 'state', resource: of })
      const before = await Promise.all([null, crates, places].map(stateOf))
      await put('other', crates, [crate(1)])
      assert.deepEqual(
        (await Promise.all([null, crates, places].map(stateOf))).map(({ version }) => version),
        before.map(({ version }) => version),
      )
      await put('state', crates, [crate(2)])
      const now = await Promise.all([null, crates, places].map(stateOf))
      assert.deepEqual(
        now.map(({ version }, index) => version === before[index]?.version),
        [false, false, true],
      )
      assert.equal((await page('state')).version, now[0]?.version)
    })

    it('begin later with every record that is there, and from then on for every writer', async () => {
      const other = await open()
      const silent = await createStore(small, other.database)
      await put('late', crates, [crate(1), crate(2)], false, silent)
      await put(sharedOwner, colours, [{ id: uuid(1), name: 'red' }], false, silent)
      assert.equal(await count(other.database, 'late'), 0)
      assert.equal(await silent.snapshot('late', (reader) => reader.feedPosition()), null)
      const said: string[] = []
      const options = { recordsChanges: true, say: (sentence: string) => said.push(sentence) }
      const recording = await createStore(small, other.database, options)
      await createStore(small, other.database, options)
      assert.equal(said.length, 2)
      assert.match(said[1] ?? '', /begun with 3 records/)
      await put('late', crates, [crate(3)], false, silent)
      assert.deepEqual(await following('late', feedStart, 100, null, recording), [
        `colours ${uuid(1)} `,
        `crates ${uuid(1)} C-1`,
        `crates ${uuid(2)} C-2`,
        `crates ${uuid(3)} C-3`,
      ])
      await other.close()
    })

    it('come with a migration that writes records anew', async () => {
      const other = await open()
      const first = await createStore(small, other.database, { recordsChanges: true })
      await put('grown', crates, [crate(1), crate(2)], false, first)
      await first.write('grown', async (writer) => {
        await writer.stageRemoval(crates, [[uuid(2)]])
        await writer.merge(crates)
      })
      const { next } = await page('grown', feedStart, 100, null, first)
      const grown = resource({
        ...described,
        group: 'Crates',
        path: 'crates',
        name: 'Crate',
        scope: 'brand',
        fields: { ...crates.fields, tone: nullable(text()) },
        filters: ['colourId', 'code', 'size', ['labelState', 'label.state']],
      })
      const second = await createStore(joinCatalog([brand, colours, grown, places]), other.database)
      const { changes } = await page('grown', next, 100, null, second)
      assert.deepEqual(
        changes.map(({ body }) => body && JSON.parse(body)),
        [{ ...crate(1), tone: null }],
      )
      await other.close()
    })
  })
}
