import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '#observability'
import { backoffMs, earlyExitMs } from './backoff.ts'
import { forkWorker, type Heartbeat, type WorkerProcess } from './worker-process.ts'

/** Keeps one process running beside those that serve, which wait for it neither to start nor to stop. */
export interface Companion {
  /** Replaces the process by a new one. */
  replace(): Promise<void>
  /** Asks the process to stop, and kills it if that takes too long. */
  stop(): Promise<void>
  kill(): void
}

export interface CompanionParts {
  /** The module that it runs. It calls `connectWorker`, and opens its own socket. */
  readonly program: string | URL
  readonly args: readonly string[]
  /** What the log calls it. */
  readonly noun: string
  readonly log: Pick<Log, 'info' | 'error'>
  /** Called for each process when it is started. */
  readonly onProcess: (process: WorkerProcess) => void
}

const startMs = 30_000
/** For what it is doing when it is replaced. A server that stops does not wait for it. */
const stopMs = 60_000
/**
 * It may write to SQLite itself, which removes all records of a collection in one statement. If it were
 * killed meanwhile, the removal would never succeed.
 */
const heartbeat: Heartbeat = { everyMs: 1_000, unansweredMax: 300 }

/** Starts the process, and again with backoff whenever it exits or cannot start. */
export const openCompanion = (parts: CompanionParts): Companion => {
  const { program, args, noun, log } = parts
  const stopping = new AbortController()
  let current: WorkerProcess
  /** A process that was asked to stop so that another one starts. */
  let retired: WorkerProcess | null = null

  const start = () => {
    current = forkWorker({ program, args, startMs, stopMs, heartbeat })
    parts.onProcess(current)
    current.begin()
    return current
  }

  const keep = async (): Promise<void> => {
    let failures = 0
    /** Logged once: it may be the same for hours. */
    let logged = ''
    for (let worker = start(); ; worker = start()) {
      let readyAt = Number.POSITIVE_INFINITY
      let problem = ''
      await worker.ready.then(
        () => {
          readyAt = performance.now()
          if (logged !== '') log.info(`The ${noun} is ready.`)
          logged = ''
        },
        (error: Error) => {
          problem = `The ${noun} could not start. ${error.message}`
        },
      )
      const reason = await worker.exited
      if (stopping.signal.aborted) return
      if (worker !== retired) {
        problem ||= `The ${noun} exited ${reason}; starting another.`
        if (problem !== logged) log.error({ pid: worker.pid }, problem)
        logged = problem
      }
      failures = performance.now() - readyAt < earlyExitMs ? failures + 1 : 0
      await wait(backoffMs(failures), undefined, stopping).catch(() => undefined)
      if (stopping.signal.aborted) return
    }
  }

  void keep()
  return {
    replace: () => {
      retired = current
      return current.stop()
    },
    stop: () => {
      stopping.abort()
      return current.stop()
    },
    kill: () => {
      stopping.abort()
      current.kill()
    },
  }
}
