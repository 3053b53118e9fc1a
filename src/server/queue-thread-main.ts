import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { catalog } from '#contract'
import { openQueueDatabase } from '#database'
import { memoryLimit } from '#installation'
import { openBatchQueue } from '#intake'
import { createStore } from '#store'
import { createApplyThread } from './apply-thread.ts'
import { failureOf } from './call-failure.ts'
import type { QueueCall, QueueMessage, ThreadData } from './queue-thread.ts'
import { createServiceRecorder } from './service-audit.ts'
import { openServiceDatabase } from './service-database.ts'

const { config, mapsFolder, limits } = workerData as ThreadData
const post = (message: QueueMessage) => parentPort?.postMessage(message)

const memoryMb = memoryLimit() / 2 ** 20

/** A batch that is being committed is in memory as a whole, and takes up to 100 MB. */
const brandsAtOnce = Math.min(4, Math.max(1, Math.floor(memoryMb / 256)))

const open = async () => {
  const records = openServiceDatabase(config)
  const database = openQueueDatabase(config.databaseUrl, records)
  const recordAudit = await createServiceRecorder(records)
  const store = await createStore(catalog, records, {
    log: (sentence) => post({ log: sentence, level: 'info' }),
    repairsSecurity: false,
    recordAudit,
  })
  // All groups of SQLite are applied in the thread, and only large ones of PostgreSQL.
  const isKept = records.dialect.name === 'sqlite'
  const applier = createApplyThread({ config, keepMs: limits.keepMs, isKept })
  const queue = await openBatchQueue({
    applier,
    store,
    database,
    mapsFolder,
    limits,
    brandsAtOnce,
    now: Date.now,
    newId: randomUUID,
    recordAudit,
    onFailure: (brand, error) => {
      const of = brand === null ? 'The queue' : `The queue of ${brand}`
      const { stack, message } = failureOf(error)
      post({ log: `${of} waits: ${stack ?? message}`, level: 'warn' })
    },
    onQuarantined: ({ id, brand, attempts, lastError }) =>
      post({
        log: `The batch ${id} of ${brand} is in quarantine after ${attempts} attempts: ${lastError} See: selvedge intake show ${id}`,
        level: 'warn',
      }),
    onReleasedProblem: (brand, { field, value, reason }) =>
      post({
        log: `Quarantined rows of ${brand}: ${[field, value, reason].filter(Boolean).join(' ')}. See: selvedge intake rows --brand ${brand}`,
        level: 'warn',
      }),
  })
  const close = async () => {
    await queue.close()
    await applier.close()
    await database.close()
    await records.close()
  }
  return { ...queue, close }
}

const run = async (queue: Awaited<ReturnType<typeof open>>, call: QueueCall): Promise<unknown> => {
  switch (call.name) {
    case 'accept':
      return queue.accept(call.request)
    case 'find':
      return queue.find(call.brand, call.id)
    case 'finished':
      return queue.finished(call.brand, call.id, call.waitMs)
    case 'close':
      return queue.close()
  }
}

try {
  const queue = await open()
  parentPort?.on('message', async ({ call, ...rest }: { readonly call: number } & QueueCall) => {
    try {
      post({ call, result: await run(queue, rest as QueueCall) })
    } catch (error) {
      post({ call, failure: failureOf(error) })
    }
  })
  post({ opened: true })
} catch (error) {
  post({ notOpened: failureOf(error) })
}
