/** The days that filter the audit log on the operator page. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { endOf, startOf } from '../../console/src/admin/audit/day-limits.ts'

it('a filter has whole days, also their last second and a day of 23 hours', () => {
  for (const day of ['2026-03-01', '2026-03-29', '2026-12-31']) {
    const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
    assert.equal(startOf(day), new Date(year, month - 1, date).toISOString())
    assert.equal(endOf(day), new Date(year, month - 1, date + 1).toISOString())
  }
  assert.deepEqual([startOf(''), endOf(''), endOf('2026-13-01')], [undefined, undefined, undefined])
})
