import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '#contract'
import { DatabaseError, DatabaseRefusedError, QueryTimeoutError } from '#database'
import { notFound, toApiError } from '../../src/request/api-error.ts'

describe('an error', () => {
  it('what went wrong inside stays inside', () => {
    const own = new ApiError('not_found', 'Not there.')
    assert.equal(toApiError(own), own)
    const inner = new Error('password is hunter2')
    const converted = toApiError(inner)
    assert.equal(converted.code, 'internal_error')
    assert.equal(converted.message, 'Something went wrong on the server. It has been logged.')
    assert.equal(converted.cause, inner)
    assert.equal(converted.retryAfterSeconds, undefined)
    const unavailable = new DatabaseError('away')
    const temporary = toApiError(unavailable)
    assert.equal(temporary.code, 'store_unavailable')
    assert.equal(
      temporary.message,
      'The records cannot be reached at the moment. Try again shortly.',
    )
    assert.equal(temporary.retryAfterSeconds, 1)
    assert.equal(temporary.cause, unavailable)
  })

  it('asks for a retry only if one may succeed', () => {
    assert.match(toApiError(new QueryTimeoutError('slow')).message, /takes longer than one request/)
    const refused = toApiError(new DatabaseRefusedError('a number is out of range'))
    assert.deepEqual([refused.code, refused.retryAfterSeconds], ['internal_error', undefined])
  })

  it('a record that cannot be had is refused in one sentence', () => {
    const missing = notFound()
    assert.equal(missing.code, 'not_found')
    assert.equal(missing.message, 'The record does not exist or is not available to this brand.')
  })
})
