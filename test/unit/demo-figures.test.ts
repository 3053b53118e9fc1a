/** What a morning looks like in the demo that `npm start` shows: like one of a real brand. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addDays } from '#contract'
import { type DemoRecord, season } from '#demo'
import { SeasonRecords, today } from '../support/season-records.ts'

const set = new SeasonRecords([...season({ brand: 'aldermoor', orders: 200, seed: 1 })])
const notDeleted = (record: DemoRecord) => record['deletedAt'] === null
const orders = set.all('orders').filter(notDeleted)
const ofStatus = (records: readonly DemoRecord[], ...statuses: readonly string[]) =>
  records.filter(({ status }) => statuses.includes(String(status)))
const isBefore = (day: string) => (value: unknown) => typeof value === 'string' && value < day
const beforeToday = isBefore(today)
const between = (count: number, least: number, most: number) =>
  assert.ok(count >= least && count <= most, `${count} is not from ${least} to ${most}`)
const percentOf = (part: readonly unknown[], whole: readonly unknown[]) =>
  (100 * part.length) / whole.length

const open = ofStatus(
  orders,
  ...['sent', 'confirmed', 'in_production', 'partially_shipped', 'shipped'],
)
const atSupplier = open.filter(({ status }) => status !== 'shipped')
const late = atSupplier.filter((order) =>
  beforeToday(order['confirmedExFactoryDate'] ?? order['requestedExFactoryDate']),
)

describe('the demo of 200 orders', () => {
  it('has orders in statuses of believable shares, none of them a round number of all', () => {
    const counts = Map.groupBy(orders, ({ status }) => status)
    between(percentOf(open, orders), 30, 50)
    between(percentOf(counts.get('closed') ?? [], orders), 30, 50)
    const sizes = [...counts.values()].map((each) => each.length)
    assert.ok(sizes.filter((size) => size % 10 !== 0).length >= 6, `${sizes}`)
  })

  it('has 5 to 12 % of its open orders late, by some days and by some weeks', () => {
    between(percentOf(late, open), 5, 12)
    const weekAgo = isBefore(addDays(today, -7))
    const byWeeks = late.filter((order) => weekAgo(order['confirmedExFactoryDate']))
    between(byWeeks.length, 1, late.length - 1)
  })

  it('received most orders in time, but not all', () => {
    const received = ofStatus(orders, 'received', 'closed')
    const inTime = received.filter((order) => {
      const shipments = set.of('order-shipments', 'orderId', order['id'])
      const receipts = shipments.flatMap(({ shipmentId }) =>
        set.of('goods-receipts', 'shipmentId', shipmentId),
      )
      const last =
        receipts
          .map(({ receivedAt }) => String(receivedAt))
          .sort()
          .at(-1) ?? ''
      return last.slice(0, 10) <= String(order['requestedDeliveryDate'])
    })
    between(percentOf(inTime, received), 75, 92)
  })

  it('has a few delayed shipments among those on the way', () => {
    const undelivered = ofStatus(
      set.all('shipments'),
      ...['planned', 'booked', 'ready', 'in_transit', 'customs', 'arrived'],
    )
    const delayed = undelivered.filter(
      (each) =>
        (each['actualDepartureAt'] === null && beforeToday(each['estimatedDepartureAt'])) ||
        (each['actualArrivalAt'] === null && beforeToday(each['estimatedArrivalAt'])),
    )
    between(delayed.length, 2, 8)
    between(percentOf(delayed, undelivered), 3, 15)
  })

  it('counted short in 1 to 3 receipts of the last week, and found damage in some', () => {
    const from = addDays(today, -6)
    const recent = ofStatus(set.all('goods-receipts'), 'completed').filter(
      ({ receivedAt }) => String(receivedAt) >= from,
    )
    const having = (is: (line: DemoRecord) => boolean) =>
      recent.filter(({ id }) => set.of('goods-receipt-lines', 'goodsReceiptId', id).some(is))
    const short = having(
      (line) => Number(line['receivedQuantity']) < Number(line['expectedQuantity']),
    )
    between(short.length, 1, 3)
    between(having((line) => Number(line['damagedQuantity']) > 0).length, 1, 4)
    assert.ok(recent.length >= 2 * short.length, `${recent.length} receipts`)
  })

  it('has 5 to 10 % of its unpaid invoices overdue, and some in dispute', () => {
    const unpaid = ofStatus(
      set.all('invoices'),
      ...['received', 'approved', 'partially_paid', 'disputed'],
    ).filter(({ balanceAmount }) => Number(balanceAmount) > 0)
    between(
      percentOf(
        unpaid.filter(({ dueDate }) => beforeToday(dueDate)),
        unpaid,
      ),
      5,
      10,
    )
    between(ofStatus(unpaid, 'disputed').length, 2, 8)
  })

  it('is out of stock of some SKUs, most of which are on their way', () => {
    const levels = set.all('inventory')
    const out = levels.filter((level) => Number(level['availableQuantity']) <= 0)
    between(percentOf(out, levels), 3, 30)
    const incoming = out.filter((level) => Number(level['incomingQuantity']) > 0)
    between(percentOf(incoming, out), 50, 99)
  })

  it('has a certificate that has expired unnoticed, and two that are about to', () => {
    const inUse = ofStatus(set.all('documents'), 'received', 'in_review', 'approved')
    const expired = inUse.filter(({ expiryDate }) => beforeToday(expiryDate))
    const inAMonth = isBefore(addDays(today, 31))
    assert.equal(expired.length, 1)
    assert.equal(inUse.filter(({ expiryDate }) => inAMonth(expiryDate)).length - expired.length, 2)
  })

  it('flew some goods that would have come too late by sea', () => {
    const flown = set
      .all('notes')
      .filter(({ body }) => String(body).startsWith('Flown instead of shipped by sea'))
    between(flown.length, 1, 10)
    for (const { shipmentId } of flown) {
      assert.equal(set.get('shipments', shipmentId)['mode'], 'air')
    }
  })

  it('changed in some of its records since yesterday', () => {
    const yesterday = addDays(today, -1)
    const changed = set.items.filter(
      ({ record }) => String(record['updatedAt'] ?? record['createdAt']) >= yesterday,
    )
    between(percentOf(changed, set.items), 0.5, 8)
    const groups = new Set(changed.map(({ path }) => path))
    for (const path of ['orders', 'shipments', 'invoices', 'payments', 'inventory'] as const) {
      assert.ok(groups.has(path), path)
    }
  })
})
