import { parentPort, workerData } from 'node:worker_threads'
import { catalog } from '#contract'
import { createStore } from '#store'
import { failureKindOf, type ThreadMessage } from './convert-thread.ts'
import { type DatabaseConfig, openServiceDatabase } from './service-database.ts'

const post = (message: ThreadMessage) => parentPort?.postMessage(message)
try {
  const database = openServiceDatabase(workerData as DatabaseConfig)
  try {
    await createStore(catalog, database, { log: (sentence) => post({ log: sentence }) })
  } finally {
    await database.close()
  }
} catch (error) {
  const failed = failureKindOf(error)
  if (!failed) throw error
  post({ failed, message: (error as Error).message })
}
