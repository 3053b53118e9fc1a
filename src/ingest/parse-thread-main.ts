import { parentPort, workerData } from 'node:worker_threads'
import { catalog, resourceAt } from '#contract'
import { type Answer, batchesAhead, type Order } from './parse-thread.ts'
import { SourceRefused } from './row.ts'
import { movable } from './row-batch.ts'
import { readChecked } from './validate.ts'

const { collection, source, owner, goodBefore } = workerData as Order
const tell = (answer: Answer, moved: ArrayBuffer[] = []) => parentPort?.postMessage(answer, moved)

let ahead = 0
let wake: () => void = () => undefined
parentPort?.on('message', () => {
  ahead -= 1
  wake()
})

const room = async (): Promise<void> => {
  while (ahead >= batchesAhead) {
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

try {
  const whole = { ...source, resource: resourceAt(catalog, collection) }
  for await (const batch of readChecked({ catalog, source: whole, owner, goodBefore })) {
    ahead += 1
    const [moving, bytes] = movable(batch)
    tell({ batch: moving }, bytes)
    await room()
  }
  tell({ done: true })
} catch (error) {
  if (!(error instanceof SourceRefused)) throw error
  tell({ refused: error.message })
}
