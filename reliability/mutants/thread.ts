/** Runs the test file of a module with each mutant in place of the module. */
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { takeTests } from './collected-tests.ts'
import { type MutatedModule, mutatedModules } from './modules.ts'
import { type Mutant, withMutant } from './mutate.ts'

export interface ThreadTask {
  readonly module: MutatedModule
  readonly mutants: readonly Mutant[]
  /** The first mutant to test; earlier ones are done. */
  readonly from: number
}

/** Each mutant sends `started`, then `survived` or `noticed`. */
export interface ThreadMessage {
  readonly index: number
  readonly state: 'started' | 'noticed' | 'survived'
  /** The test that noticed the mutant; null if the file could not be loaded with it. */
  readonly test: string | null
}

const { module, mutants, from } = workerData as ThreadTask
const fileUrl = (path: string) => new URL(`../../${path}`, import.meta.url).href
const moduleUrl = fileUrl(module)
const testUrl = fileUrl(mutatedModules[module])
const collectorUrl = new URL('collected-tests.ts', import.meta.url).href
const sourceOf = (url: string) => readFileSync(new URL(url), 'utf8')
const moduleSource = sourceOf(moduleUrl)
const testSource = stripTypeScriptTypes(sourceOf(testUrl))

registerHooks({
  resolve: (specifier, context, next) => {
    const query = /^(.*)(\?mutant=\d+)$/.exec(context.parentURL ?? '')
    if (query?.[1] !== testUrl) return next(specifier, context)
    if (specifier === 'node:test') return { url: collectorUrl, shortCircuit: true }
    const resolved = next(specifier, context)
    return resolved.url === moduleUrl ? { ...resolved, url: `${moduleUrl}${query[2]}` } : resolved
  },
  load: (url, context, next) => {
    const [, file, index] = /^(.*)\?mutant=(\d+)$/.exec(url) ?? []
    const mutant = mutants[Number(index)]
    if (!mutant) return next(url, context)
    const source =
      file === testUrl ? testSource : stripTypeScriptTypes(withMutant(moduleSource, mutant))
    return { format: 'module', source, shortCircuit: true }
  },
})

/** An error outside of a test, which would end the process of a test file. */
let hasFailed = false
const fail = () => {
  hasFailed = true
}
process.on('unhandledRejection', fail)
process.on('uncaughtException', fail)

const tryMutant = async (index: number): Promise<ThreadMessage> => {
  hasFailed = false
  let test: string | null = null
  try {
    await import(`${testUrl}?mutant=${index}`)
    for (const { name, run } of takeTests()) {
      test = name
      await run()
    }
  } catch {
    takeTests()
    return { index, state: 'noticed', test }
  } finally {
    await new Promise((done) => setImmediate(done))
  }
  return { index, state: hasFailed ? 'noticed' : 'survived', test }
}

const post = (message: ThreadMessage) => parentPort?.postMessage(message)
for (let index = from; index < mutants.length; index += 1) {
  post({ index, state: 'started', test: null })
  post(await tryMutant(index))
}
process.exit(0)
