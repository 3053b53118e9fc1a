/**
 * Reliability checks in their short form. The full forms, whose results are published, run with
 * a command each: see docs/explanation/reliability.md.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultSeed } from '../../reliability/check.ts'
import { checkNames } from '../../reliability/checks.ts'
import { measure, unavailableReason } from '../../reliability/measure.ts'

const seed = Number(process.env['SELVEDGE_SEED'] ?? defaultSeed)

/**
 * Checks that run by their own command only: test/cli/conversion.slow.test.ts kills conversions too,
 * and what requests of the query API delay can only be measured on a machine with nothing else to do.
 */
const commandOnly: ReadonlySet<string> = new Set(['conversion', 'stall-query'])

/** Every second check, from the first or the second on. Two files run at the same time. */
export const reliabilitySuite = (half: 0 | 1): void => {
  describe('the short form of the reliability check', () => {
    const names = checkNames.filter((each) => !commandOnly.has(each))
    for (const name of names.filter((_, index) => index % 2 === half)) {
      it(`${name} finds no violation`, async (context) => {
        const missing = await unavailableReason(name)
        if (missing) return context.skip(missing)
        const result = await measure(name, 'short', { seed, log: () => {} })
        context.diagnostic(`${result.id}: ${result.measured} (${result.seconds} s)`)
        assert.deepEqual(result.misses, [], `repeat with ${result.command} --seed ${seed}`)
        assert.ok(Object.values(result.counts).some((count) => count > 0))
      })
    }
  })
}
