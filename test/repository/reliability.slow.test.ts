/**
 * Every reliability check in its short form. The full forms, whose results are published, run with
 * a command each: see docs/explanation/trust.md.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { defaultSeed } from '../../reliability/check.ts'
import { figureNames } from '../../reliability/checks.ts'
import { measure, whyNot } from '../../reliability/measure.ts'

const seed = Number(process.env['SELVEDGE_SEED'] ?? defaultSeed)

describe('the short form of the reliability check', () => {
  for (const name of figureNames) {
    it(`${name} finds no violation`, async (context) => {
      const missing = await whyNot(name)
      if (missing) return context.skip(missing)
      const result = await measure(name, 'short', { seed, say: () => {} })
      context.diagnostic(`${result.id}: ${result.measured} (${result.seconds} s)`)
      assert.deepEqual(result.misses, [], `repeat with ${result.command} --seed ${seed}`)
      assert.ok(Object.values(result.counts).some((count) => count > 0))
    })
  }
})

describe('the reliability checks', () => {
  it('have a script each', () => {
    const { scripts } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { scripts: { readonly [name: string]: string } }
    for (const name of figureNames) {
      assert.equal(scripts[`trust:${name}`], `node reliability/main.ts ${name}`)
    }
  })
})
