/** Rows that a caller makes itself, among them removals. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import type { Source, SourceRow } from '#ingest'
import { countsOf, messages, noCounts, openStoryRecords, tag } from '../support/import-records.ts'
import { type Imported, openImportSandbox } from '../support/import-sandbox.ts'
import { idOf, recordsAt } from '../support/model.ts'

const sandbox = openImportSandbox()
const { importInto, stored, storedState } = sandbox
after(() => sandbox.close())

const value = (line: number, record: object): SourceRow => ({ line, value: record, losses: [] })

/** A source of rows, in batches of two. */
const rowsOf = (path: string, rows: readonly SourceRow[]): Source => ({
  name: `rows of ${path}`,
  resource: resourceAt(catalog, path),
  bytes: null,
  input: {
    kind: 'rows',
    rows: async function* () {
      for (let at = 0; at < rows.length; at += 2) {
        yield { rows: rows.slice(at, at + 2), canonical: null }
      }
    },
  },
})

describe('rows that a caller makes', async () => {
  const records = await openStoryRecords(sandbox, 'rows.db')
  const importRows = (
    sources: readonly Source[],
    options: Parameters<typeof importInto>[2] = {},
  ): Promise<Imported> => importInto(records, {}, { ...options, sources })
  const tagIds = async () => (await stored(records, 'tags')).map(({ id }) => id)

  it('are stored and removed in one import', async () => {
    const own = await tagIds()
    await importRows([rowsOf('tags', [value(1, tag(501)), value(2, tag(502))])])
    const result = await importRows([
      rowsOf('tags', [
        { line: 1, removal: [idOf(501)] },
        value(2, tag(503)),
        value(3, tag(502, { name: 'renamed' })),
        { line: 4, removal: [idOf(599)] },
      ]),
    ])
    assert.deepEqual(result.reported, [])
    assert.deepEqual(countsOf(result), {
      tags: { ...noCounts, read: 4, added: 1, changed: 1, removed: 1 },
    })
    assert.deepEqual((await tagIds()).toSorted(), [...own, idOf(502), idOf(503)].toSorted())
  })

  it('may remove an identity twice, and in upper case', async () => {
    await importRows([rowsOf('tags', [value(1, tag(0xabc))])])
    const removal = { removal: [idOf(0xabc).toUpperCase()] }
    const lines = [1, 2, 3].map((line) => ({ line, ...removal }))
    const result = await importRows([rowsOf('tags', lines)])
    assert.deepEqual(countsOf(result), { tags: { ...noCounts, read: 3, removed: 1 } })
  })

  it('store a record that they also remove', async () => {
    const rows = [{ line: 1, removal: [idOf(504)] }, value(2, tag(504))]
    await importRows([rowsOf('tags', rows)])
    assert.ok((await tagIds()).includes(idOf(504)))
  })

  it('may remove every record of a collection, which a replacement may not', async () => {
    const before = await stored(records, 'product-tags')
    assert.ok(before.length > 0)
    const rows = before.map(({ productId, tagId }, index) => ({
      line: index + 1,
      removal: [String(productId), String(tagId)],
    }))
    const source = rowsOf('product-tags', rows)
    const result = await importRows([source], { allowRemovals: false })
    assert.deepEqual([result.written, result.reported], [true, []])
    assert.deepEqual(await stored(records, 'product-tags'), [])
    await importRows([
      rowsOf(
        'product-tags',
        before.map((record, index) => value(index + 1, record)),
      ),
    ])
  })

  it('are refused if a stored record refers to one that they remove', async () => {
    const [item] = recordsAt('order-items')
    const id = String(item?.['orderId'])
    const earlier = await storedState(records)
    const rows = [{ line: 1, removal: [id] }]
    const result = await importRows([rowsOf('orders', rows)])
    assert.deepEqual([result.written, result.refused], [false, true])
    const places = new Set(result.reported.map(([place, , value]) => `${place} ${value}`))
    assert.deepEqual([...places], [` ${id}`])
    assert.match(
      result.reported[0]?.[3] ?? '',
      /refers to this record of orders, which the import removes$/,
    )
    assert.equal(await storedState(records), earlier)

    const dry = await importRows([rowsOf('orders', rows)], { dryRun: true, allowDangling: true })
    assert.deepEqual([dry.written, dry.errors, dry.warnings > 0], [false, 0, true])
  })

  it('are refused if they refer to a record that they remove', async () => {
    const [item] = recordsAt('order-items')
    const id = String(item?.['orderId'])
    const result = await importRows([
      rowsOf('order-items', [value(1, { ...item, id: idOf(505) })]),
      rowsOf('orders', [{ line: 1, removal: [id] }]),
    ])
    assert.deepEqual(result.reported[0], [
      'rows of order-items:1',
      '/orderId',
      id,
      messages.dangling('orders'),
    ])
    assert.equal(
      result.collections.find(({ collection }) => collection === 'order-items')?.refused,
      1,
    )
  })

  for (const [name, path, removal, problem] of [
    ['an identity that is not one', 'tags', ['red'], ['/id', 'red', messages.notUuid]],
    [
      'an identity with too few parts',
      'product-tags',
      [idOf(1)],
      ['', idOf(1), 'is not an identity of product-tags, which has 2 parts: productId, tagId'],
    ],
    [
      'the record of a brand',
      'brand',
      [idOf(1)],
      ['', idOf(1), "is the brand's own record, which cannot be removed without the brand"],
    ],
  ] as const) {
    it(`cannot remove ${name}`, async () => {
      const result = await importRows([rowsOf(path, [{ line: 3, removal }])])
      assert.deepEqual(result.reported, [[`rows of ${path}:3`, ...problem]])
      assert.deepEqual(countsOf(result), { [path]: { ...noCounts, read: 1, refused: 1 } })
      assert.equal(result.written, false)
    })
  }

  it('that cannot be read any further write nothing', async () => {
    const earlier = await storedState(records)
    const failing: Source = {
      ...rowsOf('tags', []),
      input: {
        kind: 'rows',
        rows: async function* () {
          yield { rows: [value(1, tag(506))], canonical: null }
          throw new RangeError('the connection is lost')
        },
      },
    }
    await assert.rejects(importRows([failing]), /the connection is lost/)
    assert.equal(await storedState(records), earlier)
  })
})
