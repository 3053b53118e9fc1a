import assert from 'node:assert/strict'
import { ApiError } from '#contract'
import { DatabaseError } from '#database'
import type * as refusal from '../../../src/request/refusal.ts'
import { suite } from '../suite.ts'

export default suite<typeof refusal>('src/request/refusal.ts', {
  'what went wrong inside stays inside': ({ asApiError }) => {
    const own = new ApiError('not_found', 'Not there.')
    assert.equal(asApiError(own), own)
    const inner = new Error('password is hunter2')
    const told = asApiError(inner)
    assert.equal(told.code, 'internal_error')
    assert.equal(told.message, 'Something went wrong on the server. It has been logged.')
    assert.equal(told.cause, inner)
    assert.equal(told.retryAfterSeconds, undefined)
    const unavailable = new DatabaseError('away')
    const gone = asApiError(unavailable)
    assert.equal(gone.code, 'store_unavailable')
    assert.equal(gone.message, 'The records cannot be reached at the moment. Try again shortly.')
    assert.equal(gone.retryAfterSeconds, 1)
    assert.equal(gone.cause, unavailable)
  },
  'a record that cannot be had is refused in one sentence': ({ notFound }) => {
    const told = notFound()
    assert.equal(told.code, 'not_found')
    assert.equal(told.message, 'The record does not exist or is not available to this brand.')
  },
})
