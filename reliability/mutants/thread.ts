/** Tries mutants of one module, each as a module of its own beside the real ones. */
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { type Mutant, withMutant } from './mutate.ts'
import { type SuiteName, suites } from './suites.ts'

export interface ThreadTask {
  readonly name: SuiteName
  readonly mutants: readonly Mutant[]
  /** The first that is to be tried; those before are done. */
  readonly from: number
}

/** `began` and `survived` or `killed` follow each other for each mutant. */
export interface ThreadMessage {
  readonly index: number
  readonly is: 'begun' | 'killed' | 'survived'
}

const { name, mutants, from } = workerData as ThreadTask
const { default: suite } = await suites[name]()
const url = new URL(`../../${suite.file}`, import.meta.url)
const text = readFileSync(url, 'utf8')

registerHooks({
  load: (address, context, next) => {
    const [, index] = /\?mutant=(\d+)$/.exec(address) ?? []
    const mutant = mutants[Number(index)]
    if (!mutant) return next(address, context)
    const source = stripTypeScriptTypes(withMutant(text, mutant))
    return { format: 'module', source, shortCircuit: true }
  },
})

/** Something broke where no check waits for it, which would end the process of a test. */
let broke = false
const breaks = () => {
  broke = true
}
process.on('unhandledRejection', breaks)
process.on('uncaughtException', breaks)

const survives = async (index: number): Promise<boolean> => {
  broke = false
  try {
    const module: unknown = await import(`${url}?mutant=${index}`)
    for (const check of Object.values(suite.checks)) await check(module)
  } catch {
    return false
  } finally {
    await new Promise((done) => setImmediate(done))
  }
  return !broke
}

const say = (message: ThreadMessage) => parentPort?.postMessage(message)
for (let index = from; index < mutants.length; index += 1) {
  say({ index, is: 'begun' })
  say({ index, is: (await survives(index)) ? 'survived' : 'killed' })
}
process.exit(0)
