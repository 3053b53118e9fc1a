import { createSemaphore, type Release } from '#concurrency'
import {
  DatabaseError,
  type IsCancelled,
  QueryTimeoutError,
  ReadCancelledError,
} from './database.ts'

/** Reads of one owner that may wait. */
const waitingMax = 1_000
/** How long a read waits, in time limits: each read before it may need a whole one. */
const waitLimits = 5

/** Milliseconds until the read has to end; throws once they are over, or the read is cancelled. */
export type TimeLeft = () => number

/** What may end a read before its time is over. */
export interface ReadLimits {
  /** The time of the read, instead of `queryMs`. */
  readonly timeMs?: number | undefined
  /** Whether the read does not wait for room. */
  readonly hasRoom?: boolean | undefined
  readonly requestLeftMs?: () => number
  readonly isCancelled?: IsCancelled | undefined
}

export interface LongReads {
  /**
   * Runs a long read as soon as there is room. From then on it may take `queryMs`, but not longer than
   * the request has left: where that is nothing, the work is not started.
   */
  run<T>(owner: number, work: (timeLeft: TimeLeft) => Promise<T>, limits?: ReadLimits): Promise<T>
}

/** Limits long reads: a few at a time, owners served in turn, each with a time limit. */
export const createLongReads = (atOnceMax: number, queryMs: number): LongReads => {
  const semaphore = createSemaphore({
    total: atOnceMax,
    // One owner alone cannot keep the others waiting.
    perOwner: Math.max(1, Math.floor(atOnceMax / 2)),
    waitingPerOwner: waitingMax,
    waitMs: waitLimits * queryMs,
  })
  const enter = async (owner: number): Promise<Release> => {
    try {
      return await semaphore.acquire(String(owner))
    } catch (error) {
      const message = 'Too many long queries are in progress.'
      throw new DatabaseError(message, { cause: error })
    }
  }
  return {
    run: async (owner, work, limits = {}) => {
      const { timeMs, hasRoom = false, requestLeftMs = () => queryMs, isCancelled } = limits
      const leave = hasRoom ? null : await enter(owner)
      const limitMs = timeMs ?? Math.min(queryMs, requestLeftMs())
      const deadline = performance.now() + limitMs
      const timeLeft = () => {
        if (isCancelled?.()) throw new ReadCancelledError('The client has closed its connection.')
        const left = deadline - performance.now()
        if (left > 0) return left
        throw new QueryTimeoutError(`A read took longer than ${Math.round(limitMs)} ms.`)
      }
      try {
        // The request may have timed out, or its client may have left, while this waited.
        timeLeft()
        return await work(timeLeft)
      } finally {
        leave?.()
      }
    },
  }
}
