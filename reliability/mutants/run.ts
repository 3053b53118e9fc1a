import { Worker } from 'node:worker_threads'
import type { Mutant } from './mutate.ts'
import type { SuiteName } from './suites.ts'
import type { ThreadMessage, ThreadTask } from './thread.ts'

/** A mutant that takes so long has been noticed: nobody's tests would end. */
const limitMs = 20_000

/** Tries mutants of one module in a thread; says which of them no check noticed. */
export const survivorsAmong = async (
  name: SuiteName,
  mutants: readonly Mutant[],
): Promise<readonly Mutant[]> => {
  const survivors: Mutant[] = []
  let from = 0
  while (from < mutants.length) from = await runFrom({ name, mutants, from }, survivors)
  return survivors
}

/** Runs until the end or until a mutant hangs; returns where to go on. */
const runFrom = (task: ThreadTask, survivors: Mutant[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL('thread.ts', import.meta.url), { workerData: task })
    let at = task.from
    const hang = () => void thread.terminate().then(() => resolve(at + 1))
    let limit: NodeJS.Timeout | undefined
    thread.on('message', ({ index, is }: ThreadMessage) => {
      clearTimeout(limit)
      at = index
      const mutant = task.mutants[index]
      if (is === 'survived' && mutant) survivors.push(mutant)
      if (is === 'begun') limit = setTimeout(hang, limitMs)
    })
    thread.once('error', reject)
    thread.once('exit', (code) => {
      clearTimeout(limit)
      // With nothing left to wait for, a thread ends before its last mutant has.
      resolve(code === 0 ? task.mutants.length : at + 1)
    })
  })
