import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError, limits, nullable, type Resource, text } from '#contract'
import type { Database } from '#database'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { type Body, decodeBody } from '../../../src/store/read/body.ts'
import {
  afterNumber,
  type Change,
  createFeed,
  type FeedPosition,
  feedStart,
} from '../../../src/store/read/feed.ts'
import { parseHistory } from '../../../src/store/schema/history.ts'
import { ownerNumber, sharedOwner } from '../../../src/store/schema/owners.ts'
import { tablesOf } from '../../../src/store/schema/tables.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
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
  [collection, ...key, body === null ? 'gone' : JSON.parse(decodeBody(body)).code].join(' ')

/** What a reader of a store's change feed can rely on, on every engine. */
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
      const text = 'select count(*) from "selvedge_changes" where "owner" = ?1'
      const [rows] = await database.read([{ text, values: [ownerNumber(owner)] }])
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
      await put('long', places, [{ crateId: uuid(1), rackId: uuid(2), slot: 'a', note: null }])
      for (const resource of [null, crates]) {
        const reserved: number[] = []
        const pages: string[][] = []
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
          assert.equal(reserved[pages.length], bytes)
          pages.push(read.changes.map(shown))
          position = read.next
          more = read.hasMore
        }
        const ofPlaces = `places ${uuid(1)} ${uuid(2)} a `
        assert.deepEqual(pages, [
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
      const record = await store.get({
        resource: crates,
        brand: 'text',
        key: [uuid(7)],
        include: [],
      })
      const { changes } = await page('text', feedStart, 1, crates)
      assert.ok(record?.body instanceof Uint8Array)
      assert.deepEqual(changes[0]?.body, record.body)
    })

    it('are read page by page, each once, and a position stays valid', async () => {
      await put(
        'pages',
        crates,
        [1, 2, 3, 4, 5].map((n) => crate(n)),
      )
      await put('pages', places, [
        { crateId: uuid(1), rackId: uuid(2), slot: 'a, b', note: null },
        { crateId: uuid(1), rackId: uuid(2), slot: 'c', note: null },
      ])
      const whole = await following('pages')
      assert.equal(whole.length, 7)
      for (const limit of [1, 2, 3, 6, 7, 8]) {
        const all: string[] = []
        let position = feedStart
        for (let more = true; more; ) {
          const read = await page('pages', position, limit)
          assert.ok(read.changes.length <= limit)
          all.push(...read.changes.map(shown))
          position = read.next
          more = read.hasMore
        }
        assert.deepEqual(all, whole)
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
      await put('one', places, [{ crateId: uuid(1), rackId: uuid(2), slot: 'c', note: null }])
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

    it('are those of the brand and of the shared collections, and no others', async () => {
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

    it('include what a replacement removed', async () => {
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
      assert.ok((await page('lost', next)).isKnown)
      assert.ok(!(await page('lost', { ...next, change: next.change - 1 })).isKnown)
      const ahead = afterNumber(next.change + 10)
      const { isKnown, changes, next: again } = await page('lost', ahead)
      assert.deepEqual([isKnown, changes, again], [true, [], ahead])
    })

    it('are read once for a page, however many collections they are of', async () => {
      await put('once', crates, [crate(1), crate(2)])
      await put('once', places, [{ crateId: uuid(1), rackId: uuid(2), slot: 'c', note: null }])
      await put(sharedOwner, colours, [{ id: uuid(4), name: 'green' }])
      let reads = 0
      const database: Database = {
        ...opened.database,
        read: (...ask) => {
          reads += 1
          return opened.database.read(...ask)
        },
      }
      const feed = createFeed({
        ...{ catalog: small, database, tables: tablesOf(small) },
        history: parseHistory(undefined),
      })
      const { changes } = await feed.page({
        brand: 'once',
        resource: null,
        after: feedStart,
        limit: 100,
      })
      assert.ok(new Set(changes.map(({ collection }) => collection)).size >= 3)
      assert.equal(reads, 1)
    })

    it('come from one state while a writer commits', async () => {
      const codes = (round: number) =>
        [1, 2, 3, 4].map((n) => crate(n, { code: `round ${round}`, weight: `${n}` }))
      await put('race', crates, codes(0))
      let rounds = 0
      let isWriting = true
      const writing = (async () => {
        for (; rounds < 40; ) {
          await put('race', crates, codes(rounds + 1))
          rounds += 1
          // One record comes and goes, so that pages have removals among them.
          if (rounds % 2 === 0) await remove('race', crates, [uuid(9)])
          else await put('race', crates, [crate(9)])
          // Neither side keeps the other from its turn.
          await nextTurn()
        }
      })().finally(() => {
        isWriting = false
      })
      const seen = new Set<string>()
      while (isWriting) {
        const { changes, hasMore } = await page('race', feedStart, 100, crates)
        assert.ok(!hasMore)
        const round = new Set(
          changes
            .filter(({ key }) => key[0] !== uuid(9))
            .map(({ body }) => JSON.parse(decodeBody(body as Body)).code as string),
        )
        assert.equal(round.size, 1, 'all four were written by one transaction')
        for (const each of round) seen.add(each)
        await nextTurn()
      }
      await writing
      assert.ok(seen.size > 1, 'pages were read between the commits')
    })

    it('of a record that the change log names and the table lacks are an error', async () => {
      await put('lacking', crates, [crate(1), crate(2)])
      await opened.database.write((session) =>
        session.run({
          text: `delete from "crates" where "owner" = ?1 and "id" = ${opened.database.dialect.uuid('?2')}`,
          values: [ownerNumber('lacking'), uuid(1)],
        }),
      )
      await assert.rejects(page('lacking', feedStart, 100, crates), /crates .* is not stored/)
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
      const logged: string[] = []
      const options = { recordsChanges: true, log: (sentence: string) => logged.push(sentence) }
      const recording = await createStore(small, other.database, options)
      await createStore(small, other.database, options)
      assert.equal(logged.length, 2)
      assert.match(logged[1] ?? '', /begun with 3 records/)
      await put('late', crates, [crate(3)], false, silent)
      assert.deepEqual(await following('late', feedStart, 100, null, recording), [
        `colours ${uuid(1)} `,
        `crates ${uuid(1)} C-1`,
        `crates ${uuid(2)} C-2`,
        `crates ${uuid(3)} C-3`,
      ])
      await other.close()
    })

    it('begin with what a unit that is retried must leave as it is', async () => {
      const other = await open()
      const silent = await createStore(small, other.database)
      await put('held', crates, [crate(1), crate(2), crate(3)], false, silent)
      const first = await silent.rewrites.hold('held')
      await put('held', crates, [crate(2, { code: 'new' })], false, silent)
      const second = await silent.rewrites.hold('held')
      await silent.write('held', async (writer) => {
        await writer.stageRemoval(crates, [[uuid(3)]])
        await writer.merge(crates)
      })
      const recording = await createStore(small, other.database, { recordsChanges: true })
      for (const [after, changed] of [
        [first, [uuid(2), uuid(3)]],
        [second, [uuid(3)]],
      ] as const) {
        await recording.write('held', async (writer) => {
          await writer.stage(crates, [crate(1), crate(2), crate(3)] as never)
          const rows = await writer.dropSuperseded(crates, after)
          assert.deepEqual(rows.map(({ identity }) => identity).sort(), changed)
        })
      }
      const { changes } = await page('held', feedStart, 100, null, recording)
      assert.deepEqual(changes.map(shown), [
        `crates ${uuid(1)} C-1`,
        `crates ${uuid(2)} new`,
        `crates ${uuid(3)} gone`,
      ])
      for (const { number } of changes) {
        const { isKnown } = await page('held', afterNumber(number), 100, null, recording)
        assert.ok(isKnown)
      }
      await other.close()
    })

    it('come with a migration that rewrites records', async () => {
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
        changes.map(({ body }) => body && JSON.parse(decodeBody(body))),
        [{ ...crate(1), tone: null }],
      )
      await other.close()
    })
  })
}
