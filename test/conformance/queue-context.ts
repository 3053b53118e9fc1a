import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Batch } from '#intake'
import {
  contentOf,
  importShared,
  openTestQueue,
  storyBrand,
  storyItems,
  type TestQueue,
} from '../support/queue.ts'
import type { OpenedForQueue } from './queue.ts'

/** Categories with the names of their parents, as a shop has them. */
const mappingFile = `
version: 1
defaults: { createdAt: first-seen, updatedAt: last-changed }
collections:
  categories:
    from: { rows: TABLES }
    remove: { GONE: 'y' }
    id: { key: [NO] }
    fields:
      code: { join: [{ brand: slug }, NO], with: '-' }
      name: NAME
      kind: { value: material }
      level: { value: 1 }
      sequence: NO
      parentCategoryId: { lookup: { by: { name: PARENT } } }
`

const row = (no: number, name: string, parent = '', more: object = {}) => ({
  ...{ NO: no, NAME: name, PARENT: parent, GONE: 'n', ...more },
})

const event = (op: string, before: object | null, after: object | null) => ({
  ...{ op, before, after, source: { schema: 'shop', table: 'groups' } },
})

const reasons = ({ problems }: Batch) =>
  problems.map(({ line, value, reason }) => `${line} ${value} ${reason}`)

/** Batches whose mappings use records of their brand, on every engine. */
export const queueContextConformance = (
  name: string,
  open: () => Promise<OpenedForQueue>,
): void => {
  describe(`batches that look records up on ${name}`, () => {
    const mapsFolder = mkdtempSync(join(tmpdir(), 'selvedge-maps-'))
    let opened: OpenedForQueue
    let test: TestQueue
    before(async () => {
      const put = (file: string, tables: string) =>
        writeFileSync(join(mapsFolder, `${file}.map.yaml`), mappingFile.replace('TABLES', tables))
      put('rows', 'true')
      put('events', 'groups')
      opened = await open()
      test = await openTestQueue(opened.records, opened.database, { mapsFolder })
      await importShared(test.store)
      assert.equal((await test.commit(storyItems)).state, 'committed')
    })
    after(async () => {
      await test.queue.close()
      await opened.close()
      rmSync(mapsFolder, { recursive: true })
      assert.deepEqual(test.failures, [])
    })
    const rows = { form: 'rows', map: 'rows' } as const

    /** The names of categories with those of their parents. */
    const named = async () => {
      const story = new Set(storyItems.map(({ collection, id }) => `${collection} ${id}`))
      const all = [...(await contentOf(test.store))]
        .filter(([key]) => key.startsWith('categories ') && !story.has(key))
        .map(([, text]) => JSON.parse(text))
      const names = new Map(all.map((each) => [each.id, each.name]))
      return all
        .map(({ name, parentCategoryId: parent }) =>
          parent ? `${name} < ${names.get(parent)}` : name,
        )
        .sort()
    }

    it('find them among stored records and in the same batch', async () => {
      const first = await test.commit([row(1, 'Ærmer', 'töp'), row(2, 'Töp')], rows)
      assert.deepEqual([first.state, first.problems], ['committed', []])
      const second = await test.commit([row(3, 'Sub', 'ÆRMER'), row(4, 'Lone')], rows)
      assert.deepEqual([second.state, second.problems], ['committed', []])
      assert.deepEqual(await named(), ['Lone', 'Sub < Ærmer', 'Töp', 'Ærmer < Töp'])
      const codes = [...(await contentOf(test.store))].filter(([, text]) =>
        text.includes(`"${storyBrand}-1"`),
      )
      assert.equal(codes.length, 1)
    })

    it('find what batches before them store, however many wait', async () => {
      const sent = Array.from({ length: 12 }, (_, at) =>
        test.commit([row(100 + at, `Step ${at}`, at === 0 ? '' : `Step ${at - 1}`)], rows),
      )
      for (const each of await Promise.all(sent)) assert.deepEqual(reasons(each), [])
      assert.equal((await named()).filter((each) => / < Step \d+$/.test(each)).length, 11)
    })

    it('are refused with the line if there is none or there are several', async () => {
      const none = await test.commit([row(5, 'Five', 'Nowhere')], rows)
      assert.equal(none.state, 'refused')
      assert.match(reasons(none).join(), /^1 Nowhere is the name of no record of categories/)
      const twins = [
        row(6, 'Twin'),
        row(7, 'TWIN'),
        row(8, 'Eight', 'twin'),
        row(9, 'Nine', 'Twin'),
      ]
      assert.match(
        reasons(await test.commit(twins, rows)).join(),
        /^3 twin is the name of 2 records of categories \(/,
      )
    })

    it('do not find records that the batch removes or renames', async () => {
      await test.commit([row(30, 'Old'), row(31, 'Ends')], rows)
      const sent = [
        row(30, 'New'),
        row(31, 'Ends', '', { GONE: 'y' }),
        row(32, 'A', 'New'),
        row(33, 'B', 'Old'),
        row(34, 'C', 'Ends'),
      ]
      const batch = await test.commit(sent, rows)
      assert.deepEqual(
        reasons(batch).map((each) => each.split(' is ')[0]),
        ['4 Old', '5 Ends'],
      )
    })

    it('look them up for events of Debezium', async () => {
      const events = { form: 'debezium', map: 'events' } as const
      const sent = [
        event('c', null, row(41, 'Event', 'Parent')),
        event('c', null, row(42, 'Parent')),
      ]
      const batch = await test.commit(sent, events)
      assert.deepEqual([batch.state, reasons(batch)], ['committed', []])
      assert.ok((await named()).includes('Event < Parent'))
      const renamed = [
        event('u', row(42, 'Parent'), row(42, 'Mother')),
        event('u', row(41, 'Event'), row(41, 'Event', 'Mother')),
      ]
      assert.deepEqual(reasons(await test.commit(renamed, events)), [])
      assert.ok((await named()).includes('Event < Mother'))
    })

    it('find one of many records without delay', async () => {
      const many = Array.from({ length: 5_000 }, (_, at) => row(1_000 + at, `Group ${at}`))
      assert.equal((await test.commit(many, rows)).state, 'committed')
      const children = Array.from({ length: 2_000 }, (_, at) =>
        row(10_000 + at, `Child ${at}`, `group ${at}`),
      )
      const batch = await test.commit(children, rows)
      assert.deepEqual([batch.state, batch.collections[0]?.added], ['committed', 2_000])
    })
  })
}
