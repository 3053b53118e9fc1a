import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { DatabaseError } from '#database'
import type { Batch } from '#intake'
import { naturalId } from '../../src/mapping/natural-id.ts'
import {
  bodyOf,
  contentOf,
  feedItems,
  type Item,
  importShared,
  openTestQueue,
  putItem,
  removeItem,
  type SentRequest,
  storyBrand,
  storyItems,
  type TestQueue,
} from '../support/queue.ts'
import type { OpenedForQueue } from './queue.ts'

/** Tags as a system of its own has them. */
const mappingFile = `
version: 1
collections:
  tags:
    from: { rows: TABLES }
    where: { KIND: { not: [internal] } }
    id: { key: [NO] }
    fields:
      name: { column: TITLE, apply: [trim] }
      createdAt: { column: CREATED, timestamp: 'yyyy-MM-dd HH:mm' }
      updatedAt: { column: CREATED, timestamp: 'yyyy-MM-dd HH:mm' }
`

/** Tags of two tables, and one that no table has. */
const joinedFile = `
version: 1
collections:
  tags:
    - from: { rows: heads }
      join: { name: parts, rows: parts, on: { NO: OF } }
      id: { key: [NO] }
      fields:
        name: { rows: first, in: parts, of: NAME }
        createdAt: { column: CREATED, timestamp: 'yyyy-MM-dd HH:mm' }
        updatedAt: { column: CREATED, timestamp: 'yyyy-MM-dd HH:mm' }
    - from: { given: [{ NO: own }] }
      id: { key: [NO, NO] }
      fields: { name: { value: given }, createdAt: first-seen, updatedAt: last-changed }
`

const row = (no: number, title: string, more: object = {}) => ({
  NO: no,
  TITLE: title,
  KIND: 'open',
  CREATED: '2026-03-01 10:00',
  ...more,
})

const event = (op: string, before: object | null, after: object | null, table = 'labels') => ({
  op,
  before,
  after,
  source: { schema: 'erp', table },
  ts_ms: 1,
})

const reasons = ({ problems }: Batch) =>
  problems.map(({ line, severity, reason, column }) =>
    [line, severity, ...(column ? [column] : []), reason].join(' '),
  )

