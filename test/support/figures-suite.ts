/** The figures of a demo brand over HTTP are those of its export. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as nextTurn } from 'node:timers/promises'
import { addDays, trendFigures } from '#contract'
import type { DemoItem } from '#demo'
import { calendarOfExport, comparableCalendar } from './calendar-model.ts'
import type { DemoBrand, DemoBrandSource } from './demo-brand.ts'
import { checkGrids, gridRows } from './grid-model.ts'
import { lists } from './model.ts'
import { SeasonRecords } from './season-records.ts'
import type { TestResponse } from './service.ts'
import {
  changedOfExport,
  comparable,
  figuresOfExport,
  isOfPeriod,
  partFigures,
  seriesOfExport,
} from './today-figures.ts'
import type { ViewRecord } from './view-model.ts'

const path = '/api/query/v1/brands/acme'

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

    const compare = (
      body: TestResponse['body'],
      figures: ReturnType<typeof figuresOfExport>,
      series: ReturnType<typeof seriesOfExport>,
    ) => {
      assert.deepEqual(Object.keys(body.figures), Object.keys(figures))
      for (const [name, figure] of Object.entries(figures)) {
        assert.deepEqual(comparable(name, body.figures[name]), figure, name)
      }
      assert.deepEqual(Object.keys(body.series), Object.keys(series))
      for (const [name, parts] of Object.entries(series)) {
        assert.deepEqual(body.series[name].map(partFigures), parts, name)
      }
    }
    const changesOf = ({ changed }: TestResponse['body']): { readonly [group: string]: number } =>
      Object.fromEntries(changed.groups.map(({ group, items }: ViewRecord) => [group, items]))
    const ownLists = lists.filter(({ scope }) => scope === 'brand').map((each) => each.path)
    const get = async (url: string): Promise<TestResponse> => {
      const response = await service.get(url, { key })
      assert.equal(response.status, 200, `${url}: ${response.text}`)
      return response
    }

    for (const distance of orders > 1_000 ? [0] : [0, 9]) {
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
        compare(body, expected, seriesOfExport(exported, day))
      })

      it(`${when} are the totals of the lists that they link to`, async () => {
        const day = addDays(madeFor, distance)
        await nextTurn()
        const { body } = await get(`${path}/today?asOf=${day}`)
        for (const [name, figure] of Object.entries<Linked>(body.figures)) {
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
        assert.deepEqual(changesOf(body), changedOfExport(exported, day, ownLists))
        const total = Object.values(changesOf(body)).reduce((sum, items) => sum + items, 0)
        assert.equal(body.changed.items, total)
      })
    }

    it('have a calendar with the dates of the open orders of its export', async () => {
      for (const distance of [0, 30]) {
        const day = addDays(madeFor, distance)
        const expected = calendarOfExport(exported, day)
        assert.ok(expected.orders.length > 0 && expected.shipments.length > 0)
        await nextTurn()
        const { body } = await get(`${path}/calendar?asOf=${day}`)
        assert.deepEqual(comparableCalendar(body), expected)
        const dates = body.orders.map(({ exFactory }: ViewRecord) =>
          String(exFactory.confirmed ?? exFactory.requested ?? '~'),
        )
        assert.deepEqual(dates, dates.toSorted())
        const { ordersOpen, ordersLate } = (await get(`${path}/today?asOf=${day}`)).body.figures
        assert.deepEqual([body.open.items, body.late.items], [ordersOpen.items, ordersLate.items])
      }
    })

    it('of receipts are those of its export on any day, with their lists', async () => {
      for (const distance of orders > 1_000 ? [-7] : [-7, -159]) {
        const day = addDays(madeFor, distance)
        const expected = figuresOfExport(exported, day)
        await nextTurn()
        const { figures } = (await get(`${path}/today?asOf=${day}`)).body
        for (const name of Object.keys(figures).filter(isOfPeriod)) {
          assert.deepEqual(comparable(name, figures[name]), expected[name], `${name} ${day}`)
          const list = await get(`${figures[name].url}&limit=1`)
          assert.equal(list.body.totalItems, figures[name].items, `${name} ${day}`)
        }
      }
    })

    it('of colours and sizes are those of its export', async () => {
      const records = new SeasonRecords(
        ownLists.flatMap((group) =>
          exported.all(group).map((record) => ({ path: group, record }) as DemoItem),
        ),
      )
      let cells = 0
      for (const [group, rowsOf] of Object.entries(gridRows)) {
        const all = records.all(group)
        const step = Math.ceil(all.length / 12)
        for (const record of all.filter((_, at) => at % step === 0)) {
          await nextTurn()
          const { body } = await get(`${path}/${group}/${record['id']}/grid`)
          cells += checkGrids(records, rowsOf(records, record), body, `${group} ${record['id']}`)
        }
      }
      assert.ok(cells > 200, String(cells))
    })

    if (orders > 1_000) return

    it('of yesterday are those of its snapshot, since nothing has happened today', async () => {
      const day = addDays(madeFor, -1)
      const expected = figuresOfExport(exported, day)
      await nextTurn()
      const { body } = await get(`${path}/today?asOf=${day}`)
      compare(body, expected, seriesOfExport(exported, day))
      const { orders: changed = 0 } = changedOfExport(exported, day, ownLists)
      assert.equal(changesOf(body)['orders'] ?? 0, changed)
      assert.equal(body.figures.ordersOpen.url, undefined)
    })

    it('are known of the 90 days before, each compared with the week before it', async () => {
      const { figures } = (await get(`${path}/today`)).body
      const then = (await get(`${path}/today?asOf=${addDays(madeFor, -7)}`)).body.figures
      for (const [name, { weekAgo }] of Object.entries<ViewRecord>(figures)) {
        const { items, sum } = then[name]
        assert.deepEqual(weekAgo, { items, ...(sum && { sum }) }, name)
      }
      const earliest = await get(`${path}/today?asOf=${addDays(madeFor, -90)}`)
      assert.equal(typeof earliest.body.figures.stockOut.items, 'number')
      const { stockOut } = (await get(`${path}/today?asOf=${addDays(madeFor, -91)}`)).body.figures
      assert.equal(stockOut.items, null)
      assert.match(stockOut.reason, /No snapshot was taken/)
    })

    it('over time are those of each day, and null with a reason before the first snapshot', async () => {
      const { days, ...brand } = (await get(`${path}/today/trend?days=100`)).body
      assert.deepEqual(brand, {
        timezone: exported.timezone,
        baseCurrency: exported.baseCurrency,
      })
      const expected = Array.from({ length: 100 }, (_, at) => addDays(madeFor, at - 99))
      assert.deepEqual(
        days.map(({ day }: ViewRecord) => day),
        expected,
      )
      for (const at of [0, 8, 9, 40, 98, 99]) {
        const { day, figures } = days[at]
        const on = (await get(`${path}/today?asOf=${day}`)).body.figures
        assert.deepEqual(Object.keys(figures), trendFigures)
        for (const [name, figure] of Object.entries<ViewRecord>(figures)) {
          const { items, reason, sum } = on[name]
          assert.deepEqual(figure, { items, ...(reason && { reason }), ...(sum && { sum }) }, day)
          assert.equal(items === null, at < 9, day)
        }
      }
      const model = figuresOfExport(exported, madeFor)
      for (const name of trendFigures) {
        const { items, sum } = model[name] as ViewRecord
        assert.deepEqual(days[99].figures[name], { items, ...(sum && { sum }) }, name)
      }
    })

    it('over time leave out groups that a key may not read', async () => {
      const rights = { expiresAt: null, perSecond: null, burst: null, onlyGroups: ['orders'] }
      const { key: limited } = await service.records.keys.issue({
        ...{ name: 'limited', brands: ['acme'], global: false },
        ...rights,
      })
      const url = `${path}/today/trend?days=30`
      const { days } = (await service.get(url, { key: limited })).body
      const whole = (await get(url)).body.days
      for (const [at, { figures, day }] of days.entries()) {
        const { ordersLate, ...others } = figures
        assert.deepEqual(ordersLate, whole[at].figures.ordersLate, day)
        for (const { items } of Object.values<ViewRecord>(others)) {
          assert.equal(items, at === days.length - 1 ? 0 : null, day)
        }
      }
      assert.ok(days.length > 1)
    })

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
