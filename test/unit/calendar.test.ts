import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, currentDay, dayIn, daysBetween, isTimezone, startOfDay } from '#contract'
import { mondayOf, weekOf } from '../../src/contract/calendar.ts'
import { zoneOffsets } from '../../src/store/query/zone-offsets.ts'

const startOf = (timezone: string, day: string) => new Date(startOfDay(timezone, day)).toISOString()

test('a day begins at midnight of the time zone, also when clocks are changed', () => {
  const starts = [
    ['UTC', '2026-11-16', '2026-11-16T00:00:00.000Z'],
    ['Pacific/Auckland', '2026-11-16', '2026-11-15T11:00:00.000Z'],
    ['Pacific/Auckland', '2026-07-01', '2026-06-30T12:00:00.000Z'],
    ['America/Los_Angeles', '2026-11-16', '2026-11-16T08:00:00.000Z'],
    // Clocks are set back on this day, and forward on the next one.
    ['America/Los_Angeles', '2026-11-01', '2026-11-01T07:00:00.000Z'],
    ['America/Los_Angeles', '2026-11-02', '2026-11-02T08:00:00.000Z'],
    ['America/Los_Angeles', '2026-03-08', '2026-03-08T08:00:00.000Z'],
    ['America/Los_Angeles', '2026-03-09', '2026-03-09T07:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-16', '2026-11-15T18:30:00.000Z'],
    ['Asia/Kathmandu', '2026-11-16', '2026-11-15T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-11-16', '2026-11-15T10:00:00.000Z'],
    // Midnight does not exist: clocks go from 23:59 to 01:00.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  ] as const
  for (const [timezone, day, expected] of starts) {
    assert.equal(startOf(timezone, day), expected, `${timezone} ${day}`)
  }
})

test('the current day is that of the instant, before and after midnight', () => {
  for (const timezone of ['Pacific/Auckland', 'America/Los_Angeles', 'Africa/Cairo', 'UTC']) {
    for (const day of ['2026-04-24', '2026-11-01', '2026-11-16']) {
      const start = startOfDay(timezone, day)
      // Back and forth, so that a day that was worked out before is not taken for another.
      for (const ms of [0, -1, 3_600_000, -3_600_000, 86_399_000, 90_000_000, 0]) {
        const now = start + ms
        assert.equal(currentDay(timezone, now), dayIn(timezone, now), `${timezone} ${day} ${ms}`)
      }
    }
  }
})

test('every instant belongs to the day whose beginning is the last before it', () => {
  const zones = ['Pacific/Auckland', 'America/Los_Angeles', 'Europe/Berlin', 'America/Santiago']
  for (const timezone of zones) {
    for (let day = '2026-01-01'; day < '2027-01-01'; day = addDays(day, 1)) {
      const start = startOfDay(timezone, day)
      assert.equal(dayIn(timezone, start), day)
      assert.equal(dayIn(timezone, start - 1), addDays(day, -1))
    }
  }
})

test('weeks begin on Monday, and days are counted across months and years', () => {
  assert.equal(mondayOf('2026-11-16'), '2026-11-16')
  assert.equal(mondayOf('2026-11-22'), '2026-11-16')
  assert.equal(mondayOf('2027-01-01'), '2026-12-28')
  assert.equal(addDays('2028-02-28', 1), '2028-02-29')
  assert.equal(addDays('2026-12-31', 1), '2027-01-01')
  assert.equal(daysBetween('2026-03-28', '2026-03-30'), 2)
  assert.equal(daysBetween('2026-03-30', '2026-03-28'), -2)
})

test('weeks belong to the year of their Thursday, from the first year to the last', () => {
  const weeks = {
    '0001-01-01': '0001-W01',
    '0001-01-08': '0001-W02',
    '1899-12-31': '1899-W52',
    '2026-11-16': '2026-W47',
    '2027-01-03': '2026-W53',
    '9999-12-31': '9999-W52',
  }
  for (const [day, week] of Object.entries(weeks)) assert.equal(weekOf(day), week)
})

test('the first and the last day are the same in every time zone', () => {
  for (const timezone of ['Pacific/Auckland', 'America/Los_Angeles', 'UTC']) {
    assert.equal(dayIn(timezone, Date.parse('0001-01-01T00:00:00Z')), '0001-01-01')
    assert.equal(dayIn(timezone, Date.parse('9999-12-31T23:59:59Z')), '9999-12-31')
    assert.equal(startOf(timezone, '9999-12-31').slice(0, 4), '9999')
  }
})

test('the offsets of a time zone are those of every day of it, with the seconds of old ones', async () => {
  for (const timezone of ['America/New_York', 'America/St_Johns', 'Asia/Gaza', 'America/Recife']) {
    const offsets = await zoneOffsets(timezone)
    const dayOf = (instant: number) => {
      const { seconds = 0 } = offsets.findLast(({ from }) => from === null || from <= instant) ?? {}
      return new Date(instant + seconds * 1_000).toISOString().slice(0, 10)
    }
    for (let day = '1840-01-08'; day < '2099-12-24'; day = addDays(day, 29)) {
      const start = startOfDay(timezone, day)
      assert.equal(dayOf(start), day, `${timezone} ${day}`)
      assert.equal(dayOf(start - 1), addDays(day, -1), `${timezone} ${day}`)
    }
  }
})

test('a name that is not a time zone is told apart', () => {
  assert.equal(isTimezone('Europe/Berlin'), true)
  assert.equal(isTimezone('Mars/Olympus'), false)
  assert.equal(isTimezone(''), false)
})
