import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog } from '#contract'
import { type Database, DatabaseError, DatabaseRefusedError } from '#database'
import { IdempotencyConflictError, QueueFullError, type QueueParts } from '#intake'
import { createStore, sharedOwner } from '#store'
import { until } from '../support/cluster.ts'
import {
  bodyOf,
  contentOf,
  type FinishedTestBatch,
  type Item,
  importShared,
  openTestQueue,
  putItem,
  removeItem,
  storyBrand,
  storyItems,
  type TestQueue,
} from '../support/queue.ts'
import { refuseValue } from '../support/refuse-value.ts'

/** The databases of the records and of the queue, empty at first. */
export interface OpenedForQueue {
  readonly records: Database
  readonly database: Database
  close(): Promise<void>
}

const counts = ({ collections }: FinishedTestBatch) =>
  Object.fromEntries(
    collections.map(({ collection, read, added, changed, unchanged, removed }) => [
      collection,
      [read, added, changed, unchanged, removed].join(' '),
    ]),
  )
const reasons = ({ problems }: FinishedTestBatch) =>
  problems.map(({ line, field, reason }) => [line, field, reason].join(' '))

const tags = storyItems.filter(({ collection }) => collection === 'tags')
const [tag] = tags as [Item]
const named = (item: Item, name: string) => ({ ...item, record: { ...item.record, name } })

