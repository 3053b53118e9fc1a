import assert from 'node:assert/strict'
import { SelvedgeError } from '#client'

/** The error of the client that a call must end with. */
export const failure = async (promise: Promise<unknown>): Promise<SelvedgeError> => {
  const error = await promise.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof SelvedgeError, String(error))
  return error
}
