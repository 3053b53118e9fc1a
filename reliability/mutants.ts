import { readFileSync } from 'node:fs'
import { seeded } from '../test/support/model.ts'
import { check } from './check.ts'
import { type Mutant, mutantsOf } from './mutants/mutate.ts'
import { survivorsAmong } from './mutants/run.ts'
import { type SuiteName, suiteNames, suites } from './mutants/suites.ts'

interface Size {
  /** Of each module, drawn by the seed; all of them where there is no number. */
  readonly mutants: number | null
  readonly modules: readonly SuiteName[]
}

const scoreMin = 0.9

/** Mutants that behave as the program does, with the reason, by file and what they change. */
const listed = JSON.parse(
  readFileSync(new URL('mutants/survivors.json', import.meta.url), 'utf8'),
) as { readonly [file: string]: { readonly [mutant: string]: string } }

const drawn = (mutants: readonly Mutant[], count: number | null, seed: number) => {
  if (count === null) return mutants
  const random = seeded(seed)
  const rest = [...mutants]
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(random(rest.length), 1),
  ).flat()
}

export default check<Size>({
  id: 'R19',
  claim: 'The tests of the core notice when it is changed.',
  target:
    'Of all mutants of cursors, parameters, keys, quota, errors and the check of imports at least 90 % are noticed; each of the others is listed with the reason.',
  sizes: {
    short: { mutants: 4, modules: ['cursor', 'query', 'key', 'quota', 'check'] },
    full: { mutants: null, modules: suiteNames },
  },
  try: async ({ mutants: count, modules }, { seed, log }) => {
    const misses: string[] = []
    const surviving: { readonly file: string; readonly mutant: Mutant }[] = []
    let total = 0
    const tryOne = async (name: SuiteName) => {
      const { default: suite } = await suites[name]()
      const all = mutantsOf(
        suite.file,
        readFileSync(new URL(`../${suite.file}`, import.meta.url), 'utf8'),
      )
      const known = new Set(all.map(({ id }) => id))
      for (const id of Object.keys(listed[suite.file] ?? {})) {
        if (!known.has(id)) misses.push(`${suite.file} has no mutant "${id}", which is listed.`)
      }
      const tried = drawn(all, count, seed)
      const survivors = await survivorsAmong(name, tried)
      total += tried.length
      surviving.push(...survivors.map((mutant) => ({ file: suite.file, mutant })))
      log(`${suite.file}: ${tried.length} mutants, ${survivors.length} not noticed`)
      for (const { id, line } of survivors) {
        if (!listed[suite.file]?.[id]) log(`  line ${line}: ${id}`)
      }
    }
    const waiting = [...modules]
    const lane = async () => {
      for (let name = waiting.shift(); name; name = waiting.shift()) await tryOne(name)
    }
    await Promise.all([lane(), lane()])
    const unlisted = surviving.filter(({ file, mutant }) => !listed[file]?.[mutant.id])
    for (const { file, mutant } of unlisted) {
      misses.push(`${file}:${mutant.line}: nobody noticed ${mutant.id}.`)
    }
    const noticed = total - surviving.length
    if (noticed < total * scoreMin && count === null) misses.push('Fewer than 90 % were noticed.')
    const percent = ((100 * noticed) / total).toFixed(1)
    return {
      measured: `${noticed.toLocaleString('en')} of ${total.toLocaleString('en')} mutants of ${modules.length} modules noticed (${percent} %), ${surviving.length - unlisted.length} listed as the same in effect.`,
      counts: { mutants: total, noticed, listed: surviving.length - unlisted.length },
      misses,
    }
  },
})
