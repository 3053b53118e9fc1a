import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  createDuplicateFilter,
  hashIdentity,
  hashSlices,
} from '../../src/store/write/duplicate-filter.ts'

describe('identities that an import has seen', () => {
  it('are never said to be there once when one came twice', () => {
    const part = fc.oneof(fc.string({ maxLength: 3 }), fc.integer({ min: 0, max: 9 }))
    fc.assert(
      fc.property(fc.array(fc.array(part, { minLength: 1, maxLength: 3 })), (identities) => {
        const seen = createDuplicateFilter()
        for (const identity of identities) seen.add(hashIdentity(identity))
        const distinct = new Set(identities.map((identity) => JSON.stringify(identity.map(String))))
        if (distinct.size < identities.length) assert.equal(seen.mayHaveDuplicates, true)
      }),
    )
  })

  it('are told apart, a hundred thousand of them', () => {
    const seen = createDuplicateFilter()
    for (let n = 0; n < 100_000; n += 1) {
      seen.add(hashIdentity([`00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`]))
    }
    assert.equal(seen.mayHaveDuplicates, false)
    seen.add(hashIdentity(['00000000-0000-4000-8000-00000000abcd']))
    assert.equal(seen.mayHaveDuplicates, true)
  })

  it('are told apart by where one part ends and the next begins', () => {
    const seen = createDuplicateFilter()
    seen.add(hashIdentity(['ab', 'c']))
    seen.add(hashIdentity(['a', 'bc']))
    assert.equal(seen.mayHaveDuplicates, false)
  })

  it('have one mark, whether they are values or bytes', () => {
    const part = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.integer())
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (identity) => {
        const parts = identity.map((each) => Buffer.from(String(each)))
        const places = [7, 7]
        let end = 3
        for (const { length } of parts) {
          places.push(end, end + length)
          end += length
        }
        const bytes = Buffer.concat([Buffer.from('abc'), ...parts])
        assert.equal(
          hashSlices(bytes, new Int32Array(places), 2, parts.length),
          hashIdentity(identity),
        )
      }),
    )
  })

  it('are no longer kept beyond a bound, and then any may be there twice', () => {
    const seen = createDuplicateFilter(3)
    for (const name of ['a', 'b', 'c']) seen.add(hashIdentity([name]))
    assert.equal(seen.mayHaveDuplicates, false)
    seen.add(hashIdentity(['d']))
    assert.equal(seen.mayHaveDuplicates, true)
  })
})
