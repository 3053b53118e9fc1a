import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { type DatabaseError, openDatabase, QueryTimeoutError, ReadCancelledError } from '#database'
import { createStore, type QueryRequest } from '#store'
import { createOrderedKeys, createOrderedLists } from '../../src/store/query/ordered-keys.ts'
import { decodeBody } from '../../src/store/read/body.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'

const digitsOf = (ids: readonly string[]) => ids.map((id) => id.replaceAll('-', '')).join()

describe('identities in the order of a list', () => {
  // Not in the order of the identities, and two that differ in their last bytes alone.
  const ids = [idOf(7), idOf(3), idOf(4), idOf(9_000)]
  const keys = createOrderedKeys(digitsOf(ids))

  it('follow the one that is named', () => {
    assert.deepEqual(keys.after(null, 2), [[idOf(7)], [idOf(3)]])
    assert.deepEqual(keys.after([idOf(3)], 2), [[idOf(4)], [idOf(9_000)]])
    assert.deepEqual(keys.after([idOf(4)], 9), [[idOf(9_000)]])
    assert.deepEqual(keys.after([idOf(9_000)], 9), [])
  })

  it('are not known after one that is not among them', () => {
    assert.equal(keys.after([idOf(5)], 2), null)
    assert.deepEqual(createOrderedKeys('').after(null, 2), [])
  })

  it('are kept for one version, and the oldest are evicted', () => {
    const lists = createOrderedLists(keys.bytes * 2)
    lists.set('a', '1', keys)
    lists.set('b', '1', keys)
    assert.equal(lists.get('a', '1'), keys)
    assert.equal(lists.get('b', '2'), undefined)
    assert.equal(lists.get('b', '1'), undefined)
    lists.set('b', '2', keys)
    lists.set('c', '1', keys)
    assert.equal(lists.get('a', '1'), undefined)
    assert.deepEqual([lists.get('b', '2'), lists.get('c', '1')], [keys, keys])
  })
})

describe('a list that few of many records belong to', () => {
  it('is put in order once, and its pages are read by their identities until it changes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-ordered-'))
    const database = openDatabase(`sqlite:${join(folder, 'test.db')}`, { queryMs: 60_000 })
    try {
      const store = await createStore(catalog, database)
      const resource = resourceAt(catalog, 'order-items')
      const [sample = {}] = recordsAt('order-items')
      const items = Array.from({ length: 6_000 }, (_, n) => ({
        ...sample,
        id: idOf(n),
        qty: (n * 7) % 6_000,
      }))
      await store.write('acme', async (writer) => {
        await writer.stage(resourceAt(catalog, 'brand'), [brandRecord('acme', 1)] as never)
        await writer.merge(resourceAt(catalog, 'brand'))
        await writer.stage(resource, items as never)
        await writer.merge(resource)
      })
      let longReads = 0
      let sorts = 0
      let failure: DatabaseError | null = null
      const { readInSteps } = database
      database.readInSteps = (owner, isCancelled, work) => {
        longReads += 1
        return readInSteps(owner, isCancelled, (steps) =>
          work({
            stepMs: steps.stepMs,
            tookMs: steps.stepMs,
            all: (query) => {
              if (query.text.includes('lower(hex(')) {
                sorts += 1
                if (failure) throw failure
              }
              return steps.all(query)
            },
          }),
        )
      }
      const request: QueryRequest = {
        resource,
        brand: 'acme',
        filters: new Map(),
        where: [{ kind: 'compare', field: 'qty', is: 'lt', value: 1_050 }],
        ids: null,
        sort: { field: 'updatedAt', isDescending: true },
        fields: null,
        limit: 100,
        after: null,
        include: [],
      }
      const walk = async () => {
        const ids: string[] = []
        for (let after: QueryRequest['after'] = null; ; ) {
          const page = await store.query({ ...request, after })
          assert.equal(page.total, 1_050)
          ids.push(...JSON.parse(`[${decodeBody(page.items)}]`).map(({ id }: { id: string }) => id))
          if (!page.next) return ids
          after = page.next
        }
      }
      // All were updated at the same time, so that the identity decides.
      const expected = items
        .filter(({ qty }) => qty < 1_050)
        .map(({ id }) => id)
        .sort()
        .reverse()
      assert.deepEqual(await walk(), expected)
      assert.equal(longReads, 1)
      assert.deepEqual(await walk(), expected)
      assert.equal(longReads, 1)
      const update = (id: string, updatedAt: string) =>
        store.write('acme', async (writer) => {
          const record = items.find((each) => each.id === id)
          await writer.stage(resource, [{ ...record, updatedAt }] as never)
          await writer.merge(resource)
        })
      const [moved = '', other = ''] = expected
      await update(moved, '2020-01-01T00:00:00.000Z')
      assert.deepEqual(await walk(), [...expected.slice(1), moved])

      // A client that goes away says nothing about the list.
      await update(other, '2019-01-01T00:00:00.000Z')
      failure = new ReadCancelledError('The client has closed its connection.')
      await assert.rejects(walk(), ReadCancelledError)
      failure = null
      sorts = 0
      assert.deepEqual(await walk(), [...expected.slice(2), moved, other])
      assert.equal(sorts, 1)

      // Where that takes longer than a read may, the list is walked through instead.
      await update(other, '2018-01-01T00:00:00.000Z')
      failure = new QueryTimeoutError('Too slow.')
      sorts = 0
      assert.deepEqual(await walk(), [...expected.slice(2), moved, other])
      assert.equal(sorts, 1)
    } finally {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
