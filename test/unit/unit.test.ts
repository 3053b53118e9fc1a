import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  DatabaseBusyError,
  DatabaseError,
  DatabaseOutageError,
  DatabaseRefusedError,
  DatabaseUnreachableError,
  QueryTimeoutError,
} from '#database'
import {
  afterFailure,
  attemptsMax,
  backoffMs,
  errorText,
  faultOf,
  mayBegin,
} from '../../src/intake/unit.ts'

describe('a unit', () => {
  it('is quarantined after its last attempt, and waits for the next one before that', () => {
    for (let attempts = 1; attempts < attemptsMax; attempts += 1) {
      assert.deepEqual(afterFailure(attempts, 'unit'), { state: 'waiting', attempts })
    }
    const last = { state: 'quarantined', attempts: attemptsMax }
    assert.deepEqual(afterFailure(attemptsMax, 'unit'), last)
  })

  it('loses no attempt while nothing can be stored', () => {
    for (const fault of ['unavailable', 'busy'] as const) {
      const before = { state: 'waiting', attempts: attemptsMax - 1 }
      assert.deepEqual(afterFailure(attemptsMax, fault), before)
    }
  })

  it('does not begin once processes have died in all its attempts', () => {
    assert.equal(mayBegin(attemptsMax), true)
    assert.equal(mayBegin(attemptsMax + 1), false)
  })

  it('is tried again after a pause that doubles up to a minute', () => {
    const pauses = [1, 2, 3, 4, 8, 100].map((failures) => backoffMs(failures, 'unavailable'))
    assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 60_000, 60_000])
    assert.equal(backoffMs(9, 'busy'), 500)
  })

  it('is at fault for every error but those of an engine that is away or busy', () => {
    const faults = [
      new DatabaseUnreachableError('x'),
      new DatabaseOutageError('x'),
      new DatabaseError('x'),
      new DatabaseBusyError('x'),
      new QueryTimeoutError('x'),
      new DatabaseRefusedError('x'),
      new TypeError('x'),
    ].map(faultOf)
    assert.deepEqual(faults, [
      ...['unavailable', 'unavailable', 'unit', 'busy', 'unit', 'unit', 'unit'],
    ])
  })

  it('keeps the beginning of a long error', () => {
    assert.equal(errorText(new Error('x'.repeat(9_000))).length, 500)
    assert.equal(errorText('why'), 'why')
  })
})
