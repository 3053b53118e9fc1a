import { parentPort, workerData } from 'node:worker_threads'
import { checkOutdated } from '#check'
import { catalog } from '#contract'
import { DatabaseBusyError } from '#database'
import { lowerThreadPriority } from '#installation'
import { createStore } from '#store'
import type { CheckMessage, CheckThreadData } from './check-thread.ts'
import { openServiceDatabase } from './service-database.ts'

lowerThreadPriority(10)

const { config, sliceMs } = workerData as CheckThreadData
const database = openServiceDatabase(config, { creates: false })
let opening: ReturnType<typeof createStore> | undefined

const check = async (brand: string): Promise<CheckMessage> => {
  const end = performance.now() + sliceMs
  let begun = 0
  /** At least one rule is checked. */
  const isOver = () => begun++ > 0 && performance.now() > end
  try {
    opening ??= createStore(catalog, database, { repairsSecurity: false, creates: false })
    const store = await opening
    const result = await checkOutdated({
      ...{ store, database, catalog },
      ...{ brand, now: Date.now(), isOver },
    })
    if ('holder' in result) return { outcome: 'elsewhere' }
    return { outcome: result.left === 0 ? 'done' : 'unfinished' }
  } catch (error) {
    // An import holds the write lock; it checks its records itself.
    if (error instanceof DatabaseBusyError) return { outcome: 'elsewhere' }
    opening = undefined
    return { outcome: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}

parentPort?.on('message', async (brand: string) => {
  parentPort?.postMessage(await check(brand))
})
