/**
 * Every reliability check in its short form. The full forms, whose results are published, run with
 * a command each: see docs/explanation/reliability.md.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { defaultSeed } from '../../reliability/check.ts'
import { checkNames } from '../../reliability/checks.ts'
import { measure, unavailableReason } from '../../reliability/measure.ts'

const seed = Number(process.env['SELVEDGE_SEED'] ?? defaultSeed)

describe('the short form of the reliability check', () => {
  for (const name of checkNames) {
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

it('npm run reliability lists the checks', () => {
  const main = fileURLToPath(new URL('../../reliability/main.ts', import.meta.url))
  const { stdout, status } = spawnSync(process.execPath, [main], { encoding: 'utf8' })
  assert.equal(status, 0)
  assert.deepEqual(stdout.trim().split('\n'), [...checkNames, 'replay'].sort())
})
