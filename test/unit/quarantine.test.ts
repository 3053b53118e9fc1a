/** Which rows wait before the limit is reached. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fitting } from '../../src/store/write/quarantine.ts'

const rows = [1, 2, 3, 4].map((row) => ({ row, source: 0 }))
const fit = (waiting: readonly number[], room: number) =>
  fitting(rows, new Set(waiting), room).map(({ row }) => row)

describe('rows that are to wait', () => {
  it('are the first that there is room for', () => {
    assert.deepEqual(fit([], 2), [1, 2])
    assert.deepEqual(fit([], 0), [])
    assert.deepEqual(fit([], -1), [])
  })

  it('need no room if they are in quarantine already', () => {
    assert.deepEqual(fit([2, 4], 1), [1, 2, 4])
    assert.deepEqual(fit([4], 0), [4])
  })
})
