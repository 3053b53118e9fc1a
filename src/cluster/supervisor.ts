import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '#observability'
import { pauseMs, youngMs } from './backoff.ts'
import type { SharedSocket } from './socket.ts'
import { openSpare } from './standby.ts'
import { forkWorker, type Heartbeat, type WorkerProcess } from './worker-process.ts'

/** Keeps a number of workers answering on one socket. */
export interface Supervisor {
  /**
   * Puts a new worker in the place of each, one after another, without losing a request. When a
   * new one cannot start, the old ones stay; resolves with whether all were replaced.
   */
  replaceAll(): Promise<boolean>
  /** Has all workers drain and end. */
  stop(): Promise<void>
  /** Ends all workers at once. */
  kill(): void
}

export interface SupervisorParts {
  /** The module that a worker runs. It calls `superviseWorker`. */
  readonly program: URL
  readonly workers: number
  /** Whether one more is kept that has done all but begin, to take the place of one that ends. */
  readonly spare?: boolean
  readonly socket: SharedSocket
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Told of each worker as it is started, before it has said anything. */
  readonly onWorker?: (worker: WorkerProcess) => void
  /** How long a worker may take until it is prepared, and then until it answers. */
  readonly startMs?: number
  /** How long a worker may take to drain. */
  readonly stopMs?: number
  readonly heartbeat?: Heartbeat
}

/** Ten seconds: longer than any work that a worker does without a pause, on a busy machine too. */
const defaultHeartbeat: Heartbeat = { everyMs: 1_000, unansweredMax: 10 }

/** A worker's place. Whoever is in it, one change at a time happens to it. */
interface Place {
  worker: WorkerProcess
  /** When the worker came to answer. */
  since: number
  /** How often in a row its workers ended young, or could not start. */
  failures: number
  turn: Promise<unknown>
}

/** Resolves when all workers answer; rejects with the reason when one of them cannot. */
export const openSupervisor = async (parts: SupervisorParts): Promise<Supervisor> => {
  const { program, socket, log, onWorker, startMs = 30_000, stopMs = 10_000 } = parts
  const { heartbeat = defaultHeartbeat } = parts
  const staff = new Set<WorkerProcess>()
  const stopping = new AbortController()

  const start = (): WorkerProcess => {
    const worker = forkWorker({
      program,
      descriptor: socket.descriptor,
      startMs,
      stopMs,
      heartbeat,
    })
    staff.add(worker)
    void worker.gone.then(() => staff.delete(worker))
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
    for (const worker of staff) worker.kill()
  }

  const first = Array.from({ length: parts.workers }, () => begin(start()))
  try {
    await Promise.all(first.map(({ ready }) => ready))
  } catch (error) {
    kill()
    await Promise.all(first.map(({ gone }) => gone))
    throw error
  }
  const spare = parts.spare ? openSpare({ start, log, stopping: stopping.signal }) : undefined
  spare?.keep()

  /** Puts a worker that answers in its place, and watches over it. */
  const settle = (place: Place, worker: WorkerProcess) => {
    place.worker = worker
    place.since = performance.now()
    void worker.gone.then((how) => {
      if (stopping.signal.aborted || place.worker !== worker) return
      log.error({ pid: worker.pid }, `A worker ended ${how}; another takes its place.`)
      const isYoung = performance.now() - place.since < youngMs
      place.failures = isYoung ? place.failures + 1 : 0
      return inTurn(place, () => fill(place))
    })
  }
  const places = first.map((worker): Place => {
    const place: Place = { worker, since: 0, failures: 0, turn: Promise.resolve() }
    settle(place, worker)
    return place
  })

  const fill = async (place: Place): Promise<void> => {
    while (!place.worker.employed) {
      await wait(pauseMs(place.failures), undefined, stopping).catch(() => undefined)
      if (stopping.signal.aborted) return
      const worker = begin(spare?.take() ?? start())
      try {
        await worker.ready
        settle(place, worker)
        log.info({ pid: worker.pid }, 'A new worker answers.')
        // Not before: who starts would take the processor from those who answer.
        spare?.keep()
      } catch (error) {
        place.failures += 1
        if (!stopping.signal.aborted) log.error({ error }, 'A new worker could not start.')
      }
    }
  }

  const replace = async (place: Place): Promise<void> => {
    const worker = begin(start())
    await worker.ready
    const old = place.worker
    settle(place, worker)
    await old.stop()
  }

  const replaceEach = async (): Promise<boolean> => {
    try {
      // Before all others: whoever crashes from now on is replaced by a new one, too.
      await spare?.replace()
      for (const place of places) {
        if (stopping.signal.aborted) return false
        await inTurn(place, () => replace(place))
      }
      log.info('All workers have been replaced.')
      return true
    } catch (error) {
      if (!stopping.signal.aborted) {
        log.error({ error }, 'A new worker could not start; the old ones go on.')
      }
      return false
    }
  }

  let last: Promise<boolean> = Promise.resolve(true)
  let next: Promise<boolean> | undefined
  return {
    replaceAll: () => {
      // Asked again while it is under way, all are replaced once more, but never more than that.
      next ??= last.then(() => {
        next = undefined
        last = replaceEach()
        return last
      })
      return next
    },
    stop: async () => {
      stopping.abort()
      // The workers' own hold on it keeps it open until they have asked clients to go.
      socket.close()
      await Promise.all([...staff].map((worker) => worker.stop()))
    },
    kill,
  }
}

const inTurn = (place: Place, work: () => Promise<void>): Promise<void> => {
  const mine = place.turn.then(work)
  place.turn = mine.catch(() => undefined)
  return mine
}
