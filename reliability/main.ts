/**
 * Measures one figure of trust: `node reliability/main.ts <name> [--short] [--seed <n>]`. The last line
 * is the result as JSON; it ends with 1 when the target is missed. The full form writes its result
 * to reliability/results, where docs/explanation/trust.md is made from.
 */
import { writeFileSync } from 'node:fs'
import { oneOf, Refused, readOptions, runBench, whole } from '../bench/options.ts'
import { defaultSeed } from './check.ts'
import { figureNames } from './checks.ts'
import { measure, whyNot } from './measure.ts'

await runBench(async ([word, ...args]) => {
  if (word === undefined) throw new Refused(`Name a figure: ${figureNames.join(', ')}.`)
  if (word === 'replay') return (await import('./replay.ts')).runReplay(args)
  const name = oneOf('figure', word, figureNames)
  const options = readOptions(args, { short: { type: 'boolean' }, seed: { type: 'string' } })
  const seed = options.seed ? whole('seed', options.seed, 0, 2 ** 31 - 1) : defaultSeed
  const form = options.short ? 'short' : 'full'
  process.stderr.write(`${name}, ${form} form, seed ${seed}\n`)
  const missing = await whyNot(name)
  if (missing) throw new Refused(`It cannot be tried here: ${missing}`)

  const result = await measure(name, form, {
    seed,
    say: (sentence) => process.stderr.write(`${sentence}\n`),
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
