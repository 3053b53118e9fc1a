import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limitHeader, policyHeader } from '../../src/rate-limit/rate-limit.ts'

describe('the headers of a rate limit', () => {
  it('the policy has the seconds in which it fills', () => {
    assert.equal(policyHeader({ perSecond: 50, burst: 100 }), '"default";q=100;w=2')
    assert.equal(policyHeader({ perSecond: 3, burst: 10 }), '"default";q=10;w=4')
  })

  it('what is left has whole seconds', () => {
    const decision = { allowed: true, retryAfterSeconds: 0 }
    const header = limitHeader({ ...decision, remaining: 7, resetSeconds: 1.2 })
    assert.equal(header, '"default";r=7;t=2')
  })
})
