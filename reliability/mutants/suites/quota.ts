import assert from 'node:assert/strict'
import type * as limiter from '../../../src/rate-limit/rate-limit.ts'
import { suite } from '../suite.ts'

export default suite<typeof limiter>('src/rate-limit/rate-limit.ts', {
  'the policy is told with the seconds in which it fills': ({ policyHeader }) => {
    assert.equal(policyHeader({ perSecond: 50, burst: 100 }), '"default";q=100;w=2')
    assert.equal(policyHeader({ perSecond: 3, burst: 10 }), '"default";q=10;w=4')
  },
  'what is left is told with whole seconds': ({ limitHeader }) => {
    const taken = { allowed: true, retryAfterSeconds: 0 }
    const header = limitHeader({ ...taken, remaining: 7, resetSeconds: 1.2 })
    assert.equal(header, '"default";r=7;t=2')
  },
})
