/** Keys that tests issue, and how requests without a valid one are refused. */
import assert from 'node:assert/strict'
import type { IssueRequest } from '#keys'
import type { TestResponse } from './service.ts'

/** A request for a key of the demo brand. */
export const rights = (changes: Partial<IssueRequest> = {}): IssueRequest => ({
  name: 'a client',
  brands: ['aldermoor'],
  global: false,
  expiresAt: null,
  perSecond: null,
  burst: null,
  ...changes,
})

const invalidToken = 'Bearer error="invalid_token"'
/** The WWW-Authenticate header of each refusal. */
const challenges = {
  missing_api_key: 'Bearer',
  invalid_api_key: invalidToken,
  expired_api_key: invalidToken,
  out_of_scope: invalidToken,
} as const
export type Code = keyof typeof challenges

export const assertRefused = ({ status, headers, body }: TestResponse, code: Code): void => {
  assert.equal(status, 401)
  assert.equal(body.errorCode, code)
  assert.deepEqual(Object.keys(body), ['error', 'errorCode'])
  assert.equal(headers.get('www-authenticate'), challenges[code])
  assert.equal(headers.get('cache-control'), 'no-store')
  // A response to a valid key says what is left of its limit, even where the key may not read.
  const isCharged = code === 'out_of_scope'
  assert.equal(headers.has('ratelimit'), isCharged)
  assert.equal(headers.has('ratelimit-policy'), isCharged)
}
