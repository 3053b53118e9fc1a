/** Days of the query API begin at midnight in the time zone of the brand, to the millisecond. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { queryBasePath } from '#contract'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const brand = 'auckland'
let service: TestService
let key: string

/** Midnight of these days in Auckland, 12 hours before that of UTC. */
const startOf = {
  '2026-05-26': '2026-05-25T12:00:00.000Z',
  '2026-05-31': '2026-05-30T12:00:00.000Z',
  '2026-06-01': '2026-05-31T12:00:00.000Z',
} as const

const justBefore = (instant: string): string => new Date(Date.parse(instant) - 1).toISOString()

before(async () => {
  // Noon of 2026-06-01 in Auckland.
  service = await openTestService({}, { now: () => Date.parse('2026-06-01T00:00:00.000Z') })
  key = await service.key()
  const [tag = {}] = recordsAt('tags')
  const [order = {}] = recordsAt('orders')
  const [receipt = {}] = recordsAt('goods-receipts')
  const [line = {}] = recordsAt('goods-receipt-lines')
  const times = Object.values(startOf).flatMap((start) => [start, justBefore(start)])
  const short = { ...line, expectedQuantity: 9, receivedQuantity: 8 }
  // What has changed long ago, so that only tags are counted as changed.
  const long = '2020-01-01T00:00:00.000Z'
  const old = { createdAt: long, updatedAt: long }
  const tags = times.map((updatedAt, number) => ({ ...tag, id: idOf(number), updatedAt }))
  // Another brand has changed the same.
  await service.write('elsewhere', { brand: [brandRecord('elsewhere', 2)], tags })
  await service.write(brand, {
    brand: [{ ...brandRecord(brand, 1), ...old, timezone: 'Pacific/Auckland' }],
    tags,
    orders: [
      { confirmedExFactoryDate: '2026-05-29', requestedExFactoryDate: '2026-04-01' },
      { confirmedExFactoryDate: null, requestedExFactoryDate: '2026-05-30' },
      { confirmedExFactoryDate: '2026-06-01', requestedExFactoryDate: '2026-05-01' },
    ].map((dates, number) => ({
      ...order,
      ...old,
      ...dates,
      id: idOf(number),
      orderNumber: `PO-${number}`,
      status: 'confirmed',
      deletedAt: null,
    })),
    'goods-receipts': [startOf['2026-05-26'], justBefore(startOf['2026-05-26'])].map(
      (receivedAt, number) => ({
        ...receipt,
        ...old,
        id: idOf(number),
        receivedAt,
        status: 'completed',
        deletedAt: null,
      }),
    ),
    'goods-receipt-lines': [0, 1].map((number) => ({
      ...short,
      ...old,
      id: idOf(number),
      goodsReceiptId: idOf(number),
    })),
  })
})
after(() => service.close())

const get = async (rest: string) => {
  const answer = await service.get(`${queryBasePath}/brands/${brand}/${rest}`, { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

describe('a day of the query API', () => {
  it('is, as a bound of times, its first instant in the time zone of the brand', async () => {
    for (const [day, start] of Object.entries(startOf)) {
      for (const is of ['gte', 'lt']) {
        const byDay = await get(`tags?updatedAt.${is}=${day}`)
        const byTime = await get(`tags?updatedAt.${is}=${start}`)
        assert.deepEqual(byDay.items, byTime.items, `${is} ${day}`)
        assert.ok(byDay.totalItems > 0 && byDay.totalItems < 6)
      }
    }
  })

  it('is counted from the date that a late order had first of all', async () => {
    const { figures } = await get('today?asOf=2026-06-01')
    assert.equal(figures.ordersLate.items, 2)
    const first = figures.ordersLate.first.map(
      ({ title, date, days }: { title: string; date: string; days: number }) => [title, date, days],
    )
    assert.deepEqual(first, [
      ['PO-0', '2026-05-29', 3],
      ['PO-1', '2026-05-30', 2],
    ])
  })

  it('is the first of the seven on which receipts are recent', async () => {
    const { figures } = await get('today?asOf=2026-06-01')
    assert.equal(figures.receiptsShort.items, 1)
    assert.equal((await get(figures.receiptsShort.url.split(`${brand}/`)[1])).totalItems, 1)
    assert.equal((await get('today?asOf=2026-06-02')).figures.receiptsShort.items, 0)
  })

  it('is the last of the seven on which receipts are recent, today and on any past day', async () => {
    const shortOn = async (day: string) => (await get(`today?asOf=${day}`)).figures.receiptsShort
    const on25 = await shortOn('2026-05-25')
    assert.equal(on25.items, 1)
    assert.equal((await get(on25.url.split(`${brand}/`)[1])).totalItems, 1)
    assert.equal((await shortOn('2026-05-26')).items, 2)
    assert.equal((await shortOn('2026-05-24')).items, 0)
    assert.deepEqual((await shortOn('2026-06-02')).weekAgo, { items: 2 })
    assert.deepEqual((await shortOn('2026-06-01')).weekAgo, { items: 1 })
  })

  it('is the one before today from whose beginning on changes are counted', async () => {
    const { changed } = await get('today?asOf=2026-06-01')
    assert.equal(changed.since, startOf['2026-05-31'])
    const tags = changed.groups.find(({ group }: { group: string }) => group === 'tags')
    // From its first instant on: that one, and both around the beginning of today.
    assert.equal(tags.items, 3)
  })
})
