/**
 * Reliability checks in their short form. The full forms, whose results are published, run with
 * a command each: see docs/explanation/reliability.md.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultSeed } from '../../reliability/check.ts'
import { type CheckName, checkNames } from '../../reliability/checks.ts'
import { measure, unavailableReason } from '../../reliability/measure.ts'

const seed = Number(process.env['SELVEDGE_SEED'] ?? defaultSeed)

/**
 * Checks that run by their own command only: test/cli/conversion.release.test.ts kills conversions too,
 * and what requests of the query API delay can only be measured on a machine with nothing else to do.
 */
const commandOnly: ReadonlySet<CheckName> = new Set(['conversion', 'stall-query'])

/** The checks of isolation, crashes, fuzzing and concurrency. The others run before a release. */
const slowNames: readonly CheckName[] = [
  ...([
    'crash',
    'crash-disk',
    'crash-server',
    'crash-statements',
    'fuzz',
    'fuzz-postgres',
  ] as const),
  ...([
    'ingest-kill',
    'isolation',
    'group-isolation',
    'revoke-during-import',
    'two-imports',
    'two-primaries',
  ] as const),
  ...(['walks', 'watch-kill', 'worker-crash', 'histories', 'usage'] as const),
]

/** Every second check of the slow tier, in two files that run at the same time; or those of a release. */
export const suites = {
  even: slowNames.filter((_, index) => index % 2 === 0),
  odd: slowNames.filter((_, index) => index % 2 === 1),
  release: checkNames.filter((name) => !commandOnly.has(name) && !slowNames.includes(name)),
} as const

export const reliabilitySuite = (suite: keyof typeof suites): void => {
  describe('the short form of the reliability check', () => {
    for (const name of suites[suite]) {
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
