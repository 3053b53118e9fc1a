/** What `npm run generate` asks for before it writes. recipes.slow.test.ts runs it on copies that lack parts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeMissing, missingParts } from '../../tools/missing-parts.ts'

describe('the parts that resources, fields, rules and commands need', () => {
  it('are all there', () => {
    assert.deepEqual(missingParts(), [])
  })

  it('are named in one message, by place', () => {
    const message = describeMissing([
      { place: 'a.ts', what: 'one' },
      { place: 'b.ts', what: 'two' },
      { place: 'a.ts', what: 'three' },
    ])
    assert.deepEqual(message.split('\n'), [
      'Nothing was written, because these are missing:',
      'a.ts',
      '  one',
      '  three',
      'b.ts',
      '  two',
      'CONTRIBUTING.md has an example of each.',
    ])
  })
})
