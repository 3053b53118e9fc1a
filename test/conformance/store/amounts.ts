/** What the store promises of amounts that are the same number in another spelling. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { amount, any, id, nullable, object, objects, text, timestamp } from '#contract'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import type { StoredRecord } from '../../../src/store/schema/record-body.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { rowFormatOf } from '../../../src/store/write/row-format.ts'
import { brand, described, type OpenedForStore, uuid } from './samples.ts'

const parcels = resource({
  ...described,
  path: 'parcels',
  name: 'Parcel',
  fields: {
    id: id(),
    code: text(),
    price: amount('money'),
    fee: nullable(amount('money')),
    size: object({ weight: amount('weightKg') }),
    parts: objects({ weight: amount('weightKg'), code: text() }),
    extra: nullable(any()),
    updatedAt: timestamp(),
  },
  filters: ['code'],
  sortable: ['price'],
})

const catalog = joinCatalog([brand, parcels])

const parcel = (n: number, changed: object = {}): StoredRecord => ({
  id: uuid(n),
  code: '1.10',
  price: '525.00',
  fee: null,
  size: { weight: '-0.50' },
  parts: [
    { weight: '1', code: 'a' },
    { weight: '2.0', code: '2.0' },
  ],
  extra: { price: '1.0' },
  updatedAt: '2026-03-01T09:00:00.000Z',
  ...changed,
})

export const amountConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`the amounts of a store on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(catalog, opened.database, { recordsChanges: true })
    })
    after(() => opened.close())

    const put = (owner: string, records: readonly StoredRecord[], options: object = {}) =>
      store.write(owner, async (writer) => {
        await writer.stage(parcels, records)
        return writer.merge(parcels, options)
      })
    const bodyOf = async (owner: string, n: number) => {
      const record = await store.get({
        resource: parcels,
        brand: owner,
        key: [uuid(n)],
        include: [],
      })
      return record && JSON.parse(decodeBody(record.body))
    }
    const versionOf = async (owner: string) =>
      (await store.state({ resource: parcels, brand: owner, filters: [], include: [] })).version

    it('are unchanged in another spelling, at any depth, and keep the first one', async () => {
      const respelled = {
        price: '525',
        size: { weight: '-0.500' },
        parts: [
          { weight: '1.00', code: 'a' },
          { weight: '2', code: '2.0' },
        ],
      }
      await put('spelled', [parcel(1), parcel(2), parcel(3, { price: '0' })])
      const before = await versionOf('spelled')
      const merged = await put('spelled', [
        parcel(1, respelled),
        parcel(2, { ...respelled, price: '525.000' }),
        parcel(3, { price: '-0.0' }),
      ])
      assert.deepEqual(merged, { stored: 3, added: 0, changed: 0, unchanged: 3, removed: 0 })
      assert.deepEqual(await bodyOf('spelled', 1), parcel(1))
      assert.equal(await versionOf('spelled'), before, 'nothing for the change feed')
    })

    it('take the new spelling with any other change', async () => {
      await put('changed', [parcel(1), parcel(2), parcel(3), parcel(4), parcel(5), parcel(6)])
      const changed = [
        parcel(1, { price: '525', code: '1.1' }),
        parcel(2, { price: '525', extra: { price: '1.00' } }),
        parcel(3, { price: '525', fee: '0' }),
        parcel(4, { price: '525.01' }),
        parcel(5, { price: '525', parts: [{ weight: '1', code: 'a' }] }),
        parcel(6, {
          parts: [
            { weight: '1', code: 'a' },
            { weight: '2.0', code: '2.00' },
          ],
        }),
      ]
      const merged = await put('changed', [...changed, parcel(7)])
      assert.deepEqual(merged, { stored: 6, added: 1, changed: 6, unchanged: 0, removed: 0 })
      for (const [index, record] of changed.entries()) {
        assert.deepEqual(await bodyOf('changed', index + 1), record)
      }
    })

    it('do not differ for a fill-up with what is missing', async () => {
      await put('missing', [parcel(1), parcel(2)])
      const records = [parcel(1, { price: '525' }), parcel(2, { price: '1' }), parcel(3)]
      const merged = await put('missing', records, { onlyMissing: true })
      assert.deepEqual(
        [merged.added, merged.changed, merged.unchanged, merged.differing],
        [1, 0, 1, 1],
      )
    })

    it('do not change the time of the last change that no source provides', async () => {
      await put('seen', [parcel(1), parcel(2)])
      const now = { updatedAt: '2026-04-01T09:00:00.000Z' }
      const merged = await store.write('seen', async (writer) => {
        const { pack, createDigester } = rowFormatOf(catalog, parcels)
        const digester = createDigester()
        const cells: Parameters<typeof pack>[1] = []
        for (const record of [
          parcel(1, { ...now, price: '525' }),
          parcel(2, { ...now, price: '1' }),
        ]) {
          const first = cells.length
          pack(record, cells)
          digester.addCells(cells, first)
        }
        const rows = { source: 0, lines: [1, 2], canonical: null, others: [0, 1], cells }
        const times = { firstSeen: [], lastChanged: ['updatedAt'] }
        await writer.stageRows(parcels, { ...rows, digest: digester.take() }, times)
        return writer.merge(parcels)
      })
      assert.deepEqual([merged.unchanged, merged.changed], [1, 1])
      assert.deepEqual(await bodyOf('seen', 1), parcel(1))
    })
  })
}
