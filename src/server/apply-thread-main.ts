import { parentPort, workerData } from 'node:worker_threads'
import { catalog } from '#contract'
import { DatabaseBusyError, DatabaseOutageError, openQueueDatabase } from '#database'
import { lowerThreadPriority, memoryLimit } from '#installation'
import { openGroupApplier } from '#intake'
import { createStore } from '#store'
import type { ApplyCall, ApplyMessage, ApplyOrder, ApplyThreadData } from './apply-thread.ts'
import { errorOf, failureOf } from './call-failure.ts'
import { createServiceRecorder } from './service-audit.ts'
import { openServiceDatabase } from './service-database.ts'

const { config, keepMs } = workerData as ApplyThreadData
const post = (message: ApplyMessage) => parentPort?.postMessage(message)

/**
 * Holds the pages of a batch of a thousand records, spread over a large collection and its indexes.
 * A smaller cache reads and writes them several times.
 */
const writeCacheMb = Math.min(128, Math.floor(memoryLimit() / 2 ** 20 / 8))

lowerThreadPriority(5)

const open = async () => {
  const records = openServiceDatabase(config, { writeCacheMb, checkpointsInThread: true })
  const database = openQueueDatabase(config.databaseUrl, records)
  const close = async () => {
    await database.close()
    await records.close()
  }
  try {
    const recordAudit = await createServiceRecorder(records)
    const store = await createStore(catalog, records, { repairsSecurity: false, recordAudit })
    return { ...(await openGroupApplier({ store, database, keepMs, now: Date.now })), close }
  } catch (error) {
    await close()
    throw error
  }
}

let opening: ReturnType<typeof open> | undefined

/** The groups that wait for an answer to `locked`. */
const locked = new Map<number, PromiseWithResolvers<void>>()

const apply = async ({ call, brand, group }: ApplyCall) => {
  try {
    opening ??= open()
    const { apply } = await opening.catch((error: unknown) => {
      // The next group tries it again.
      opening = undefined
      throw unopened(error)
    })
    await apply(brand, group, {
      onLocked: () => {
        const answer = Promise.withResolvers<void>()
        locked.set(call, answer)
        post({ call, locked: true })
        return answer.promise
      },
      onBegun: (begun) => post({ call, begun }),
      onFinished: (finished) => post({ call, finished }),
      onReleasedProblem: (...parked) => post({ call, parked }),
    })
    post({ call, failure: null })
  } catch (error) {
    post({ call, failure: failureOf(error) })
  }
}

/** No batch is at fault if the store cannot be opened, for whatever reason. */
const unopened = (error: unknown): unknown => {
  if (error instanceof DatabaseOutageError || error instanceof DatabaseBusyError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new DatabaseOutageError(message, { cause: error })
}

const close = async () => {
  const opened = await opening?.catch(() => undefined)
  await opened?.close()
  post({ closed: true })
}

parentPort?.on('message', (order: ApplyOrder) => {
  if ('close' in order) void close()
  else if ('call' in order) void apply(order)
  else {
    const answer = locked.get(order.begun)
    locked.delete(order.begun)
    if (order.failure) answer?.reject(errorOf(order.failure))
    else answer?.resolve()
  }
})
