import { readFileSync } from 'node:fs'
import { seeded } from '../test/support/model.ts'
import { check } from './check.ts'
import { type Mistake, withMistake } from './query-mutants/mistake.ts'
import { mistakes } from './query-mutants/mistakes.ts'
import { runTest } from './query-mutants/run.ts'

interface Size {
  /** How many of the mistakes are tried, drawn by the seed; null for all of them. */
  readonly mistakes: number | null
}

const drawMistakes = (count: number | null, seed: number): readonly Mistake[] => {
  if (count === null) return mistakes
  const draw = seeded(seed)
  const rest = [...mistakes]
  return Array.from({ length: count }, () => rest.splice(draw(rest.length), 1)).flat()
}

/** Does work for each of several, two at a time. */
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

export default check<Size>({
  id: 'R32',
  claim: 'The tests of the query API detect a mistake in any of its conditions.',
  target:
    'Each listed mistake in conditions, orders, cursors, days, sums, currencies, search and the binding to a brand makes the test fail that is named for it, and that test passes without the mistake.',
  sizes: { short: { mistakes: 3 }, full: { mistakes: null } },
  try: async ({ mistakes: count }, { seed, log }) => {
    const misses: string[] = []
    // A text that is no longer in its file is noticed in the short form too.
    for (const mistake of mistakes) {
      const source = readFileSync(new URL(`../${mistake.file}`, import.meta.url), 'utf8')
      try {
        withMistake(source, mistake)
      } catch (error) {
        misses.push(`${mistake.about}: ${(error as Error).message}`)
      }
    }
    const drawn = drawMistakes(count, seed)
    const files = [...Map.groupBy(drawn, ({ test }) => test)]
    await inTwoLanes(files, async ([test, own]) => {
      const { passed, failed, output } = await runTest({ test, noticedBy: null }, null)
      const missing = own.filter(({ noticedBy }) => !passed.has(noticedBy))
      if (missing.length === 0 && failed.size === 0) return
      const names = missing.map(({ noticedBy }) => noticedBy)
      misses.push(`${test} without a mistake: ${names.join(', ')} ${output.slice(-1_000)}`)
    })
    let noticed = 0
    await inTwoLanes(drawn, async (mistake) => {
      const { failed, isOver, output } = await runTest(mistake, mistake)
      const isNoticed = isOver || failed.has(mistake.noticedBy)
      log(`${isNoticed ? 'noticed' : 'NOT NOTICED'}: ${mistake.about}`)
      if (isNoticed) noticed += 1
      else
        misses.push(`${mistake.about}: "${mistake.noticedBy}" did not fail: ${output.slice(-600)}`)
    })
    const sources = new Set(drawn.map(({ file }) => file)).size
    const tests = new Set(drawn.map(({ test, noticedBy }) => `${test} ${noticedBy}`)).size
    return {
      measured: `${noticed} of ${drawn.length} mistakes in ${sources} files noticed by the test that is named for each; ${tests} tests are named.`,
      counts: { mistakes: drawn.length, noticed, files: sources, tests },
      misses,
    }
  },
})