/** What senders can rely on, on every engine. */
export const queueConformance = (name: string, open: () => Promise<OpenedForQueue>): void => {
  describe(`a queue of batches on ${name}`, () => {
    let opened: OpenedForQueue
    let test: TestQueue
    before(async () => {
      opened = await open()
      test = await openTestQueue(opened.records, opened.database)
      await importShared(test.store)
      const { state, problems } = await test.commit(storyItems)
      assert.deepEqual([state, problems], ['committed', []])
    })
    after(async () => {
      await test.queue.close()
      await opened.close()
      // What the database could not do in time was done again.
      const unexpected = test.failures.filter((error) => !(error instanceof DatabaseError))
      assert.deepEqual(unexpected, [])
    })
    it('takes turns: a small batch does not wait for large ones of several brands', async () => {
      const large = Array.from({ length: 4_000 }, () => ({ ...tag, more: 'x'.repeat(300) }))
      const options = { dryRun: true }
      const sent = await Promise.all(
        ['first', 'second', 'third'].map((brand) => test.send(large, { ...options, brand })),
      )
      const small = await test.commit([tag], { ...options, brand: 'fourth' })
      assert.equal(small.state, 'refused')
      const states = await Promise.all(
        sent.map(({ batch }) => test.queue.find(batch.brand, batch.id)),
      )
      const finished = states.filter((batch) => batch?.finishedAt)
      // On an engine with several writers, none waits for another.
      if (opened.records.dialect.name === 'sqlite') assert.ok(finished.length <= 1)
      for (const { batch } of sent) await test.queue.finished(batch.brand, batch.id, 300_000)
    })

    const nameOf = async (id = tag.id) => {
      const text = (await contentOf(test.store)).get(`tags ${id}`)
      return text === undefined ? null : JSON.parse(text).name
    }
    /** Another queue over the same databases, which begins with what waits. */
    const reopened = async <T>(
      options: Partial<QueueParts>,
      work: (test: TestQueue) => Promise<T>,
    ): Promise<T> => {
      const other = await openTestQueue(opened.records, opened.database, options)
      try {
        return await work(other)
      } finally {
        await other.queue.close()
      }
    }

    it('stores all items of a batch, whatever the order of their collections', async () => {
      const batch = await test.commit([...storyItems].reverse())
      assert.equal(batch.state, 'committed')
      assert.equal(batch.items, storyItems.length)
      const unchanged = batch.collections.reduce((sum, each) => sum + each.unchanged, 0)
      assert.equal(unchanged, storyItems.length)
    })

    it('adds, changes and removes records, and counts them', async () => {
      const extra = { ...tag.record, id: '00000000-0000-4000-8000-00000000e001' }
      const added = await test.commit([named(tag, 'Renamed'), putItem('tags', extra)])
      assert.deepEqual(counts(added), { tags: '2 1 1 0 0' })
      assert.equal(await nameOf(), 'Renamed')
      const removed = await test.commit([tag, removeItem('tags', extra.id)])
      assert.deepEqual(counts(removed), { tags: '2 0 1 0 1' })
      assert.equal(await nameOf(extra.id), null)
    })

    it('takes the last of several items for one record', async () => {
      const { id } = tag
      const batch = await test.commit([
        removeItem('tags', id),
        named(tag, 'First'),
        { ...named(tag, 'Second'), id: id.toUpperCase() },
      ])
      assert.deepEqual(
        [batch.state, batch.items, counts(batch)],
        ['committed', 3, { tags: '1 0 1 0 0' }],
      )
      assert.equal(await nameOf(), 'Second')
      await test.commit([tag])
    })

    it('stores nothing of a batch with a problem, and names the line', async () => {
      const wrong = { ...tag.record, id: '00000000-0000-4000-8000-00000000e002', name: 7 }
      const batch = await test.commit([named(tag, 'Never'), {}, putItem('tags', wrong)])
      assert.equal(batch.state, 'refused')
      assert.deepEqual(reasons(batch), [
        '2  must have a collection, such as "orders"',
        '3 /name must be a string',
      ])
      assert.equal(batch.problemCount, 2)
      assert.notEqual(await nameOf(), 'Never')
    })

    it('says what is wrong with an item', async () => {
      const other = { ...tag, id: '00000000-0000-4000-8000-00000000e003' }
      const { record: _record, ...without } = tag
      const lines: readonly (readonly [string, RegExp])[] = [
        ['{"collection":', /^1 {2}is not JSON/],
        ['[]', /is not a change: use one JSON object on each line/],
        [JSON.stringify({ ...tag, collection: 'tugs' }), /is not a collection/],
        [JSON.stringify({ ...tag, operation: 'move' }), /must have an operation/],
        [JSON.stringify({ ...tag, more: 1 }), /is not a member of a change/],
        [JSON.stringify({ ...tag, operation: 'remove' }), /removes a record, so that it has none/],
        [JSON.stringify(without), /must have a record/],
        [JSON.stringify(other), /is not the identity of its record/],
        [`${JSON.stringify(tag).slice(0, -1)},"id":"x"}`, /twice|more than once/],
        [JSON.stringify(removeItem('tags', 'x')), /id/],
        [JSON.stringify(removeItem('brand', tag.id)), /cannot be removed without the brand/],
        ['', /has no items/],
      ]
      for (const [line, expected] of lines) {
        const batch = await test.commit([], { body: Buffer.from(line) })
        assert.equal(batch.state, 'refused', line)
        assert.match(reasons(batch).join('; '), expected, line)
      }
    })

    it('refuses collections that the key may not write', async () => {
      const batch = await test.commit([named(tag, 'Never')], { collections: ['orders'] })
      assert.deepEqual(reasons(batch), ['1  is a collection that this key may not write'])
      assert.notEqual(await nameOf(), 'Never')
    })

    it('accepts shared records as they are stored, and refuses to change them', async () => {
      const text = 'select "body" from "countries" where "owner" = 0 limit 1'
      const [rows] = await opened.records.read([{ text, values: [] }])
      const country = putItem('countries', JSON.parse(String(rows?.[0]?.[0])))
      const same = await test.commit([country, tag])
      assert.deepEqual(
        [same.state, counts(same)],
        ['committed', { countries: '1 0 0 1 0', tags: '1 0 0 1 0' }],
      )
      const changed = await test.commit([named(country, 'Elsewhere'), named(tag, 'Never')])
      assert.equal(changed.state, 'refused')
      assert.match(
        reasons(changed)[0] ?? '',
        /is shared by all brands, and the batch would change 1/,
      )
      assert.notEqual(await nameOf(), 'Never')
    })

    it('refuses references to records that do not exist, and removals of records that are in use', async () => {
      const line = storyItems.find(({ collection }) => collection === 'order-items') as Item
      const orderId = '00000000-0000-4000-8000-00000000e004'
      const dangling = await test.commit([{ ...line, record: { ...line.record, orderId } }])
      assert.match(reasons(dangling)[0] ?? '', /^1 \/orderId refers to a record of orders/)
      const used = await test.commit([removeItem('orders', String(line.record?.['orderId']))])
      assert.equal(used.state, 'refused')
      assert.match(
        reasons(used)[0] ?? '',
        /refers to this record of orders, which the import removes/,
      )
    })

    it('checks a dry run in its place, and stores nothing of it', async () => {
      const [dry, next] = await Promise.all([
        test.commit([named(tag, 'Dry')], { dryRun: true }),
        test.commit([tag]),
      ])
      assert.deepEqual(
        [dry.state, dry.dryRun, counts(dry)],
        ['checked', true, { tags: '1 0 1 0 0' }],
      )
      assert.deepEqual(counts(next), { tags: '1 0 0 1 0' })
      const wrong = await test.commit([named(tag, 'Dry'), {}], { dryRun: true })
      assert.equal(wrong.state, 'refused')
    })

    it('commits batches in the order of their acceptance, and refuses some alone', async () => {
      const sent = []
      for (let step = 0; step < 30; step += 1) {
        const items =
          step % 7 === 3 ? [named(tag, `Step ${step}`), {}] : [named(tag, `Step ${step}`)]
        sent.push(await test.send(items))
      }
      const states: string[] = []
      for (const { batch } of sent) {
        const finished = await test.queue.finished(storyBrand, batch.id, 300_000)
        states.push(`${finished?.state} ${finished?.collections[0]?.changed ?? '-'}`)
      }
      assert.deepEqual(
        states,
        sent.map((_, step) => (step % 7 === 3 ? 'refused 0' : 'committed 1')),
      )
      assert.equal(await nameOf(), 'Step 29')
      await test.commit([tag])
    })

    it('refuses the batch whose record the database refuses, and stores the others', async () => {
      const { records } = opened
      await refuseValue(records, ['tags', 'name', 'poison'])
      const names = ['One', 'poison', 'Two', 'poison', 'Three']
      const extra = { ...tag.record, id: '00000000-0000-4000-8000-00000000e002' }
      const sent = []
      for (const each of names) {
        const name = each === 'poison' ? each : `${each} again`
        const second = putItem('tags', { ...extra, name })
        sent.push(await test.send([named(tag, each === 'poison' ? 'Never' : each), second]))
      }
      const finished = []
      for (const { batch } of sent) {
        finished.push(await test.queue.finished(storyBrand, batch.id, 300_000))
      }
      const refused =
        /^2 .*is refused by the database: a (value breaks a check|trigger) of its table/
      for (const [index, batch] of finished.entries()) {
        if (names[index] === 'poison') assert.match(String(batch && reasons(batch)), refused)
        assert.equal(batch?.state, names[index] === 'poison' ? 'refused' : 'committed')
      }
      assert.deepEqual([await nameOf(), await nameOf(extra.id)], ['Three', 'Three again'])
      assert.equal((await test.commit([tag, removeItem('tags', extra.id)])).state, 'committed')
    })

    it('answers a repeated request with the batch of the first, however many come at once', async () => {
      const request = { idempotencyKey: 'once', body: bodyOf([named(tag, 'Once')]) }
      const answers = await Promise.all(Array.from({ length: 8 }, () => test.send([], request)))
      assert.equal(new Set(answers.map(({ batch }) => batch.id)).size, 1)
      assert.equal(answers.filter(({ repeated }) => !repeated).length, 1)
      const { batch } = await test.send([], request)
      await test.queue.finished(storyBrand, batch.id, 300_000)
      // Also when it is finished, and the record has changed since.
      await test.commit([tag])
      const late = await test.send([], request)
      assert.deepEqual(
        [late.repeated, late.batch.state, late.batch.id],
        [true, 'committed', batch.id],
      )
      assert.notEqual(await nameOf(), 'Once')
    })

    it('refuses an idempotency key for another request, and keeps those of keys and brands apart', async () => {
      const request = { idempotencyKey: 'taken', body: bodyOf([tag]) }
      const { batch } = await test.send([], request)
      for (const other of [{ body: bodyOf([tag, tag]) }, { dryRun: true }]) {
        await assert.rejects(test.send([], { ...request, ...other }), IdempotencyConflictError)
      }
      for (const other of [{ keyId: 'k2' }, { brand: 'elsewhere' }]) {
        const sent = await test.send([], { ...request, ...other })
        assert.equal(sent.repeated, false)
        assert.notEqual(sent.batch.id, batch.id)
        await test.queue.finished(sent.batch.brand, sent.batch.id, 300_000)
      }
    })

    it('tells how many batches of a brand were stored and refused, and how many wait', async () => {
      const source = { kind: 'ingest', name: 'batches' } as const
      const before = await test.store.sources.find(storyBrand, source)
      const { finishedAt } = await test.commit([tag])
      const { id } = await test.commit([{}])
      await test.commit([tag], { dryRun: true })
      const later = await test.store.sources.find(storyBrand, source)
      assert.deepEqual(
        [later?.state, later?.waiting, later?.behindSince, later?.succeededAt],
        ['failing', 0, null, finishedAt],
      )
      assert.ok(later !== null)
      assert.match(later.error ?? '', new RegExp(`^The batch ${id} was refused: line 1 must have`))
      assert.ok(later.failedAt !== null)
      assert.equal(later.processed, (before?.processed ?? 0) + 1)
      assert.equal(later.failed, (before?.failed ?? 0) + 1)
      await test.commit([tag])
      const last = await test.store.sources.find(storyBrand, source)
      assert.deepEqual([last?.state, last?.error], ['idle', null])
    })

    it('finds a batch for its brand alone', async () => {
      const { id } = await test.commit([tag])
      assert.equal((await test.queue.find(storyBrand, id))?.state, 'committed')
      assert.equal(await test.queue.find('elsewhere', id), null)
      assert.equal(await test.queue.finished('elsewhere', id, 10), null)
      assert.equal(await test.queue.find(storyBrand, 'x'), null)
    })

    it('refuses the records of a brand that does not exist, and creates one by its record', async () => {
      const brand = 'novel'
      const refused = await test.commit([tag], { brand })
      assert.match(reasons(refused)[0] ?? '', /is a brand that does not exist/)
      const record = storyItems.find(({ collection }) => collection === 'brand') as Item
      const own = { ...record, record: { ...record.record, slug: brand } }
      const [created, followed] = await Promise.all([
        test.commit([own], { brand }),
        test.commit([tag], { brand }),
      ])
      assert.deepEqual([created.state, followed.state], ['committed', 'committed'])
      assert.ok((await contentOf(test.store, brand)).has(`tags ${tag.id}`))
    })

    it('is bounded, for each brand and in all, and says when to come back', async () => {
      const limits = {
        total: { batches: 3, bytes: 1_000_000 },
        brand: { batches: 2, bytes: 1_000 },
      }
      await reopened({ limits }, async ({ send, queue }) => {
        // Nothing is stored while the records are being written by another.
        await test.store.write(sharedOwner, async () => {
          const first = await send([tag])
          await send([tag])
          await assert.rejects(send([tag]), (error: unknown) => {
            assert.ok(error instanceof QueueFullError)
            assert.match(error.message, /^The queue of .+ is full: 2 batches wait to be stored\./)
            assert.ok(error.retryAfterSeconds >= 1 && error.retryAfterSeconds <= 60)
            return true
          })
          await send([tag], { brand: 'a1' })
          await assert.rejects(send([tag], { brand: 'b1' }), /^Error: The queue is full/)
          assert.match(
            (await queue.find(storyBrand, first.batch.id))?.state ?? '',
            /queued|working/,
          )
        })
        await assert.rejects(
          send([], { body: Buffer.from(crypto.getRandomValues(new Uint8Array(2_000))) }),
          QueueFullError,
        )
      })
    })

    it('continues after a restart with what waits, and applies nothing twice', async () => {
      const { batch } = await test.commit([named(tag, 'Twice')]).then((done) => ({ batch: done }))
      await test.commit([tag])
      // As after a crash between the commit of the records and the end of the batch in the queue.
      await opened.database.write(async (session) => {
        await session.run({
          text: `update "selvedge_units" set "state" = 'waiting', "finished_at" = null, "result" = null where "id" = ?1`,
          values: [batch.id],
        })
      })
      await reopened({}, async ({ queue }) => {
        const again = await queue.finished(storyBrand, batch.id, 300_000)
        const { change } = again ?? {}
        assert.deepEqual(again, { ...batch, change })
        // A state with a later write contains it too.
        assert.ok(Number(change) >= Number(batch.change) && Number(batch.change) > 0, `${change}`)
      })
      assert.notEqual(await nameOf(), 'Twice')
    })

    it('stores a batch with the number of an earlier one, as a promoted server without that one', async () => {
      await test.commit([named(tag, 'Lost')])
      await opened.database.write((session) =>
        session.run({ text: 'delete from "selvedge_units"', values: [] }),
      )
      assert.equal((await test.commit([named(tag, 'Found')])).state, 'committed')
      assert.equal(await nameOf(), 'Found')
      await test.commit([tag])
    })

    it('keeps finished batches for a while, so many of each brand at most', async () => {
      const batches = [await test.commit([tag], { brand: 'other', dryRun: true })]
      for (let count = 0; count < 4; count += 1) batches.push(await test.commit([tag]))
      const left = (queue: TestQueue['queue']) =>
        Promise.all(batches.map(async ({ brand, id }) => (await queue.find(brand, id)) !== null))
      const until = async (queue: TestQueue['queue'], expected: readonly boolean[]) => {
        for (const end = performance.now() + 60_000; ; ) {
          const now = await left(queue)
          if (JSON.stringify(now) === JSON.stringify(expected)) return
          if (performance.now() > end) assert.deepEqual(now, expected)
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
      await reopened({ limits: { keptBatches: { brand: 2, total: 100 } } }, ({ queue }) =>
        until(queue, [true, false, false, true, true]),
      )
      // The brand that has the most loses its oldest.
      await reopened({ limits: { keptBatches: { brand: 2, total: 2 } } }, ({ queue }) =>
        until(queue, [true, false, false, false, true]),
      )
      // The last one stays, whose number the next one follows.
      await reopened({ limits: { keepMs: -1_000 } }, ({ queue }) =>
        until(queue, [false, false, false, false, true]),
      )
    })
  })

  it(`a queue of batches on ${name} stores a batch that a replica does not have yet`, async () => {
    const { records, database, close } = await open()
    /** Reads bodies from a server that has none of them. */
    const lagging: Database = {
      ...database,
      read: async (queries, ...rest) =>
        queries.some(({ text }) => text.startsWith('select "body"'))
          ? queries.map(() => [])
          : database.read(queries, ...rest),
    }
    const { queue, commit } = await openTestQueue(records, lagging)
    const brand = storyItems.filter(({ collection }) => collection === 'brand')
    const batch = await commit([...brand, tag])
    assert.deepEqual([batch.state, batch.problems], ['committed', []])
    await queue.close()
    await close()
  })

  it(`a queue of batches on ${name} finds the batch at fault if its group is refused at the end`, async () => {
    const { records, database, close } = await open()
    const query = { text: `select 1 from "tags" where "name" = 'late'`, values: [] }
    const write: Database['write'] = (work, lock) =>
      records.write(async (session) => {
        const result = await work(session)
        if ((await session.all(query)).length > 0) throw new DatabaseRefusedError('it is late')
        return result
      }, lock)
    await createStore(catalog, records, { recordsChanges: true })
    const { queue, send } = await openTestQueue({ ...records, write }, database)
    const brand = storyItems.filter(({ collection }) => collection === 'brand')
    const names = ['One', 'late', 'Two', 'Three', 'late']
    const sent = []
    for (const [index, each] of names.entries()) {
      const record = {
        ...tag.record,
        id: `00000000-0000-4000-8000-00000000f00${index}`,
        name: each,
      }
      sent.push(await send([...brand, putItem('tags', record)]))
    }
    for (const [index, { batch }] of sent.entries()) {
      const finished = await queue.finished(storyBrand, batch.id, 300_000)
      const isLate = names[index] === 'late'
      assert.equal(finished?.state, isLate ? 'refused' : 'committed')
      const reason = '0  is refused by the database: it is late'
      assert.deepEqual(finished && reasons(finished), isLate ? [reason] : [])
    }
    await queue.close()
    await close()
  })

  it(`a queue of batches on ${name} applies none that was removed while it waited for the records`, async () => {
    const { records, database, close } = await open()
    await createStore(catalog, records, { recordsChanges: true })
    let isRemoved: boolean | undefined
    /** A command removes the units of the brand, just before their records can be written. */
    const write: Database['write'] = async (work, lock) => {
      if (typeof lock === 'object' && isRemoved === undefined) {
        isRemoved = false
        const tables = ['selvedge_unit_bodies', 'selvedge_units']
        await database.write((session) =>
          session.runAll(tables.map((table) => `delete from "${table}"`)),
        )
        isRemoved = true
      }
      return records.write(work, lock)
    }
    const { store, queue, send, commit } = await openTestQueue({ ...records, write }, database)
    const brand = storyItems.filter(({ collection }) => collection === 'brand')
    const { batch } = await send([...brand, tag])
    await until(async () => isRemoved === true)
    assert.equal(await queue.find(storyBrand, batch.id), null)
    assert.equal((await commit([tag])).state, 'refused')
    assert.equal(await store.has(storyBrand), false)
    await queue.close()
    await close()
  })

  it(`a queue of batches on ${name} prepares no further batch once it closes`, async () => {
    const { records, database, close } = await open()
    const isSent = Promise.withResolvers<void>()
    let bodies = 0
    const closed = Promise.withResolvers<void>()
    const watched: Database = {
      ...database,
      read: async (queries, ...rest) => {
        const [text = ''] = queries.map((each) => each.text)
        if (text.includes('group by')) await isSent.promise
        if (text.startsWith('select "body"')) {
          bodies += 1
          if (bodies === 1) closed.resolve(first.queue.close())
        }
        return database.read(queries, ...rest)
      },
    }
    const first = await openTestQueue(records, watched)
    const brand = storyItems.filter(({ collection }) => collection === 'brand')
    const sent = [await first.send([...brand, tag]), await first.send([tag])]
    isSent.resolve()
    await closed.promise
    assert.equal(bodies, 1)
    const next = await openTestQueue(records, database)
    for (const { batch } of sent) {
      assert.equal((await next.queue.finished(batch.brand, batch.id, 300_000))?.state, 'committed')
    }
    await next.queue.close()
    await close()
  })
}
