/** What the store promises of times that no source has: first seen and last changed. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { after, before, describe, it } from 'node:test'
import { compileCanonicalScanner, id, nullable, object, ref, text, timestamp } from '#contract'
import type { SqlValue } from '#database'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { withCanonicalRows } from '../../../src/ingest/canonical-rows.ts'
import { createRowBatchBuilder } from '../../../src/ingest/row-batch.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import { feedStart } from '../../../src/store/read/feed.ts'
import { ownerNumber } from '../../../src/store/schema/owners.ts'
import type { StoredRecord } from '../../../src/store/schema/record-body.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { rowFormatOf } from '../../../src/store/write/row-format.ts'
import { brand, described, type OpenedForStore, uuid } from './samples.ts'

const parts = resource({
  ...described,
  group: 'Parts',
  path: 'parts',
  name: 'Part',
  scope: 'brand',
  key: ['boxId', 'kind'],
  fields: {
    boxId: id(),
    kind: text(),
    parentId: nullable(ref('boxes')),
    note: text(),
    added: object({ at: timestamp() }),
    updatedAt: timestamp(),
  },
  filters: ['boxId'],
  sortable: ['updatedAt'],
})
const boxes = resource({
  ...described,
  group: 'Boxes',
  path: 'boxes',
  name: 'Box',
  scope: 'brand',
  fields: { id: id(), name: text() },
  filters: [],
})

const catalog = joinCatalog([brand, boxes, parts])
const times = { firstSeen: ['added.at'], lastChanged: ['updatedAt'] }
/** How rows reach the store: as cells, as texts that can be stored as they are, or some as each. */
const forms = {
  cells: () => false,
  texts: () => true,
  both: (row: number) => row % 2 === 0,
}
const at = (day: number) => `2026-03-0${day}T09:00:00.000Z`

export const seenTimesConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  for (const [form, isText] of Object.entries(forms))
    timesOfRows(`${form} on ${name}`, open, isText)
}

const timesOfRows = (
  name: string,
  open: () => Promise<OpenedForStore>,
  isText: (row: number) => boolean,
): void => {
  describe(`times of records in rows as ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(catalog, opened.database, { recordsChanges: true })
    })
    after(() => opened.close())

    const part = (n: number, note: string, changed: object = {}) => ({
      boxId: uuid(n),
      kind: `k${n % 2}`,
      parentId: null,
      note,
      ...changed,
    })

    /** Imports parts on a day of March. */
    const put = (owner: string, day: number, records: readonly object[]) =>
      store.write(owner, async (writer) => {
        const { fields, textBytes, pack, createDigester } = rowFormatOf(catalog, parts)
        const all = records.map((record, row) => ({
          line: row + 1,
          value: { ...record, added: { at: at(day) }, updatedAt: at(day) },
          losses: [],
        }))
        const scanner = compileCanonicalScanner(parts, {
          wanted: fields,
          wantedBytes: textBytes,
          isUtf8,
        })
        const texts = all.filter((_, row) => isText(row))
        const batches = (async function* () {
          yield { rows: texts, canonical: null }
        })()
        const [written] = await Array.fromAsync(
          withCanonicalRows(batches, { scanner, marksRepeats: false }),
        )
        assert.deepEqual(written?.rows, [], 'all of them can be stored as they are')
        const batch = createRowBatchBuilder(createDigester(), written?.canonical ?? null)
        for (const { line, value } of all.filter((_, row) => !isText(row))) {
          const cells: SqlValue[] = []
          pack(value, cells)
          batch.add(line, cells)
        }
        await writer.stageRows(parts, { source: 0, ...batch.build() }, times)
        await writer.stageReleased(parts)
        await Array.fromAsync(writer.rejectInvalid(parts, { park: [{ file: 'parts.csv' }] }))
        return writer.merge(parts)
      })
    const stored = async (owner: string) => {
      const page = await store.list({
        resource: parts,
        brand: owner,
        filters: new Map(),
        limit: 100,
        after: null,
        include: [],
      })
      return JSON.parse(`[${decodeBody(page.items)}]`) as StoredRecord[]
    }
    /** The column that lists are sorted by. */
    const sortedTimes = async (owner: string) => {
      const [rows = []] = await opened.database.read([
        {
          text: [
            'select "updatedAt__sort"',
            'from "parts"',
            'where "owner" = ?1',
            'order by "boxId"',
          ].join('\n'),
          values: [ownerNumber(owner)],
        },
      ])
      return rows.map(([time]) => new Date(Number(time)).toISOString())
    }
    const timesOf = async (owner: string) =>
      (await stored(owner)).map(({ note, added, updatedAt }) => [
        note,
        (added as { at: string }).at,
        updatedAt,
      ])

    it('stay where rows come again, which changes nothing', async () => {
      const rows = [part(1, 'a'), part(2, 'b'), part(3, 'c')]
      await put('again', 1, rows)
      const { changes } = await store.feed.page(feed('again'))
      const merged = await put('again', 2, rows)
      assert.deepEqual([merged.added, merged.changed, merged.unchanged], [0, 0, 3])
      const next = await store.feed.page(feed('again'))
      assert.deepEqual(next.changes, changes)
      assert.deepEqual(
        await timesOf('again'),
        ['a', 'b', 'c'].map((note) => [note, at(1), at(1)]),
      )
    })

    it('say when a changed record was first seen, and when it changed', async () => {
      await put('changed', 1, [part(1, 'a'), part(2, 'b')])
      const merged = await put('changed', 2, [part(2, 'B'), part(1, 'a'), part(3, 'c')])
      assert.deepEqual([merged.added, merged.changed, merged.unchanged], [1, 1, 1])
      assert.deepEqual(await timesOf('changed'), [
        ['a', at(1), at(1)],
        ['B', at(1), at(2)],
        ['c', at(2), at(2)],
      ])
      assert.deepEqual(await sortedTimes('changed'), [at(1), at(2), at(2)])
    })

    it('are those of the row that is parked', async () => {
      const parked = part(1, 'a', { parentId: uuid(9) })
      await put('parked', 1, [parked])
      await put('parked', 2, [parked])
      await store.write('parked', async (writer) => {
        await writer.stage(boxes, [{ id: uuid(9), name: 'box' }])
        await writer.merge(boxes)
      })
      await put('parked', 3, [])
      assert.deepEqual(await timesOf('parked'), [['a', at(1), at(1)]])
    })

    it('are not taken from another brand', async () => {
      await put('one', 1, [part(1, 'a')])
      await put('other', 2, [part(1, 'a')])
      await put('other', 3, [part(1, 'A')])
      assert.deepEqual(await timesOf('other'), [['A', at(2), at(3)]])
    })
  })
}

const feed = (owner: string) => ({ resource: null, after: feedStart, limit: 1_000, brand: owner })
