import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openSeen } from '../src/store/seen.ts'

describe('identities that an import has seen', () => {
  it('are never said to be there once when one came twice', () => {
    const part = fc.oneof(fc.string({ maxLength: 3 }), fc.integer({ min: 0, max: 9 }))
    fc.assert(
      fc.property(fc.array(fc.array(part, { minLength: 1, maxLength: 3 })), (identities) => {
        const seen = openSeen()
        for (const identity of identities) seen.note(identity)
        const distinct = new Set(identities.map((identity) => JSON.stringify(identity.map(String))))
        if (distinct.size < identities.length) assert.equal(seen.mayRepeat, true)
      }),
    )
  })

  it('are told apart, a hundred thousand of them', () => {
    const seen = openSeen()
    for (let n = 0; n < 100_000; n += 1) {
      seen.note([`00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`])
    }
    assert.equal(seen.mayRepeat, false)
    seen.note(['00000000-0000-4000-8000-00000000abcd'])
    assert.equal(seen.mayRepeat, true)
  })

  it('are told apart by where one part ends and the next begins', () => {
    const seen = openSeen()
    seen.note(['ab', 'c'])
    seen.note(['a', 'bc'])
    assert.equal(seen.mayRepeat, false)
  })

  it('are no longer kept beyond a bound, and then any may be there twice', () => {
    const seen = openSeen(3)
    for (const name of ['a', 'b', 'c']) seen.note([name])
    assert.equal(seen.mayRepeat, false)
    seen.note(['d'])
    assert.equal(seen.mayRepeat, true)
  })
})
