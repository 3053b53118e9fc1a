import { parentPort, workerData } from 'node:worker_threads'
import { checkOutdated } from '#check'
import { catalog } from '#contract'
import { openDatabase } from '#database'
import { lowerThreadPriority } from '#installation'
import { createStore } from '#store'
import type { CheckMessage, CheckThreadOptions } from './check-thread.ts'

/** No further rule starts after this time; the next check covers the remaining ones. */
const checkMsMax = 30_000

lowerThreadPriority(10)

const { databaseUrl } = workerData as Pick<CheckThreadOptions, 'databaseUrl'>
const database = openDatabase(databaseUrl)
const opening = createStore(catalog, database, { repairsSecurity: false })

const check = async (brand: string): Promise<string | null> => {
  const end = performance.now() + checkMsMax
  try {
    const isOver = () => performance.now() > end
    await checkOutdated({
      ...{ store: await opening, database, catalog },
      ...{ brand, now: Date.now(), isOver },
    })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

parentPort?.on('message', async (brand: string) => {
  const message: CheckMessage = { brand, failure: await check(brand) }
  parentPort?.postMessage(message)
})
