import assert from 'node:assert/strict'
import { it } from 'node:test'
import { defaultSeed } from '../../reliability/check.ts'
import type { FigureName } from '../../reliability/checks.ts'
import { measure, whyNot } from '../../reliability/measure.ts'

const seed = Number(process.env['SELVEDGE_SEED'] ?? defaultSeed)

/** The short form of a figure of trust, as a test. */
export const itHolds = (name: FigureName): void => {
  it(`holds in short what trust:${name} measures`, async (context) => {
    const missing = await whyNot(name)
    if (missing) return context.skip(missing)
    const result = await measure(name, 'short', { seed, say: () => {} })
    context.diagnostic(`${result.id}: ${result.measured} (${result.seconds} s)`)
    assert.deepEqual(result.misses, [], `repeat with ${result.command} --seed ${seed}`)
    assert.ok(Object.values(result.counts).some((count) => count > 0))
  })
}
