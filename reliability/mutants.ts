import { readFileSync } from 'node:fs'
import { seeded } from '../test/support/model.ts'
import { check } from './check.ts'
import { type MutatedModule, mutatedModules } from './mutants/modules.ts'
import { type Mutant, mutantsOf } from './mutants/mutate.ts'
import { tryMutants } from './mutants/run.ts'

interface Size {
  /** Of each module, drawn by the seed; null for all of them. */
  readonly mutants: number | null
  readonly modules: readonly MutatedModule[]
}

const scoreMin = 0.9

/** Mutants that behave as the program does, with the reason, by file and what they change. */
const listed = JSON.parse(
  readFileSync(new URL('mutants/survivors.json', import.meta.url), 'utf8'),
) as { readonly [file: string]: { readonly [mutant: string]: string } }

const drawMutants = (mutants: readonly Mutant[], count: number | null, seed: number) => {
  if (count === null) return mutants
  const random = seeded(seed)
  const rest = [...mutants]
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(random(rest.length), 1),
  ).flat()
}

export default check<Size>({
  id: 'R19',
  claim: 'The tests of the core detect changes to its code.',
  target:
    'Of all mutants of cursors, parameters, keys, rate limits, errors and import validation, at least 90 % are detected; each of the others is listed with the reason.',
  sizes: {
    short: {
      mutants: 4,
      modules: [
        'src/cursors/cursor.ts',
        'src/request/query-string.ts',
        'src/keys/key.ts',
        'src/rate-limit/rate-limit.ts',
        'src/contract/check.ts',
        'src/contract/formats.ts',
      ],
    },
    full: { mutants: null, modules: Object.keys(mutatedModules) as MutatedModule[] },
  },
  try: async ({ mutants: count, modules }, { seed, log }) => {
    const misses: string[] = []
    const surviving: { readonly file: string; readonly mutant: Mutant }[] = []
    let total = 0
    let tests = 0
    const tryModule = async (file: MutatedModule) => {
      const all = mutantsOf(file, readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))
      const ids = new Set(all.map(({ id }) => id))
      for (const id of Object.keys(listed[file] ?? {})) {
        if (!ids.has(id)) misses.push(`${file} has no mutant "${id}", which is listed.`)
      }
      const drawn = drawMutants(all, count, seed)
      const { survivors, noticedBy } = await tryMutants(file, drawn)
      total += drawn.length
      tests += noticedBy.size
      surviving.push(...survivors.map((mutant) => ({ file, mutant })))
      log(`${file}: ${drawn.length} mutants, ${survivors.length} not noticed`)
      for (const [test, times] of noticedBy) log(`  ${times} noticed by: ${test}`)
      for (const { id, line } of survivors) {
        if (!listed[file]?.[id]) log(`  line ${line}: ${id}`)
      }
    }
    const waiting = [...modules]
    const lane = async () => {
      for (let file = waiting.shift(); file; file = waiting.shift()) await tryModule(file)
    }
    await Promise.all([lane(), lane()])
    const unlisted = surviving.filter(({ file, mutant }) => !listed[file]?.[mutant.id])
    for (const { file, mutant } of unlisted) {
      misses.push(`${file}:${mutant.line}: no test noticed ${mutant.id}.`)
    }
    const noticed = total - surviving.length
    if (noticed < total * scoreMin && count === null) misses.push('Fewer than 90 % were detected.')
    const percent = ((100 * noticed) / total).toFixed(1)
    return {
      measured: `${noticed.toLocaleString('en')} of ${total.toLocaleString('en')} mutants of ${modules.length} modules detected (${percent} %), ${surviving.length - unlisted.length} listed as equivalent.`,
      counts: { mutants: total, noticed, tests, listed: surviving.length - unlisted.length },
      misses,
    }
  },
})
