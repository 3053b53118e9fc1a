/** Which rows are parked before the limit is reached. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fitting } from '../../src/store/write/parking.ts'

const rows = [1, 2, 3, 4].map((row) => ({ row, source: 0 }))
const fit = (parked: readonly number[], room: number) =>
  fitting(rows, new Set(parked), room).map(({ row }) => row)

describe('rows that are to be parked', () => {
  it('are the first that there is room for', () => {
    assert.deepEqual(fit([], 2), [1, 2])
    assert.deepEqual(fit([], 0), [])
    assert.deepEqual(fit([], -1), [])
  })

  it('need no room if they are parked already', () => {
    assert.deepEqual(fit([2, 4], 1), [1, 2, 4])
    assert.deepEqual(fit([4], 0), [4])
  })
})
