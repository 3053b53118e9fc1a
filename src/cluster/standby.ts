import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '#observability'
import { backoffMs, earlyExitMs } from './backoff.ts'
import type { WorkerProcess } from './worker-process.ts'

/** One prepared worker that waits to replace another. */
export interface Standby {
  /** Starts one if there is none, and again with backoff if it exits before it is used. */
  keep(): void
  /** Returns the waiting worker, if there is one. */
  take(): WorkerProcess | undefined
  /** Replaces it with a new one. Rejects if that cannot start; the old one then stays. */
  replace(): Promise<void>
}

export interface StandbyParts {
  /** Starts a worker that does not accept connections yet. */
  readonly start: () => WorkerProcess
  readonly log: Pick<Log, 'error'>
  readonly stopping: AbortSignal
}

export const createStandby = ({ start, log, stopping }: StandbyParts): Standby => {
  let waiting: WorkerProcess | undefined
  let starting = false
  /** Consecutive early exits and failed starts. */
  let failures = 0

  const watch = async (worker: WorkerProcess) => {
    waiting = worker
    let preparedAt = Number.POSITIVE_INFINITY
    let error: unknown
    await worker.prepared.then(
      () => {
        preparedAt = performance.now()
      },
      (cause: unknown) => {
        error = cause
      },
    )
    const reason = await worker.exited
    if (stopping.aborted || waiting !== worker) return
    waiting = undefined
    failures = performance.now() - preparedAt < earlyExitMs ? failures + 1 : 0
    log.error({ pid: worker.pid, error }, `The standby worker exited ${reason}; starting another.`)
    await keep()
  }

  const keep = async () => {
    if (waiting || starting) return
    starting = true
    await wait(backoffMs(failures), undefined, { signal: stopping }).catch(() => undefined)
    starting = false
    if (!waiting && !stopping.aborted) void watch(start())
  }

  return {
    keep: () => void keep(),
    take: () => {
      const worker = waiting
      waiting = undefined
      failures = 0
      return worker
    },
    replace: async () => {
      const worker = start()
      await worker.prepared
      const old = waiting
      failures = 0
      void watch(worker)
      await old?.stop()
    },
  }
}
