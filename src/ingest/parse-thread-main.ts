import { parentPort, workerData } from 'node:worker_threads'
import { catalog, resourceAt } from '#contract'
import { batchesAhead, type Job, type ThreadMessage } from './parse-thread.ts'
import { SourceError } from './row.ts'
import { toTransferable } from './row-batch.ts'
import { validateSource } from './validate.ts'

const { collection, source, owner, validBefore, now, keepsBadRows } = workerData as Job
const post = (message: ThreadMessage, transferred: ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, transferred)

let ahead = 0
let wake: () => void = () => undefined
parentPort?.on('message', () => {
  ahead -= 1
  wake()
})

const untilWanted = async (): Promise<void> => {
  while (ahead >= batchesAhead) {
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

try {
  const options = {
    catalog,
    source: { ...source, resource: resourceAt(catalog, collection) },
    owner,
    validBefore,
    now,
    keepsBadRows,
  }
  for await (const validated of validateSource(options)) {
    ahead += 1
    const [batch, buffers] = toTransferable(validated)
    post({ batch }, buffers)
    await untilWanted()
  }
  post({ done: true })
} catch (error) {
  if (!(error instanceof SourceError)) throw error
  post({ sourceError: error.message })
}
