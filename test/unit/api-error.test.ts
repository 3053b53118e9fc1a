import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '#contract'
import { DatabaseError } from '#database'
import { notFound, toApiError } from '../../src/request/api-error.ts'

describe('an error', () => {
  it('what went wrong inside stays inside', () => {
    const own = new ApiError('not_found', 'Not there.')
    assert.equal(toApiError(own), own)
    const inner = new Error('password is hunter2')
    const told = toApiError(inner)
    assert.equal(told.code, 'internal_error')
    assert.equal(told.message, 'Something went wrong on the server. It has been logged.')
    assert.equal(told.cause, inner)
    assert.equal(told.retryAfterSeconds, undefined)
    const unavailable = new DatabaseError('away')
    const gone = toApiError(unavailable)
    assert.equal(gone.code, 'store_unavailable')
    assert.equal(gone.message, 'The records cannot be reached at the moment. Try again shortly.')
    assert.equal(gone.retryAfterSeconds, 1)
    assert.equal(gone.cause, unavailable)
  })

  it('a record that cannot be had is refused in one sentence', () => {
    const told = notFound()
    assert.equal(told.code, 'not_found')
    assert.equal(told.message, 'The record does not exist or is not available to this brand.')
  })
})
