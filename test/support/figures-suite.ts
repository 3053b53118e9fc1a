/** The figures of a demo brand over HTTP are those of its export. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as nextTurn } from 'node:timers/promises'
import { addDays } from '#contract'
import type { DemoBrand, DemoBrandSource } from './demo-brand.ts'
import { lists } from './model.ts'
import type { TestResponse } from './service.ts'
import {
  changedOfExport,
  comparable,
  figuresOfExport,
  partFigures,
  seriesOfExport,
} from './today-figures.ts'

const path = '/api/query/v1/brands/acme'

/** Days from the one that the demo's records were made for. */
const distances = [0, -1, 9, -159]

interface Linked {
  readonly url: string
  readonly items: number
}

export const figuresSuite = ({ orders, open }: DemoBrandSource): void => {
  describe(`the figures of a demo brand with ${orders} orders`, () => {
    let service: DemoBrand['service']
    let key: string
    let exported: DemoBrand['exported']
    let madeFor: string

    before(async () => {
      const brand = await open()
      service = brand.service
      key = brand.key
      exported = brand.exported
      madeFor = (await get(`${path}/today`)).body.asOf
    })

    const get = async (url: string): Promise<TestResponse> => {
      const response = await service.get(url, { key })
      assert.equal(response.status, 200, `${url}: ${response.text}`)
      return response
    }

    for (const distance of orders > 1_000 ? distances.slice(0, 2) : distances) {
      const when = `${distance} days from today`
      it(`${when} equal those of its export`, async () => {
        const day = addDays(madeFor, distance)
        const expected = figuresOfExport(exported, day)
        // Working them out takes seconds, in which the connection may have been closed.
        await nextTurn()
        const { body } = await get(`${path}/today?asOf=${day}`)
        assert.equal(body.asOf, day)
        assert.equal(body.timezone, exported.timezone)
        assert.equal(body.baseCurrency, exported.baseCurrency)
        assert.deepEqual(Object.keys(body.figures), Object.keys(expected))
        for (const [name, figure] of Object.entries(expected)) {
          assert.deepEqual(comparable(name, body.figures[name]), figure, name)
        }
        const parts = seriesOfExport(exported, day)
        assert.deepEqual(Object.keys(body.series), Object.keys(parts))
        for (const [name, expectedParts] of Object.entries(parts)) {
          const actual = body.series[name].map(partFigures)
          assert.deepEqual(actual, expectedParts, name)
        }
      })

      it(`${when} are the totals of the lists that they link to`, async () => {
        const day = addDays(madeFor, distance)
        await nextTurn()
        const { body } = await get(`${path}/today?asOf=${day}`)
        for (const [name, figure] of Object.entries<{ url: string; items: number }>(body.figures)) {
          const list = await get(`${figure.url}&limit=1`)
          assert.equal(list.body.totalItems, figure.items, name)
        }
        for (const parts of Object.values<Linked[]>(body.series)) {
          for (const part of parts) {
            const list = await get(`${part.url}&limit=1`)
            assert.equal(list.body.totalItems, part.items, part.url)
          }
        }
        for (const { url, items } of body.changed.groups) {
          assert.equal((await get(`${url}&limit=1`)).body.totalItems, items, url)
        }
      })

      it(`${when} count the records that were changed since the day before`, async () => {
        const day = addDays(madeFor, distance)
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
      await nextTurn()
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
