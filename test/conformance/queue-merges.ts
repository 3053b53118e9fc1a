/** What senders can rely on of partial records, dry runs and results of items, on every engine. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { decodeBody } from '#store'
import {
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
import type { OpenedForQueue } from './queue.ts'

const itemOf = (collection: string) =>
  storyItems.find((item) => item.collection === collection) as Item & { record: object }
const tag = itemOf('tags')
const partner = itemOf('partners')
const category = itemOf('categories')
const newId = '00000000-0000-4000-8000-00000000f001'

const mergeItem = ({ collection, id }: Item, record: object) => ({
  ...{ collection, id, operation: 'merge', record },
})
const reasons = ({ problems }: FinishedTestBatch) =>
  problems.map(({ line, field, reason }) => [line, field, reason].join(' '))
const outcomes = ({ results = [] }: FinishedTestBatch) =>
  results.map(({ line, outcome }) => `${line} ${outcome}`)
const counts = ({ collections }: FinishedTestBatch) =>
  collections.map(({ collection, read, added, changed, unchanged, removed }) =>
    [collection, read, added, changed, unchanged, removed].join(' '),
  )

export const queueMergesConformance = (name: string, open: () => Promise<OpenedForQueue>): void => {
  describe(`partial records in batches on ${name}`, () => {
    let opened: OpenedForQueue
    let test: TestQueue
    before(async () => {
      opened = await open()
      test = await openTestQueue(opened.records, opened.database)
      await importShared(test.store)
      assert.equal((await test.commit(storyItems)).state, 'committed')
    })
    after(async () => {
      await test.queue.close()
      await opened.close()
      assert.deepEqual(test.failures, [])
    })

    const stored = async ({ collection, id }: Item) => {
      const text = (await contentOf(test.store)).get(`${collection} ${id}`)
      return text === undefined ? null : JSON.parse(text)
    }

    it('change the fields that are sent, and keep the others', async () => {
      const before = await stored(partner)
      const sent = { name: 'Merged', relationship: { status: 'paused' } }
      const batch = await test.commit([mergeItem(partner, sent)], { results: true })
      assert.deepEqual([batch.state, reasons(batch)], ['committed', []])
      assert.deepEqual([counts(batch), outcomes(batch)], [['partners 1 0 1 0 0'], ['1 changed']])
      const relationship = { ...before.relationship, status: 'paused' }
      assert.deepEqual(await stored(partner), { ...before, name: 'Merged', relationship })
      const again = await test.commit([mergeItem(partner, sent)], { results: true })
      assert.deepEqual([counts(again), outcomes(again)], [['partners 1 0 0 1 0'], ['1 unchanged']])
      await test.commit([partner])
    })

    it('apply in order, after what the same batch puts', async () => {
      const added = putItem('tags', { ...tag.record, id: newId, code: 'merged-1' })
      const batch = await test.commit(
        [
          mergeItem(tag, { name: 'First' }),
          added,
          mergeItem(tag, { uiColor: null, name: 'Second' }),
          mergeItem(added, { name: 'Third' }),
          { ...mergeItem(tag, { name: 'Last' }), id: tag.id.toUpperCase() },
        ],
        { results: true },
      )
      assert.deepEqual(reasons(batch), [])
      assert.deepEqual(outcomes(batch), [
        ...['1 changed', '2 added', '3 changed', '4 added', '5 changed'],
      ])
      assert.deepEqual(counts(batch), ['tags 2 1 1 0 0'])
      assert.deepEqual(await stored(tag), { ...tag.record, name: 'Last', uiColor: null })
      assert.deepEqual(await stored(added), { ...added.record, name: 'Third' })
      await test.commit([tag, removeItem('tags', newId)])
    })

    it('of batches that are sent at the same time lose nothing', async () => {
      const names = Array.from({ length: 40 }, (_, n) => `n${n}`)
      const merges = names.map((code) => [mergeItem(tag, { name: code }), mergeItem(tag, { code })])
      const sent = await Promise.all(merges.map((items) => test.send(items)))
      const other = await test.commit([mergeItem(tag, { uiColor: '#123456' })])
      for (const { batch } of sent) await test.queue.finished(batch.brand, batch.id, 300_000)
      assert.equal(other.state, 'committed')
      const { name, code, uiColor } = await stored(tag)
      assert.equal(name, code)
      assert.deepEqual([names.includes(name), uiColor], [true, '#123456'])
      await test.commit([tag])
    })

    it('lose nothing that another writer changes at the same time', async () => {
      const other = await openTestQueue(opened.records, opened.database)
      const tags = resourceAt(catalog, 'tags')
      const now = async () => {
        const request = { resource: tags, brand: storyBrand, key: [tag.id], include: [] }
        return JSON.parse(decodeBody((await test.store.get(request))?.body ?? Buffer.alloc(0)))
      }
      const values = Array.from({ length: 15 }, (_, n) => `#00000${n.toString(16)}`)
      /** What each writer changes alone stays as it has left it. */
      const repeat = async (field: string, change: (value: string) => Promise<unknown>) => {
        for (const value of values) {
          await change(value)
          assert.equal((await now())[field], value)
        }
      }
      const byMerge =
        ({ commit }: TestQueue, field: string) =>
        (value: string) =>
          commit([mergeItem(tag, { [field]: value })], { keyId: field })
      await Promise.all([
        repeat('name', byMerge(test, 'name')),
        repeat('uiColor', byMerge(other, 'uiColor')),
        repeat('code', (code) =>
          test.store.write(storyBrand, async (writer) => {
            const text = (await writer.lastTexts(tags, [[tag.id]])).get(tag.id) ?? ''
            await writer.stage(tags, [{ ...JSON.parse(text), code }])
            await writer.merge(tags)
          }),
        ),
      ])
      await other.queue.close()
      await test.commit([tag])
    })

    it('change a record that waits for another one', async () => {
      const parentId = '00000000-0000-4000-8000-00000000f002'
      const fields = { id: newId, code: 'merged-1', parentCategoryId: parentId }
      const child = putItem('categories', { ...category.record, ...fields })
      const parent = { ...category.record, id: parentId, code: 'merged-2' }
      const waiting = { park: true, results: true }
      assert.deepEqual(outcomes(await test.commit([child], waiting)), ['1 quarantined'])
      const merged = await test.commit([mergeItem(child, { name: 'Merged' })], waiting)
      assert.deepEqual([reasons(merged).length, outcomes(merged)], [1, ['1 quarantined']])
      await test.commit([mergeItem(child, { sequence: 77 })], waiting)
      const come = await test.commit([putItem('categories', parent)], { results: true })
      assert.deepEqual(outcomes(come), ['1 added'], reasons(come).join('; '))
      const expected = { ...child.record, name: 'Merged', sequence: 77 }
      assert.deepEqual(await stored(child), expected)
    })

    it('wait in quarantine beside the others, if their sender wants that', async () => {
      const wrong = putItem('tags', { ...tag.record, id: newId, name: 7 })
      const other = putItem('categories', { ...category.record, name: 'Stored' })
      const items = [mergeItem(tag, { name: null }), wrong, other]
      const batch = await test.commit(items, { quarantine: true, results: true })
      assert.equal(batch.state, 'committed', reasons(batch).join('; '))
      assert.deepEqual(outcomes(batch), ['1 quarantined', '2 quarantined', '3 changed'])
      assert.deepEqual(await stored(tag), tag.record)
      const corrected = await test.commit([mergeItem(tag, { name: 'Corrected' })])
      assert.equal(corrected.state, 'committed', reasons(corrected).join('; '))
      assert.equal((await stored(tag)).name, 'Corrected')
      await test.commit([tag, category])
    })

    it('are refused if there is no record, or if the whole record is not valid', async () => {
      const missing = { collection: 'tags', id: newId }
      const cases: readonly (readonly [items: readonly object[], reasons: readonly string[]])[] = [
        [
          [{ ...missing, operation: 'merge', record: { name: 'x' } }],
          ['1  is not stored, so that its fields cannot be changed: put the whole record'],
        ],
        [
          [removeItem('tags', tag.id), mergeItem(tag, { name: 'x' })],
          ['2  changes a record that an earlier item of the batch removes: use put'],
        ],
        [[mergeItem(tag, { name: null })], ['1 /name must not be null']],
        [[mergeItem(tag, { nam: 'x' })], ['1 /nam is not a field']],
        [[mergeItem(tag, { id: newId })], [`1  is not the identity of its record, ${newId}`]],
        [
          [{ ...missing, operation: 'merge', record: [] }],
          ['1  must have a record: an object with the fields to change'],
        ],
        [[{ ...missing, id: 'x', operation: 'merge', record: {} }], ['1  is not stored, so that']],
      ]
      for (const [items, expected] of cases) {
        const batch = await test.commit(items, { results: true })
        assert.equal(batch.state, 'refused', JSON.stringify(items))
        assert.equal(reasons(batch).length, expected.length, reasons(batch).join('; '))
        for (const [index, reason] of expected.entries()) {
          assert.ok(reasons(batch)[index]?.startsWith(reason), reasons(batch).join('; '))
        }
        assert.ok(outcomes(batch).every((outcome) => outcome.endsWith('refused')))
      }
      assert.deepEqual(await stored(tag), tag.record)
    })

    it('name the collection and count nothing if their batch is refused', async () => {
      const wrong = putItem('tags', { ...tag.record, id: newId, name: 7 })
      const items = [{ ...tag, record: { ...tag.record, name: 'Never' } }, wrong, {}]
      const batch = await test.commit(items, { results: true })
      assert.deepEqual(counts(batch), ['tags 2 0 0 0 0'])
      assert.deepEqual(
        batch.results?.map(({ line, id, outcome, problems }) => [
          ...[line, id, outcome, problems.map(({ field }) => field)],
        ]),
        [
          [1, tag.id, 'refused', []],
          [2, newId, 'refused', ['/name']],
          [3, null, 'refused', ['']],
        ],
      )
    })

    it('are shown by a dry run, without stored values', async () => {
      const added = putItem('tags', { ...tag.record, id: newId, code: 'merged-2', name: 'Added' })
      const items = [
        mergeItem(partner, { name: 'Merged' }),
        { ...tag, record: { ...tag.record, name: 'Changed' } },
        added,
      ]
      const batch = await test.commit(items, { dryRun: true, results: true })
      assert.deepEqual([batch.state, batch.change], ['checked', null])
      assert.deepEqual(outcomes(batch), ['1 changed', '2 changed', '3 added'])
      const changes = [
        {
          ...{ operation: 'changed', collection: 'tags', id: tag.id, line: 2, title: 'Changed' },
          fields: [{ field: '/name', after: 'Changed' }],
        },
        {
          ...{ operation: 'added', collection: 'tags', id: newId, line: 3, title: 'Added' },
          fields: [],
        },
        {
          ...{ operation: 'changed', collection: 'partners', id: partner.id, line: 1, title: null },
          fields: [{ field: '/name', after: 'Merged' }],
        },
      ]
      const byPlace = (one: { line: number | null }, other: { line: number | null }) =>
        Number(one.line) - Number(other.line)
      assert.deepEqual([...(batch.changes ?? [])].sort(byPlace), changes.toSorted(byPlace))
      assert.deepEqual(await stored(tag), tag.record)
      const removal = await test.commit([removeItem('tags', tag.id)], {
        ...{ dryRun: true, collections: ['tags'] },
      })
      // Products refer to it.
      assert.deepEqual([removal.state, removal.changes], ['refused', []])
    })

    it('have results up to a limit', async () => {
      const items = Array.from({ length: 1_005 }, () => mergeItem(tag, { name: 'Many' }))
      const batch = await test.commit(items, { results: true, dryRun: true })
      assert.deepEqual([batch.items, batch.results?.length], [1_005, 1_000])
      assert.equal(batch.results?.at(-1)?.outcome, 'changed')
    })

    it('are stored once for one idempotency key', async () => {
      const request = { idempotencyKey: 'merge-1', results: true }
      const first = await test.commit([mergeItem(tag, { name: 'Once' })], request)
      await test.commit([tag])
      const again = await test.send([mergeItem(tag, { name: 'Once' })], request)
      assert.deepEqual([again.repeated, again.batch.id], [true, first.id])
      assert.deepEqual(again.batch.results, first.results)
      assert.deepEqual(await stored(tag), tag.record)
      assert.equal(first.brand, storyBrand)
    })
  })
}
