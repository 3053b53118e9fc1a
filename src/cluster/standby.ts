import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '#observability'
import { pauseMs, youngMs } from './backoff.ts'
import type { WorkerProcess } from './worker-process.ts'

/** One worker that is prepared and waits for a place. */
export interface Spare {
  /** Starts one if there is none; again and ever later if it ends before it is taken. */
  keep(): void
  /** Hands over the one that waits, prepared or nearly so, if there is one. */
  take(): WorkerProcess | undefined
  /** Puts a new one in its place. Rejects when that cannot start; the old one then stays. */
  replace(): Promise<void>
}

export interface SpareParts {
  /** Starts a worker without having it begin. */
  readonly start: () => WorkerProcess
  readonly log: Pick<Log, 'error'>
  readonly stopping: AbortSignal
}

export const openSpare = ({ start, log, stopping }: SpareParts): Spare => {
  let waiting: WorkerProcess | undefined
  let starting = false
  /** How often in a row it ended young, or could not start. */
  let failures = 0

  const hold = async (worker: WorkerProcess) => {
    waiting = worker
    let preparedAt = Number.POSITIVE_INFINITY
    let error: unknown
    await worker.prepared.then(
      () => {
        preparedAt = performance.now()
      },
      (reason: unknown) => {
        error = reason
      },
    )
    const how = await worker.gone
    if (stopping.aborted || waiting !== worker) return
    waiting = undefined
    failures = performance.now() - preparedAt < youngMs ? failures + 1 : 0
    log.error({ pid: worker.pid, error }, `The spare worker ended ${how}; another is started.`)
    await keep()
  }

  const keep = async () => {
    if (waiting || starting) return
    starting = true
    await wait(pauseMs(failures), undefined, { signal: stopping }).catch(() => undefined)
    starting = false
    if (!waiting && !stopping.aborted) void hold(start())
  }

  return {
    keep: () => void keep(),
    take: () => {
      const taken = waiting
      waiting = undefined
      failures = 0
      return taken
    },
    replace: async () => {
      const worker = start()
      await worker.prepared
      const old = waiting
      failures = 0
      void hold(worker)
      await old?.stop()
    },
  }
}
