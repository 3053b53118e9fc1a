/** Changes to the program that its tests must notice: generated mutants and listed mistakes. */
import { readFileSync } from 'node:fs'
import { seeded } from '../test/support/model.ts'
import { check } from './check.ts'
import { type MutatedModule, mutatedModules } from './mutants/modules.ts'
import { type Mutant, mutantsOf } from './mutants/mutate.ts'
import { tryMutants } from './mutants/run.ts'
import { type Mistake, withMistake } from './query-mutants/mistake.ts'
import { runTest } from './query-mutants/run.ts'

interface Size {
  /** Mutants per module, drawn by the seed; null for all. */
  readonly mutants: number | null
  readonly modules: readonly MutatedModule[]
}

const scoreMin = 0.9

/** Equivalent mutants with the reason, by file and change. */
const listed = JSON.parse(
  readFileSync(new URL('mutants/survivors.json', import.meta.url), 'utf8'),
) as { readonly [file: string]: { readonly [mutant: string]: string } }

/** A sample drawn by the seed, or all. */
const drawn = <Each>(all: readonly Each[], count: number | null, seed: number): readonly Each[] => {
  if (count === null) return all
  const draw = seeded(seed)
  const rest = [...all]
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(draw(rest.length), 1),
  ).flat()
}

/** Runs the work, two items at a time. */
const inTwoLanes = async <Each>(
  all: readonly Each[],
  work: (each: Each) => Promise<void>,
): Promise<void> => {
  const waiting = [...all]
  const lane = async () => {
    for (let each = waiting.shift(); each; each = waiting.shift()) await work(each)
  }
  await Promise.all([lane(), lane()])
}

const sourceOf = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

export const mutants = check<Size>({
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
    await inTwoLanes(modules, async (file) => {
      const all = mutantsOf(file, sourceOf(file))
      const ids = new Set(all.map(({ id }) => id))
      for (const id of Object.keys(listed[file] ?? {})) {
        if (!ids.has(id)) misses.push(`${file} has no mutant "${id}", which is listed.`)
      }
      const tried = drawn(all, count, seed)
      const { survivors, noticedBy } = await tryMutants(file, tried)
      total += tried.length
      tests += noticedBy.size
      surviving.push(...survivors.map((mutant) => ({ file, mutant })))
      log(`${file}: ${tried.length} mutants, ${survivors.length} not noticed`)
      for (const [test, times] of noticedBy) log(`  ${times} noticed by: ${test}`)
      for (const { id, line } of survivors) {
        if (!listed[file]?.[id]) log(`  line ${line}: ${id}`)
      }
    })
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

/** Plausible mistakes in the query API, each with the test that must notice it. */
const mistakes: readonly Mistake[] = JSON.parse(sourceOf('reliability/query-mutants/mistakes.json'))

export const queryMutants = check({
  id: 'R32',
  claim: 'The tests of the query API detect a mistake in any of its conditions.',
  target:
    'Each listed mistake in conditions, orders, cursors, days, sums, currencies, search and the binding to a brand makes the test fail that is named for it, and that test passes without the mistake.',
  sizes: { short: { count: 3 }, full: { count: null } as { readonly count: number | null } },
  try: async ({ count }, { seed, log }) => {
    const misses: string[] = []
    // The short form also verifies that each listed text is still in its file.
    for (const mistake of mistakes) {
      try {
        withMistake(sourceOf(mistake.file), mistake)
      } catch (error) {
        misses.push(`${mistake.about}: ${(error as Error).message}`)
      }
    }
    const tried = drawn(mistakes, count, seed)
    const files = [...Map.groupBy(tried, ({ test }) => test)]
    await inTwoLanes(files, async ([test, own]) => {
      const { passed, failed, output } = await runTest({ test, noticedBy: null }, null)
      const missing = own.filter(({ noticedBy }) => !passed.has(noticedBy))
      if (missing.length === 0 && failed.size === 0) return
      const names = missing.map(({ noticedBy }) => noticedBy)
      misses.push(`${test} without a mistake: ${names.join(', ')} ${output.slice(-1_000)}`)
    })
    let noticed = 0
    await inTwoLanes(tried, async (mistake) => {
      const { failed, isOver, output } = await runTest(mistake, mistake)
      const isNoticed = isOver || failed.has(mistake.noticedBy)
      log(`${isNoticed ? 'noticed' : 'NOT NOTICED'}: ${mistake.about}`)
      if (isNoticed) noticed += 1
      else
        misses.push(`${mistake.about}: "${mistake.noticedBy}" did not fail: ${output.slice(-600)}`)
    })
    const sources = new Set(tried.map(({ file }) => file)).size
    const tests = new Set(tried.map(({ test, noticedBy }) => `${test} ${noticedBy}`)).size
    return {
      measured: `${noticed} of ${tried.length} mistakes in ${sources} files noticed by the test that is named for each; ${tests} tests are named.`,
      counts: { mistakes: tried.length, noticed, files: sources, tests },
      misses,
    }
  },
})