/** Batches of rows, of events and of parked records, on every engine. */
export const queueMappedConformance = (name: string, open: () => Promise<OpenedForQueue>): void => {
  describe(`batches of other forms on ${name}`, () => {
    const mapsFolder = mkdtempSync(join(tmpdir(), 'selvedge-maps-'))
    const writeMap = (file: string, text: string) =>
      writeFileSync(join(mapsFolder, `${file}.map.yaml`), text)
    let opened: OpenedForQueue
    let test: TestQueue
    const slowBytes = 2_000_000
    before(async () => {
      writeMap('all', mappingFile.replace('TABLES', 'true'))
      writeMap('erp', mappingFile.replace('TABLES', '[erp.labels, marks]'))
      const newest = mappingFile.replace('    id:', '    keep: newest by CREATED\n    id:')
      writeMap('newest', newest.replace('TABLES', 'true'))
      writeMap('other', `brand: other\n${mappingFile.replace('TABLES', 'true')}`)
      writeMap('broken', 'version: 1\ncollections: { tugs: {} }')
      writeMap('joined', joinedFile)
      opened = await open()
      const slowly = Array.from({ length: 1_000 }, () => "{ replace: ['x', 'y'] }").join(', ')
      writeMap('slow', mappingFile.replace('TABLES', 'true').replace('trim', slowly))
      test = await openTestQueue(opened.records, opened.database, {
        mapsFolder,
        cpuMs: (bytes) => (bytes > slowBytes ? 1 : 600_000),
      })
      await importShared(test.store)
      assert.equal((await test.commit(storyItems)).state, 'committed')
    })
    after(async () => {
      await test.queue.close()
      await opened.close()
      rmSync(mapsFolder, { recursive: true })
      // What the database could not do in time was done again.
      const unexpected = test.failures.filter((error) => !(error instanceof DatabaseError))
      assert.deepEqual(unexpected, [])
    })
    const rows = { form: 'rows', map: 'all' } as const

    it('are refused if their conversion takes too long, without delaying others', async () => {
      const long = Array.from({ length: 30 }, (_, no) => row(no, 'x'.repeat(100_000)))
      const slow = test.commit(long, { form: 'rows', map: 'slow', brand: 'slow' })
      const other = await test.commit([row(900, 'quick')], { ...rows, dryRun: true })
      assert.equal(other.state, 'checked')
      const refused = await slow
      assert.equal(refused.state, 'refused')
      assert.deepEqual(reasons(refused), [
        '0 error was not converted within 1 second of CPU time: send it in smaller parts, or simplify the mapping',
      ])
      assert.deepEqual(
        (await test.commit([row(900, 'next')], { ...rows, dryRun: true })).state,
        'checked',
      )
    })

    const events = { form: 'debezium', map: 'erp' } as const
    const ownTags = storyItems.filter(({ collection }) => collection === 'tags').length
    /** The names of tags that came by the mappings. */
    const names = async () => {
      const story = new Set(storyItems.map(({ collection, id }) => `${collection} ${id}`))
      return [...(await contentOf(test.store))]
        .filter(([key]) => key.startsWith('tags ') && !story.has(key))
        .map(([, text]) => JSON.parse(text).name as string)
        .sort()
    }

    it('maps rows in the form of the sender, with the same identity every time', async () => {
      const first = await test.commit([row(1, ' One '), row(2, 'Two')], rows)
      assert.deepEqual([first.state, first.items, first.collections[0]?.added], ['committed', 2, 2])
      const hidden = row(3, 'Three', { KIND: 'internal' })
      const second = await test.commit([row(1, 'First'), hidden], rows)
      assert.deepEqual([second.items, second.collections[0]?.changed], [2, 1])
      assert.deepEqual(await names(), ['First', 'Two'])
    })

    it('takes the newest of several rows with one key, if the mapping says so', async () => {
      const old = { CREATED: '2026-02-01 10:00' }
      const sent = [row(2, 'Old', old), row(2, 'New'), row(2, 'Older', old)]
      const refused = await test.commit(sent, rows)
      assert.equal(refused.state, 'refused')
      const batch = await test.commit(sent, { form: 'rows', map: 'newest' })
      assert.deepEqual([batch.state, batch.problems], ['committed', []])
      assert.deepEqual(await names(), ['First', 'New'])
      await test.commit([row(2, 'Two')], rows)
    })

    it('names the line, the column and the mapping of a problem', async () => {
      const wrong = row(4, 'Four', { CREATED: 'yesterday' })
      const batch = await test.commit([row(5, 'Five'), wrong], rows)
      assert.equal(batch.state, 'refused')
      assert.match(reasons(batch)[0] ?? '', /^2 error CREATED /)
      assert.equal(batch.problems[0]?.mappingFile, 'all.map.yaml')
    })

    it('refuses what cannot be mapped, and says why', async () => {
      const refusals: readonly (readonly [Partial<SentRequest>, RegExp])[] = [
        [{ map: 'none' }, /does not have: none\.map\.yaml/],
        [{ map: '../all' }, /does not have/],
        [{ map: null }, /needs a mapping/],
        [{ map: 'other' }, /other\.map\.yaml is for the brand other/],
        [{ map: 'erp' }, /no collection of erp\.map\.yaml is made of all rows/],
        [{ map: 'broken' }, /broken\.map\.yaml.*tugs/s],
        [{ collections: ['orders'] }, /makes records of tags, which this key may not write/],
      ]
      for (const [more, expected] of refusals) {
        const batch = await test.commit([row(9, 'Nine')], { ...rows, ...more })
        assert.equal(batch.state, 'refused')
        assert.match(reasons(batch).join(), expected)
      }
    })

    it('joins rows of the same batch by the names of their tables', async () => {
      const header = (no: number, more: object = {}) => ({
        table: 'heads',
        row: row(no, 'x', more),
      })
      const line = (no: number, name: string) => ({ table: 'parts', row: { OF: no, NAME: name } })
      const joined = { form: 'rows', map: 'joined' } as const
      const sent = [line(31, 'Wolle'), header(31), line(32, 'x'), line(31, 'Zürich'), header(33)]
      const batch = await test.commit(sent, joined)
      assert.deepEqual(reasons(batch), [
        '5 error first of parts.NAME is empty, and name must have a value: add default: … to the mapping, or leave such rows out with where',
      ])
      const good = await test.commit(sent.slice(0, -1), joined)
      assert.deepEqual([good.state, good.items], ['committed', 4])
      assert.deepEqual(await names(), ['First', 'Two', 'Wolle', 'given'])
      const other = await test.commit(
        [...sent.slice(0, 2), { table: 'heats', row: row(1, 'x') }],
        joined,
      )
      assert.deepEqual(reasons(other), [
        '3 error is a row of a table that joined.map.yaml does not name',
      ])
      const single = await test.commit([event('c', null, row(1, 'x'), 'heads')], {
        ...joined,
        form: 'debezium',
      })
      assert.match(reasons(single).join(), /makes tags of several rows, and an event has one/)
      const ids = [['31'], ['own', 'own']].map((key) => naturalId(storyBrand, 'tags', key))
      const removed = await test.commit(ids.map((id) => removeItem('tags', id)))
      assert.deepEqual(removed.collections[0]?.removed, 2)
    })

    it('applies events of Debezium: rows that are created, read, updated and deleted', async () => {
      const created = await test.commit(
        [
          { schema: {}, payload: event('c', null, row(21, 'Created')) },
          event('r', null, row(22, 'Read'), 'marks'),
          event('u', null, row(22, 'Updated'), 'marks'),
          event('c', null, row(23, 'Gone')),
          event('d', row(23, 'Gone'), null),
        ],
        events,
      )
      assert.deepEqual([created.state, created.items], ['committed', 5])
      assert.deepEqual(await names(), ['Created', 'First', 'Two', 'Updated'])
      const deleted = await test.commit([], {
        ...events,
        body: Buffer.concat([bodyOf([event('d', { NO: 22 }, null)]), Buffer.from('null\n')]),
      })
      assert.deepEqual([deleted.state, deleted.collections[0]?.removed], ['committed', 1])
    })

    it('removes a record whose event before is in quarantine no longer', async () => {
      const bad = row(25, 'Bad', { CREATED: 'yesterday' })
      const quarantine = { ...events, quarantine: true } as const
      await test.commit([event('c', null, row(25, 'Good'))], events)
      const held = await test.commit([event('u', row(25, 'Good'), bad)], quarantine)
      assert.deepEqual([held.state, held.collections[0]?.quarantined], ['committed', 1])
      const [waits] = (await test.store.quarantine.list({ owner: storyBrand, limit: 1 })).rows
      assert.deepEqual([waits?.key?.length, waits?.isMapped, waits?.row?.cells[0]], [1, true, 25])
      assert.ok((await names()).includes('Good'))
      const deleted = await test.commit(
        [event('u', row(25, 'Good'), bad), event('d', bad, null)],
        quarantine,
      )
      assert.deepEqual([deleted.state, deleted.collections[0]?.removed], ['committed', 1])
      const waiting = await test.store.write(storyBrand, (writer) => writer.quarantined())
      assert.deepEqual(
        [await names(), waiting.get('tags')],
        [['Created', 'First', 'Two'], undefined],
      )
    })

    it('removes the record of the old key when an event changes it', async () => {
      await test.commit([event('u', row(21, 'Created'), row(24, 'Moved'))], events)
      assert.deepEqual(await names(), ['First', 'Moved', 'Two'])
    })

    it('says which events it cannot apply', async () => {
      const cases: readonly (readonly [object, string, RegExp])[] = [
        [event('t', null, null), 'refused', /error says that a table was truncated/],
        [event('x', null, null), 'refused', /error has an op that is not supported/],
        [event('d', null, null), 'refused', /error has no before: let the database log/],
        [event('c', null, null), 'refused', /error has no after/],
        [{ ddl: 'create table' }, 'refused', /error is not an event of Debezium/],
        [
          event('c', null, row(1, 'x'), 'stock'),
          'committed',
          /warning is an event of a table that erp\.map\.yaml does not name/,
        ],
      ]
      for (const [sent, state, expected] of cases) {
        const batch = await test.commit([sent], events)
        assert.equal(batch.state, state)
        assert.match(reasons(batch).join(), expected)
      }
      assert.equal((await names()).length, 3)
    })

    it('parks records until what they refer to has come', async () => {
      const line = storyItems.find(({ collection }) => collection === 'order-items') as Item
      const order = storyItems.find(
        ({ collection, id }) => collection === 'orders' && id === line.record?.['orderId'],
      ) as Item
      const orderId = '00000000-0000-4000-8000-00000000f001'
      const waiting = putItem('order-items', {
        ...(line.record as NonNullable<Item['record']>),
        id: '00000000-0000-4000-8000-00000000f002',
        orderId,
      })
      const parked = await test.commit([waiting], { park: true })
      assert.deepEqual([parked.state, parked.collections[0]?.parked], ['committed', 1])
      assert.ok(!(await contentOf(test.store)).has(`order-items ${waiting.id}`))
      const record = { ...(order.record as NonNullable<Item['record']>), id: orderId }
      const come = await test.commit([putItem('orders', { ...record, orderNumber: 'PARKED-1' })])
      const unparked = come.collections.reduce((sum, each) => sum + each.unparked, 0)
      assert.deepEqual([come.state, unparked], ['committed', 1])
      assert.ok((await contentOf(test.store)).has(`order-items ${waiting.id}`))
      await test.commit([removeItem('order-items', waiting.id), removeItem('orders', orderId)])
    })

    it('pours a change feed in, however it is split into batches', async () => {
      const feed = await feedItems(test.store)
      const expected = await contentOf(test.store)
      assert.ok(feed.some(({ operation }) => operation === 'remove') && ownTags > 0)
      let brands = 0
      const pours = async (sizes: readonly number[]) => {
        brands += 1
        const brand = `split-${brands}`
        const own = feed.map((item) =>
          item.collection === 'brand'
            ? { ...item, record: { ...item.record, slug: brand } as Item['record'] }
            : item,
        )
        // The brand comes first: its records need it.
        own.sort((a, b) => Number(b.collection === 'brand') - Number(a.collection === 'brand'))
        const sent: Promise<Batch>[] = []
        for (let at = 0, size = 0; at < own.length; at += size) {
          size = sizes[sent.length % sizes.length] ?? 1
          sent.push(test.commit(own.slice(at, at + size), { brand, park: true }))
          // The brand has to be there first. Then some wait together, and some come one by one.
          if (sent.length === 1 || sent.length % 3 === 0) await sent.at(-1)
        }
        const refused = (await Promise.all(sent)).filter(({ state }) => state === 'refused')
        assert.deepEqual(refused.map(reasons), [])
        const content = await contentOf(test.store, brand)
        const same = [...content].map(([key, text]) => [key, text.replace(brand, storyBrand)])
        assert.deepEqual(new Map(same as [string, string][]), expected)
        const parked = await test.store.write(brand, (writer) => writer.quarantined())
        assert.equal(
          [...parked.values()].reduce((sum, count) => sum + count, 0),
          0,
        )
      }
      const sizes = fc
        .array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 6 })
        // Batches of one record each, hundreds of them, would take minutes.
        .filter((all) => all.reduce((sum, each) => sum + each, 0) >= all.length * 100)
      await fc.assert(fc.asyncProperty(sizes, pours), {
        ...{ numRuns: 3, examples: [[[5_000]]], endOnFailure: true },
      })
    })
  })
}
