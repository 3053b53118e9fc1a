/** Keys that are limited to groups: requests of all kinds with random limits, and mutants of each check. */
import { readFileSync } from 'node:fs'
import { openPostgres } from '../test/support/postgres.ts'
import { drawScope, type ProbeSize, probeScope } from '../test/support/scope-probes.ts'
import { check, type Task } from './check.ts'
import { patient } from './engine.ts'
import { type Mistake, withMistake } from './query-mutants/mistake.ts'
import { runTest } from './query-mutants/run.ts'

interface Size {
  readonly scopes: number
  readonly scopesOnPostgres: number
  /** Requests of each kind that are answered, and that are refused; null for all. */
  readonly each: number | null
  /** Mutants; null for all. */
  readonly mutants: number | null
}

const sourceOf = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

/** Each check that keeps a group out, removed. */
const mistakes: readonly Mistake[] = JSON.parse(
  sourceOf('reliability/group-isolation/mistakes.json'),
)

const tryMutants = async (count: number | null, misses: string[], { seed, log }: Task) => {
  for (const mistake of mistakes) {
    try {
      withMistake(sourceOf(mistake.file), mistake)
    } catch (error) {
      misses.push(`${mistake.about}: ${(error as Error).message}`)
    }
  }
  const most = count ?? mistakes.length
  const tried = mistakes
    .slice(seed % mistakes.length)
    .concat(mistakes)
    .slice(0, most)
  let detected = 0
  for (const mistake of tried) {
    const { failed, isOver, output } = await runTest(mistake, mistake)
    const isDetected = isOver || failed.has(mistake.noticedBy)
    log(`${isDetected ? 'detected' : 'NOT DETECTED'}: ${mistake.about}`)
    if (isDetected) detected += 1
    else misses.push(`The mutant "${mistake.about}" was not detected: ${output.slice(-600)}`)
  }
  return { tried: tried.length, detected }
}

export default check<Size>({
  id: 'R45',
  claim: 'A key that is limited to groups sees nothing of the others.',
  target:
    'Whatever a key with random groups requests, with cold and warm caches, it gets the answer of a database that never had the records of other groups, or 401 if it names one. A mutant that removes any one of the checks is detected.',
  sizes: {
    short: { scopes: 1, scopesOnPostgres: 1, each: 2, mutants: 1 },
    full: { scopes: 6, scopesOnPostgres: 2, each: null, mutants: null },
  },
  try: async (size, task) => {
    const misses: string[] = []
    const counts = { sqlite: 0, postgres: 0, refused: 0, compared: 0 }
    const run = async (
      engine: 'sqlite' | 'postgres',
      at: number,
      environments: Pick<ProbeSize, 'environment' | 'otherEnvironment'>,
    ) => {
      const seed = task.seed + at
      const { each } = size
      const result = await probeScope(drawScope(seed), {
        ...environments,
        ...(each !== null && { each }),
        seed,
      })
      counts[engine] += result.sent
      counts.refused += result.refused
      counts.compared += result.compared
      for (const wrong of result.wrong) misses.push(`${engine}, seed ${seed}: ${wrong}`)
      task.log(`${engine}, seed ${seed}: ${result.sent} requests, ${result.wrong.length} wrong`)
    }
    for (let at = 0; at < size.scopes; at += 1) await run('sqlite', at, {})
    const postgres = await openPostgres()
    try {
      for (let at = 0; at < size.scopesOnPostgres; at += 1) {
        const [one, other] = [await postgres.url(`all${at}`), await postgres.url(`some${at}`)]
        await run('postgres', at, {
          environment: { DATABASE_URL: patient(one) },
          otherEnvironment: { DATABASE_URL: patient(other) },
        })
      }
    } finally {
      await postgres.close()
    }
    const leaks = misses.length
    const { tried, detected } = await tryMutants(size.mutants, misses, task)
    const count = (value: number) => value.toLocaleString('en')
    return {
      measured: `${count(counts.sqlite)} requests on SQLite and ${count(counts.postgres)} on PostgreSQL with ${size.scopes + size.scopesOnPostgres} random limits, ${leaks} leaks; ${count(counts.compared)} answers compared with a database without the other groups; ${detected} of ${tried} mutants detected.`,
      counts: { ...counts, leaks, mutants: tried, detected },
      misses,
    }
  },
})
