/** A download has the records of its list, in its order, from one state. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Resource } from '#contract'
import { QueryTimeoutError, ReadCancelledError } from '#database'
import type { DownloadRequest } from '../../../src/store/query/download.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import type { Store } from '../../../src/store/store.ts'
import type { ModelRecord } from '../../support/condition-model.ts'
import { evaluate, keyOf, type ModelQuery } from '../../support/query-model.ts'
import { type OpenedForStore, uuid } from '../store/samples.ts'
import { drawQueries, sorts } from './cases.ts'
import { fill, kindOf, named, openSampled, requestOf } from './lists.ts'
import { drawSamples, parcels } from './samples.ts'

export const downloadConformance = (
  name: string,
  count: number,
  open: () => Promise<OpenedForStore>,
): void => {
  describe(`a download of ${count} records on ${name}`, () => {
    let store: Store
    let close: () => Promise<void>
    const samples = drawSamples(21, count)
    const others = { stops: samples.stops, colours: named, parcels: samples.parcels }
    before(async () => {
      ;({ store, close } = await openSampled(open, samples, drawSamples(22, Math.round(count / 2))))
    })
    after(() => close())

    const downloadOf = (
      query: ModelQuery,
      more: Partial<DownloadRequest> = {},
      resource: Resource = parcels,
    ): DownloadRequest => {
      const { brand, filters, where, ids, sort, fields } = requestOf(resource, query)
      const selection = { resource, brand, filters, where, ids, sort, fields }
      return { ...selection, timeMs: 60_000, isCancelled: () => false, ...more }
    }
    const read = (request: DownloadRequest, onBatch?: (read: number) => Promise<void>) =>
      store.download(request, async (download) => {
        const records: ModelRecord[] = []
        for await (const bodies of download.bodies()) {
          records.push(...bodies.map((body) => JSON.parse(decodeBody(body))))
          await onBatch?.(records.length)
        }
        return { total: download.total, records }
      })

    it('has what an evaluation in memory has: orders, conditions, and both together', async () => {
      const queries = [...drawQueries(25, 20), ...sorts.map((sort): ModelQuery => ({ sort })), {}]
      for (const query of queries) {
        const wanted = evaluate(parcels, samples.parcels, others, query, kindOf)
        const { total, records } = await read(downloadOf(query))
        assert.equal(total, wanted.length, JSON.stringify(query))
        assert.deepEqual(records, wanted, JSON.stringify(query))
      }
    })

    it('has the records of identities, and only the fields that are wanted', async () => {
      const ids = [...samples.parcels.slice(0, 3).map((each) => keyOf(parcels, each)), [uuid(9)]]
      const { total, records } = await read(downloadOf({ ids }, { fields: ['id', 'name'] }))
      assert.equal(total, 3)
      const wanted = evaluate(parcels, samples.parcels, others, { ids }, kindOf)
      assert.deepEqual(
        records,
        wanted.map(({ id, name: own }) => ({ id, name: own })),
      )
    })

    it('does not change while it is read, whatever is written in the meantime', async () => {
      const before = await read(downloadOf({ sort: { field: 'name', isDescending: true } }))
      let hasWritten = false
      const during = await read(
        downloadOf({ sort: { field: 'name', isDescending: true } }),
        async () => {
          if (hasWritten) return
          hasWritten = true
          await store.write('acme', async (writer) => {
            await writer.stage(parcels, samples.parcels.slice(0, 5) as never)
            await writer.merge(parcels, { replace: true })
          })
        },
      )
      assert.ok(hasWritten)
      assert.deepEqual(during, before)
      assert.equal((await read(downloadOf({}))).total, 5)
      await fill(store, 'acme', { parcels: samples.parcels })
    })

    it('knows fields of records of its own brand and of shared ones, and of no others', async () => {
      const titles = await store.download(downloadOf({}), ({ values }) =>
        values('colours', [uuid(1), uuid(2), uuid(77)], ['name', 'none']),
      )
      assert.deepEqual([...titles].sort(), [
        [uuid(1), ['red', null]],
        [uuid(2), ['blue', null]],
      ])
      const own = samples.parcels.map((record) => String(record['id']))
      const foreign = await store.download(
        downloadOf({}, { brand: 'nobody' }),
        async ({ total, values }) => [total, (await values('parcels', own, ['label'])).size],
      )
      assert.deepEqual(foreign, [0, 0])
    })

    it('ends when it is cancelled, when its time is over, and when its reader fails', async () => {
      let isCancelled = false
      const cancelled = read(downloadOf({}, { isCancelled: () => isCancelled }), async () => {
        isCancelled = true
      })
      // A list that fits into one statement has been read by then.
      if (count > 50) await assert.rejects(cancelled, ReadCancelledError)
      else await cancelled
      const late = read(downloadOf({}, { timeMs: 1 }), async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
      })
      await assert.rejects(late, QueryTimeoutError)
      const failed = read(downloadOf({}), async () => {
        throw new RangeError('The reader has failed.')
      })
      await assert.rejects(failed, /The reader has failed/)
      assert.equal((await read(downloadOf({}))).total, count)
    })
  })
}
