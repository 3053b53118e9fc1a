/** Errors that one thread hands over to another. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DatabaseBusyError, DatabaseOutageError, DatabaseUnreachableError } from '#database'
import { errorOf, failureOf } from '../../src/server/call-failure.ts'

const handedOver = (error: Error) => errorOf(structuredClone(failureOf(error)))

describe('an error that is handed over to another thread', () => {
  it('keeps its class and message', () => {
    for (const type of [DatabaseBusyError, DatabaseOutageError, DatabaseUnreachableError]) {
      const received = handedOver(new type('It is so.'))
      assert.ok(received instanceof type)
      assert.equal(received.message, 'It is so.')
    }
  })

  it('has the files of the program in its stack, and not in its message', () => {
    const error = new TypeError('x is not a function')
    const received = handedOver(error)
    // The sender of a batch sees the message.
    assert.equal(received.message, 'x is not a function')
    assert.equal(received.stack, error.stack)
  })
})
