import assert from 'node:assert/strict'
import { it } from 'node:test'
import { durationText } from '#observability'

it('a duration has at most two decimals, and none that are zero', () => {
  const texts = [0, 0.001, 0.1, 0.126, 2, 9.994, 9.996, 12.345, 1_000].map(durationText)
  assert.deepEqual(texts, ['0', '0', '0.1', '0.13', '2', '9.99', '10', '12.35', '1000'])
})
