/**
 * Runs one reliability check: `npm run reliability -- <name> [--short] [--seed <n>]`. Without a
 * name it lists the names. `conversion --before <folder>` uses the program of an earlier checkout.
 * The last line of the output is the result as JSON. The exit code is 1 if the target is missed.
 * The full form writes its result to reliability/results, from which
 * docs/explanation/reliability.md is generated. `replay` compares two checkouts: see replay.ts.
 */
import { writeFileSync } from 'node:fs'
import { readCheckout } from '../bench/checkouts.ts'
import { oneOf, readOptions, runCommand, UsageError, whole } from '../tools/options.ts'
import { defaultSeed } from './check.ts'
import { checkNames } from './checks.ts'
import { measure, unavailableReason } from './measure.ts'

await runCommand(async ([word, ...args]) => {
  if (word === undefined) {
    process.stdout.write(`${[...checkNames, 'replay'].sort().join('\n')}\n`)
    return 0
  }
  if (word === 'replay') return (await import('./replay.ts')).runReplay(args)
  const name = oneOf('check', word, checkNames)
  const options = readOptions(args, {
    short: { type: 'boolean' },
    seed: { type: 'string' },
    before: { type: 'string' },
  })
  if (options.before && name !== 'conversion') {
    throw new UsageError('--before is an option of the checks conversion and replay.')
  }
  const before = options.before && readCheckout('before', options.before).folder
  const seed = options.seed ? whole('seed', options.seed, 0, 2 ** 31 - 1) : defaultSeed
  const form = options.short ? 'short' : 'full'
  process.stderr.write(`${name}, ${form} form, seed ${seed}\n`)
  const reason = await unavailableReason(name)
  if (reason) throw new UsageError(`This check cannot run here: ${reason}`)

  const result = await measure(name, form, {
    seed,
    ...(before && { before }),
    log: (sentence) => process.stderr.write(`${sentence}\n`),
  })
  for (const miss of result.misses.slice(0, 20)) process.stderr.write(`MISSED: ${miss}\n`)
  process.stderr.write(`${result.claim}\n  target:   ${result.target}\n`)
  process.stderr.write(`  measured: ${result.measured} (${result.seconds} s)\n`)
  if (form === 'full') {
    const file = new URL(`results/${name}.json`, import.meta.url)
    writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
  return result.met ? 0 : 1
})
