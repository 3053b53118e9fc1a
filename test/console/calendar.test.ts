/** The weeks of the calendar of open orders, and its groups. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Calendar } from '../../client/src/index.ts'
import {
  type CalendarChoice,
  chosenOf,
  groupsOf,
  leavingByWeek,
  linesOf,
  ordersOf,
} from '../../console/src/calendar/calendar.ts'
import { mondaysOf, placeOf, weekAt, weeksAround } from '../../console/src/calendar/weeks.ts'

describe('the weeks of a calendar', () => {
  it('begin on Mondays, also over the end of a year with 53 weeks', () => {
    // The first of January 2027 is a Friday, in the week 53 of 2026.
    const weeks = weeksAround('2027-01-01', [])
    assert.deepEqual(mondaysOf(weeks).slice(0, 5), [
      ...['2026-12-14', '2026-12-21', '2026-12-28', '2027-01-04', '2027-01-11'],
    ])
    assert.equal(weeks.count, 11)
    assert.equal(weekAt(weeks, '2027-01-03'), 2)
    assert.equal(weekAt(weeks, '2027-01-04'), 3)
  })

  it('have seven days, also when clocks change, and a leap day', () => {
    const weeks = weeksAround('2028-02-29', ['2028-11-12'])
    // Clocks go forward on 26 March and 12 March 2028, and back on 29 October and 5 November.
    for (const [monday, at] of mondaysOf(weeks).map((each, week) => [each, week] as const)) {
      assert.equal(new Date(`${monday}T00:00:00Z`).getUTCDay(), 1, monday)
      assert.equal(placeOf(weeks, monday), at, monday)
    }
    const leap = placeOf(weeks, '2028-02-29') - placeOf(weeks, '2028-02-28')
    assert.equal(Math.round(leap * 7e6), 1e6)
    assert.equal(weekAt(weeks, '2028-11-12'), weeks.count - 1)
  })

  it('reach to the dates of the orders, but at most half a year back and a year ahead', () => {
    const near = weeksAround('2026-11-18', ['2026-10-01', '2027-03-07'])
    assert.deepEqual([near.first, mondaysOf(near).at(-1)], ['2026-09-28', '2027-03-01'])
    const far = weeksAround('2026-11-18', ['1999-01-01', '9999-12-31'])
    assert.equal(far.count, 26 + 1 + 52)
    assert.equal(placeOf(far, '1999-01-01'), 0)
    assert.equal(placeOf(far, '9999-12-31'), far.count)
    assert.equal(weekAt(far, '1999-01-01'), null)
    assert.equal(weekAt(far, '9999-12-31'), null)
  })
})

const order = (id: string, rest: Partial<Calendar['orders'][number]>) => ({
  id,
  orderNumber: id,
  status: 'confirmed',
  supplierId: 's1',
  pieces: 10,
  exFactory: { requested: '2026-11-20', confirmed: null, actual: null },
  requestedDelivery: null,
  daysLate: 0,
  shipmentIds: [],
  collectionIds: [],
  launchWindowIds: [],
  ...rest,
})

const calendar: Calendar = {
  asOf: '2026-11-18',
  timezone: 'UTC',
  open: { items: 4, pieces: 40 },
  late: { items: 1, pieces: 10 },
  isCut: false,
  orders: [
    order('A', {
      daysLate: 2,
      exFactory: { requested: null, confirmed: '2026-11-16', actual: null },
    }),
    order('B', { supplierId: 's2', shipmentIds: ['x'], collectionIds: ['c1', 'c2'] }),
    order('C', { collectionIds: ['c1'] }),
    order('D', { supplierId: null, exFactory: { requested: null, confirmed: null, actual: null } }),
  ],
  shipments: [
    {
      ...{ id: 'x', shipmentNumber: 'SH-1', status: 'planned', isDelayed: true },
      departure: { planned: '2026-11-10', actual: null },
      arrival: { planned: '2026-12-01', actual: null },
    },
  ],
  suppliers: [
    { id: 's1', name: 'Zeta' },
    { id: 's2', name: 'Alfa' },
  ],
  collections: [
    { id: 'c1', name: 'Capsule', season: 'SS27' },
    { id: 'c2', name: 'SS27 Main', season: 'SS27' },
  ],
  launchWindows: [],
}

const all: CalendarChoice = { by: 'supplier', supplier: null, collection: null, isLate: false }
const shown = (choice: Partial<CalendarChoice>) => {
  const of = { ...all, ...choice }
  return groupsOf(chosenOf(ordersOf(calendar), of), calendar, of).map(({ name, orders }) => [
    name,
    orders.map((each) => each.order.id).join(''),
  ])
}

describe('the groups of a calendar', () => {
  it('are by supplier or collection, in order, with those without one at the end', () => {
    assert.deepEqual(shown({}), [
      ['Alfa', 'B'],
      ['Zeta', 'AC'],
      [null, 'D'],
    ])
    assert.deepEqual(shown({ by: 'collection' }), [
      ['Capsule SS27', 'BC'],
      ['SS27 Main', 'B'],
      [null, 'AD'],
    ])
  })

  it('have the orders that are chosen; late is also an order with a delayed shipment', () => {
    assert.deepEqual(shown({ isLate: true }), [
      ['Alfa', 'B'],
      ['Zeta', 'A'],
    ])
    assert.deepEqual(shown({ by: 'collection', collection: 'c2' }), [['SS27 Main', 'B']])
    assert.deepEqual(shown({ supplier: 's1', collection: 'c1' }), [['Zeta', 'C']])
  })

  it('count the orders that leave in each week, and show the orders of those that are open', () => {
    const groups = groupsOf(ordersOf(calendar), calendar, all)
    const [, zeta] = groups
    assert.ok(zeta)
    const weeks = weeksAround(calendar.asOf, [])
    assert.deepEqual([...leavingByWeek(zeta, weeks)], [[2, { items: 2, late: 1 }]])
    const lines = linesOf(groups, (group) => group === zeta)
    assert.deepEqual(
      lines.map((line) => (line.kind === 'group' ? line.group.name : line.shown.order.id)),
      ['Alfa', 'Zeta', 'A', 'C', null],
    )
  })
})
