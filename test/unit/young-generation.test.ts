// Own process: it changes a flag of V8.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { limitYoungGeneration, youngHalfBytes } from '../../src/server/young-generation.ts'

it('the young generation stays small although much of it survives within a moment', async () => {
  const bytesMax = Math.max(youngHalfBytes(), 8 * 2 ** 20)
  limitYoungGeneration()
  const survivors: object[][] = []
  for (let turn = 0; turn < 30; turn += 1) {
    survivors.push(Array.from({ length: 100_000 }, (_, index) => ({ turn, index })))
    await nextTurn()
  }
  assert.equal(survivors.length, 30)
  assert.ok(youngHalfBytes() <= bytesMax, `${youngHalfBytes()} bytes`)
})
