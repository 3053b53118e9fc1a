import { createSemaphore, type Release } from '#concurrency'
import {
  type IsCancelled,
  QueryTimeoutError,
  ReadCancelledError,
  ReadLimitError,
} from './database.ts'

/** Maximum number of waiting reads per owner. */
const waitingMax = 1_000
/** Maximum wait, in time limits: each read ahead in the queue may use a whole one. */
const waitLimits = 5

/** Milliseconds left for the read. Throws once its time is over or it is cancelled. */
export type TimeLeft = () => number

/** What may end a read early. */
export interface ReadLimits {
  /** Time limit of the read, instead of the usual one. */
  readonly timeMs?: number | undefined
  /** Whether the read skips the queue for a slot. */
  readonly hasRoom?: boolean | undefined
  readonly requestLeftMs?: () => number
  readonly isCancelled?: IsCancelled | undefined
}

export interface LongReads {
  /**
   * Runs a long read once a slot is free. It may then take its time limit, but no longer than the
   * request has left. Does not start the work if no time is left.
   */
  run<T>(owner: number, work: (timeLeft: TimeLeft) => Promise<T>, limits?: ReadLimits): Promise<T>
}

/** Limits long reads: a few at a time, owners served in turn, each with a time limit. */
export const createLongReads = (
  atOnceMax: number,
  queryMs: number,
  limitMsDefault = queryMs,
): LongReads => {
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
      throw new ReadLimitError(message, { cause: error })
    }
  }
  return {
    run: async (owner, work, limits = {}) => {
      const { timeMs, hasRoom = false, requestLeftMs = () => Infinity, isCancelled } = limits
      const leave = hasRoom ? null : await enter(owner)
      const limitMs = timeMs ?? Math.min(limitMsDefault, requestLeftMs())
      const deadline = performance.now() + limitMs
      const timeLeft = () => {
        if (isCancelled?.()) throw new ReadCancelledError('The client has closed its connection.')
        const left = deadline - performance.now()
        if (left > 0) return left
        throw new QueryTimeoutError(`A read took longer than ${Math.round(limitMs)} ms.`)
      }
      try {
        // The request may have timed out, or its client disconnected, during the wait.
        timeLeft()
        return await work(timeLeft)
      } finally {
        leave?.()
      }
    },
  }
}
