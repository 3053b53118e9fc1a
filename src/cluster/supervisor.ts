import { setTimeout as wait } from 'node:timers/promises'
import { createMutex, type Mutex } from '#concurrency'
import type { Log } from '#observability'
import { backoffMs, earlyExitMs } from './backoff.ts'
import type { SharedSocket } from './socket.ts'
import { createStandby } from './standby.ts'
import {
  defaultHeartbeat,
  forkWorker,
  type Heartbeat,
  type WorkerProcess,
} from './worker-process.ts'

/** Keeps a number of workers serving one socket. */
export interface Supervisor {
  /**
   * Replaces all workers one by one without losing a request. If a new worker cannot start, the
   * remaining old ones stay. Resolves with whether all were replaced.
   */
  replaceAll(): Promise<boolean>
  /** Drains and stops all workers. */
  stop(): Promise<void>
  /** Kills all workers. */
  kill(): void
}

export interface SupervisorParts {
  /** The module that a worker runs. It calls `connectWorker`. */
  readonly program: string | URL
  readonly workers: number
  /** What the log calls a worker. */
  readonly noun?: string
  /** Whether a worker must have exited before its successor is started. */
  readonly isExclusive?: boolean
  /** Whether a prepared standby worker waits to replace one that exits. */
  readonly standby?: boolean
  readonly socket: SharedSocket
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Called for each worker when it is started. */
  readonly onWorker?: (worker: WorkerProcess) => void
  /** Maximum time until a worker is prepared, and then until it is ready. */
  readonly startMs?: number
  /** Maximum time to drain. */
  readonly stopMs?: number
  readonly heartbeat?: Heartbeat
}

/** A slot for one worker. Changes to a slot happen one at a time. */
interface Slot {
  worker: WorkerProcess
  /** When the worker became ready. */
  since: number
  /** Consecutive early exits and failed starts. */
  failures: number
  /** A worker that was stopped so that its successor can start. */
  retired: WorkerProcess | null
  readonly mutex: Mutex
}

/** Resolves when all workers are ready; rejects with the reason if one of them cannot start. */
export const openSupervisor = async (parts: SupervisorParts): Promise<Supervisor> => {
  const { program, socket, log, onWorker, startMs = 30_000, stopMs = 10_000 } = parts
  const { heartbeat = defaultHeartbeat, noun = 'worker', isExclusive = false } = parts
  const workers = new Set<WorkerProcess>()
  const stopping = new AbortController()

  const start = (): WorkerProcess => {
    const worker = forkWorker({
      program,
      descriptor: socket.descriptor,
      startMs,
      stopMs,
      heartbeat,
    })
    workers.add(worker)
    void worker.exited.then(() => workers.delete(worker))
    onWorker?.(worker)
    return worker
  }
  const begin = (worker: WorkerProcess): WorkerProcess => {
    worker.begin()
    return worker
  }
  const kill = () => {
    stopping.abort()
    socket.close()
    for (const worker of workers) worker.kill()
  }

  const first = Array.from({ length: parts.workers }, () => begin(start()))
  try {
    await Promise.all(first.map(({ ready }) => ready))
  } catch (error) {
    kill()
    await Promise.all(first.map(({ exited }) => exited))
    throw error
  }
  const standby = parts.standby
    ? createStandby({ start, log, stopping: stopping.signal })
    : undefined
  standby?.keep()

  /** Assigns a ready worker to a slot, and refills the slot when it exits. */
  const assign = (slot: Slot, worker: WorkerProcess) => {
    slot.worker = worker
    slot.since = performance.now()
    void worker.exited.then((reason) => {
      if (stopping.signal.aborted || slot.worker !== worker || slot.retired === worker) return
      log.error(
        { pid: worker.pid },
        `${isExclusive ? 'The' : 'A'} ${noun} exited ${reason}; starting another.`,
      )
      const isEarly = performance.now() - slot.since < earlyExitMs
      slot.failures = isEarly ? slot.failures + 1 : 0
      return slot.mutex(() => fill(slot))
    })
  }
  const slots = first.map((worker): Slot => {
    const slot: Slot = { worker, since: 0, failures: 0, retired: null, mutex: createMutex() }
    assign(slot, worker)
    return slot
  })

  const fill = async (slot: Slot): Promise<void> => {
    while (!slot.worker.active) {
      await wait(backoffMs(slot.failures), undefined, stopping).catch(() => undefined)
      if (stopping.signal.aborted) return
      const worker = begin(standby?.take() ?? start())
      try {
        await worker.ready
        assign(slot, worker)
        log.info({ pid: worker.pid }, `A new ${noun} is ready.`)
        // Not earlier: a starting process takes CPU time from the workers.
        standby?.keep()
      } catch (error) {
        slot.failures += 1
        if (!stopping.signal.aborted) log.error({ error }, `A new ${noun} could not start.`)
      }
    }
  }

  const replace = async (slot: Slot): Promise<void> => {
    if (isExclusive) {
      slot.retired = slot.worker
      await slot.worker.stop()
      return fill(slot)
    }
    const worker = begin(start())
    await worker.ready
    const old = slot.worker
    assign(slot, worker)
    await old.stop()
  }

  const replaceEach = async (): Promise<boolean> => {
    try {
      // First, so that a worker that crashes from now on is replaced by a new one.
      await standby?.replace()
      for (const slot of slots) {
        if (stopping.signal.aborted) return false
        await slot.mutex(() => replace(slot))
      }
      log.info(isExclusive ? `The ${noun} has been replaced.` : 'All workers have been replaced.')
      return true
    } catch (error) {
      if (!stopping.signal.aborted) {
        log.error({ error }, 'A new worker could not start; the old ones continue.')
      }
      return false
    }
  }

  let last: Promise<boolean> = Promise.resolve(true)
  let next: Promise<boolean> | undefined
  return {
    replaceAll: () => {
      // A call during a replacement queues one more replacement, never more.
      next ??= last.then(() => {
        next = undefined
        last = replaceEach()
        return last
      })
      return next
    },
    stop: async () => {
      stopping.abort()
      // The workers keep their own handles until they have asked their clients to disconnect.
      socket.close()
      await Promise.all([...workers].map((worker) => worker.stop()))
    },
    kill,
  }
}
