/**
 * Threads that send requests. A thread has a separate, small heap: in the main thread, garbage
 * collection of the records in memory would take longer than the timed requests.
 */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface LoadThread<Load, Result> {
  send(load: Load): Promise<Result>
  close(): Promise<void>
}

/** Starts the thread of a module that calls `serveLoads`, and waits until it is ready. */
export const startLoadThread = async <Load, Result>(
  program: string,
  target: object,
): Promise<LoadThread<Load, Result>> => {
  const thread = new Worker(new URL(program), { workerData: { program, target } })
  await once(thread, 'message')
  return {
    send: async (load) => {
      thread.postMessage(load)
      const [result] = (await once(thread, 'message')) as [Result]
      return result
    },
    close: async () => {
      await thread.terminate()
    },
  }
}

/** Sends loads if this is the thread started for the module. */
export const serveLoads = <Target, Load, Result>(
  program: string,
  send: (target: Target, load: Load) => Promise<Result>,
): void => {
  if (isMainThread || workerData?.program !== program) return
  const { target } = workerData as { readonly target: Target }
  parentPort?.on('message', async (load: Load) => {
    parentPort?.postMessage(await send(target, load))
  })
  parentPort?.postMessage('ready')
}
