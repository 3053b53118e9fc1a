/** The figures of a demo brand over HTTP are those of its export. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as nextTurn } from 'node:timers/promises'
import { openSandbox, type Sandbox } from './command.ts'
import { lists } from './model.ts'
import { openTestService, type TestResponse, type TestService } from './service.ts'
import {
  changedOfExport,
  type ExportedBrand,
  figuresOfExport,
  readExport,
} from './today-figures.ts'

const path = '/api/query/v1/brands/acme'

/** Days around the one that the demo's records were made for. */
const days = ['2026-06-01', '2026-05-31', '2026-06-10', '2025-12-24']

export const figuresSuite = (orders: number): void => {
  describe(`the figures of a demo brand with ${orders} orders`, () => {
    let sandbox: Sandbox
    let service: TestService
    let key: string
    let exported: ExportedBrand

    before(async () => {
      sandbox = openSandbox()
      const made = ['demo', '--brand', 'acme', '--orders', String(orders - 1)]
      assert.equal((await sandbox.run(made)).code, 0)
      const out = join(sandbox.folder, 'out')
      const ran = await sandbox.run(['export', out, '--brand', 'acme', '--format', 'ndjson'])
      assert.equal(ran.code, 0, ran.stderr)
      exported = readExport(out)
      service = await openTestService({ DATABASE_URL: sandbox.databaseUrl }, { story: false })
      key = await service.key('acme')
    })
    after(async () => {
      await service?.close()
      sandbox?.close()
    })

    /** On a busy machine a list may take longer than it may, and its response says to try again. */
    const get = async (url: string, triesLeft = 5): Promise<TestResponse> => {
      const response = await service.get(url, { key })
      const isBusy = response.body?.errorCode === 'store_unavailable'
      return isBusy && triesLeft > 0 ? get(url, triesLeft - 1) : response
    }

    for (const day of orders > 1_000 ? days.slice(0, 2) : days) {
      it(`on ${day} equal those of its export`, async () => {
        const expected = figuresOfExport(exported, day)
        // Working them out takes seconds, in which the connection may have been closed.
        await nextTurn()
        const { status, body } = await get(`${path}/today?asOf=${day}`)
        assert.equal(status, 200)
        assert.equal(body.asOf, day)
        assert.equal(body.timezone, exported.timezone)
        assert.equal(body.baseCurrency, exported.baseCurrency)
        assert.deepEqual(Object.keys(body.figures), Object.keys(expected))
        for (const [name, figure] of Object.entries(expected)) {
          const { url, earliest, ...actual } = body.figures[name]
          assert.deepEqual(actual, figure, name)
        }
      })

      it(`on ${day} are the totals of the lists that they link to`, async () => {
        const { body } = await get(`${path}/today?asOf=${day}`)
        for (const [name, figure] of Object.entries<{ url: string; items: number }>(body.figures)) {
          const list = await get(`${figure.url}&limit=1`)
          assert.equal(list.status, 200, `${name} ${list.text}`)
          assert.equal(list.body.totalItems, figure.items, name)
        }
        for (const { url, items } of body.changed.groups) {
          assert.equal((await get(`${url}&limit=1`)).body.totalItems, items, url)
        }
      })

      it(`on ${day} count the records that were changed since the day before`, async () => {
        const { body } = await get(`${path}/today?asOf=${day}`)
        const own = lists.filter(({ scope }) => scope === 'brand').map((each) => each.path)
        const expected = changedOfExport(exported, day, own)
        const actual = body.changed.groups.map(
          ({ group, items }: { group: string; items: number }) => [group, items],
        )
        assert.deepEqual(Object.fromEntries(actual), expected)
        const total = Object.values(expected).reduce((sum, items) => sum + items, 0)
        assert.equal(body.changed.items, total)
      })
    }

    it('add up to the amounts of the invoices, whichever way they are grouped', async () => {
      const whole = await get(`${path}/invoices/summary?sum=totalAmount,balanceAmount`)
      assert.equal(whole.body.totalItems, exported.all('invoices').length)
      for (const by of [
        'status',
        'kind,currency',
        'invoiceDate:month',
        'dueDate:ageing,partnerId',
      ]) {
        const { body } = await get(`${path}/invoices/summary?sum=totalAmount&by=${by}`)
        const items = body.groups.reduce(
          (sum: number, each: { items: number }) => sum + each.items,
          0,
        )
        assert.equal(items, whole.body.totalItems, by)
        assert.deepEqual(body.total.sum.totalAmount, whole.body.total.sum.totalAmount, by)
      }
    })
  })
}
