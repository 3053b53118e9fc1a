import { Worker } from 'node:worker_threads'
import type { MutatedModule } from './modules.ts'
import type { Mutant } from './mutate.ts'
import type { ThreadMessage, ThreadTask } from './thread.ts'

/** A mutant that takes longer counts as noticed: its tests would time out. */
const limitMs = 20_000

export interface MutationResult {
  /** The mutants that no test noticed. */
  readonly survivors: readonly Mutant[]
  /** The number of mutants that each test was the first to notice. */
  readonly noticedBy: ReadonlyMap<string, number>
}

/** Tests mutants of one module in a thread. */
export const tryMutants = async (
  module: MutatedModule,
  mutants: readonly Mutant[],
): Promise<MutationResult> => {
  const survivors: Mutant[] = []
  const noticedBy = new Map<string, number>()
  const record = ({ index, state, test }: ThreadMessage) => {
    const mutant = mutants[index]
    if (state === 'survived' && mutant) survivors.push(mutant)
    if (state === 'noticed' && test !== null) noticedBy.set(test, (noticedBy.get(test) ?? 0) + 1)
  }
  let from = 0
  while (from < mutants.length) from = await runFrom({ module, mutants, from }, record)
  return { survivors, noticedBy }
}

/** Runs to the end or until a mutant hangs. Returns the index to continue at. */
const runFrom = (task: ThreadTask, record: (message: ThreadMessage) => void): Promise<number> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL('thread.ts', import.meta.url), { workerData: task })
    let at = task.from
    const hang = () => void thread.terminate().then(() => resolve(at + 1))
    let limit: NodeJS.Timeout | undefined
    thread.on('message', (message: ThreadMessage) => {
      clearTimeout(limit)
      at = message.index
      record(message)
      if (message.state === 'started') limit = setTimeout(hang, limitMs)
    })
    thread.once('error', reject)
    thread.once('exit', (code) => {
      clearTimeout(limit)
      // A thread exits early if a mutant leaves nothing to wait for.
      resolve(code === 0 ? task.mutants.length : at + 1)
    })
  })
