/** Every figure of trust in its short form. The full forms are scripts: see docs/explanation/trust.md. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultSeed } from '../trust/figure.ts'
import { figureNames } from '../trust/figures.ts'
import { measure } from '../trust/measure.ts'

const seed = Number(process.env['SELVEDGE_SEED'] ?? defaultSeed)

describe('the figures of trust, in short', () => {
  for (const name of figureNames) {
    it(name, async (context) => {
      const result = await measure(name, 'short', { seed, say: () => {} })
      context.diagnostic(`${result.id}: ${result.measured} (${result.seconds} s)`)
      assert.deepEqual(result.misses, [], `repeat with ${result.command} --seed ${seed}`)
      assert.ok(Object.values(result.counts).some((count) => count > 0))
    })
  }
})
