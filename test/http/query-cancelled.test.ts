/** A client that leaves ends the work on its request, whatever it has asked the query API for. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { catalog, queryBasePath, resourceAt } from '#contract'
import { type Database, ReadCancelledError } from '#database'
import { until } from '../support/cluster.ts'
import { idOf, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const rows = 4_000

/** What is read in steps, and so many of them at least. */
const requests: { readonly [name: string]: { readonly path: string; readonly steps: number } } = {
  'a list with a wide range': { path: 'order-items?qty.gte=10&category=A', steps: 4 },
  'a summary': { path: 'order-items/summary?sum=qty,unitPrice&by=category', steps: 4 },
  'a download': { path: 'order-items/download?format=ndjson', steps: 4 },
  'a search that finds long records': { path: 'search?q=LONG', steps: 2 },
  'the figures of the day': { path: 'today', steps: 2 },
}

describe('a request of the query API whose client has left', () => {
  let service: TestService
  let database: Database
  let readInSteps: Database['readInSteps']

  before(async () => {
    service = await openTestService()
    database = service.records.database
    readInSteps = database.readInSteps
    const [item = {}] = recordsAt('order-items')
    const [order = {}] = recordsAt('orders')
    await service.records.store.write('aldermoor', async (writer) => {
      const items = Array.from({ length: rows }, (_, n) => ({
        ...item,
        id: idOf(n),
        qty: n % 100,
        category: n % 2 ? 'A' : 'B',
      }))
      const long = { ...order, id: idOf(1), orderNumber: 'LONG-1', memo: 'x'.repeat(40_000) }
      for (const [path, records] of [
        ['orders', [long]],
        ['order-items', items],
      ] as const) {
        await writer.stage(resourceAt(catalog, path), records as never)
        await writer.merge(resourceAt(catalog, path))
      }
    })
  })
  after(() => service.close())

  for (const [name, { path, steps: least }] of Object.entries(requests)) {
    it(`is not worked on any further: ${name}`, async () => {
      const gate = Promise.withResolvers<void>()
      let steps = 0
      let hasLeft: (() => boolean) | undefined
      let read: Promise<unknown> | undefined
      database.readInSteps = (owner, isCancelled, work, options) => {
        hasLeft = isCancelled
        const result = readInSteps(
          owner,
          isCancelled,
          (own) =>
            work({
              stepMs: own.stepMs,
              // Pieces stay small, so that there are many.
              tookMs: own.stepMs,
              all: async (query) => {
                steps += 1
                if (steps >= least) await gate.promise
                return own.all(query)
              },
            }),
          options,
        )
        read = result
        return result
      }
      const url = `${service.url}${queryBasePath}/brands/aldermoor/${path}`
      const authorization = `Bearer ${await service.key('aldermoor')}`
      const client = request(url, { headers: { authorization } }, (response) => response.resume())
      client.once('error', () => undefined)
      client.end()
      try {
        await until(() => steps >= least)
        assert.equal(hasLeft?.(), false)
        client.destroy()
        await until(() => hasLeft?.() === true)
        const begun = steps
        gate.resolve()
        await assert.rejects(read ?? Promise.resolve(), ReadCancelledError)
        // Nothing is begun again for it either.
        await new Promise((resolve) => setImmediate(resolve))
        assert.equal(steps, begun)
      } finally {
        database.readInSteps = readInSteps
      }
    })
  }
})
