import { setTimeout as wait } from 'node:timers/promises'
import type { Release } from '#concurrency'
import type { IsCancelled } from './database.ts'
import { DatabaseError, QueryTimeoutError, ReadCancelledError, ReadLimitError } from './errors.ts'
import type { PoolFigures } from './figures.ts'
import { createReadShares, type ReadShare, readingKey } from './read-shares.ts'
import { createReadSlots } from './read-slots.ts'

/** Maximum number of waiting reads per key. */
const waitingMax = 1_000
/** Maximum wait, in time limits: each read ahead in the queue may use a whole one. */
const waitLimits = 5

/** Maximum wait of a step for reads of other keys. */
const turnWaitMs = 100
/** A heavy key waits for keys that have used this many times less: not for one that is like it. */
const lessTimes = 2

/** Milliseconds left for the read. Throws once its time is over or it is cancelled. */
export type TimeLeft = () => number

/** A long read in progress. */
export interface RunningRead {
  readonly timeLeft: TimeLeft
  /** The share of its key, to which it charges its time. */
  readonly share: ReadShare
  /**
   * Wait for it before each step: those of a heavy key let reads of keys that use much less end
   * first, for twice the time of the step before.
   */
  turn(lastMs: number): Promise<void>
  /** Adds a wait for other reads. Waits do not count as time of the read, which they can double. */
  addWait(ms: number): void
}

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
   * request has left. Does not start the work if no time is left. Counts for the key whose request
   * it belongs to; a read that skips the queue counts apart from the others of the key. A key that
   * becomes heavy during several reads in steps keeps one slot: if others wait, the work of the
   * rest begins again later.
   */
  run<T>(owner: number, work: (read: RunningRead) => Promise<T>, limits?: ReadLimits): Promise<T>
  figures(): PoolFigures
}

/** The read gives its slot to another key, and begins again when it gets one. */
class SlotWantedError extends DatabaseError {}

/** Limits long reads: a few at a time, brands and their keys served in turn, each with a time limit. */
export const createLongReads = (
  atOnceMax: number,
  queryMs: number,
  limitMsDefault = queryMs,
): LongReads => {
  const shares = createReadShares()
  const slots = createReadSlots({
    total: atOnceMax,
    waitingPerKey: waitingMax,
    waitMs: waitLimits * queryMs,
  })
  /** Without downloads, which wait for their clients between steps. */
  const running = new Set<ReadShare>()
  /** The keys of which a read is about to give its slot back. */
  const leaving = new Set<string>()
  let ended = Promise.withResolvers<void>()
  const waitForTurn = async (share: ReadShare, lastMs: number): Promise<void> => {
    const until = performance.now() + Math.min(2 * lastMs, turnWaitMs)
    const leftMs = () => until - performance.now()
    const isLess = ({ key }: ReadShare) => key.ms * lessTimes < share.key.ms
    const isLast = () => share.isHeavy && [...running].some(isLess)
    while (isLast() && leftMs() > 0) await Promise.race([ended.promise, wait(leftMs())])
  }
  const enter = async (share: ReadShare, isAgain: boolean): Promise<Release> => {
    try {
      return await slots.take(share, isAgain)
    } catch (error) {
      const message = 'Too many long queries are in progress.'
      throw new ReadLimitError(message, { cause: error })
    }
  }
  const runOnce = async <T>(
    share: ReadShare,
    work: (read: RunningRead) => Promise<T>,
    { timeMs, hasRoom = false, requestLeftMs = () => Infinity, isCancelled }: ReadLimits,
    isAgain: boolean,
  ): Promise<T> => {
    const leave = hasRoom ? null : await enter(share, isAgain)
    const limitMs = timeMs ?? Math.min(limitMsDefault, requestLeftMs())
    const deadline = performance.now() + limitMs
    let waitedMs = 0
    let isLeaving = false
    const timeLeft = () => {
      if (isCancelled?.()) throw new ReadCancelledError('The client has closed its connection.')
      const left = deadline + Math.min(waitedMs, limitMs) - performance.now()
      if (left > 0) return left
      throw new QueryTimeoutError(`A read took longer than ${Math.round(limitMs)} ms.`)
    }
    try {
      // The request may have timed out, or its client disconnected, during the wait.
      timeLeft()
      if (!hasRoom) running.add(share)
      const mayLeave = !hasRoom && !isAgain
      const addWait = (ms: number) => {
        waitedMs += ms
      }
      const turn = async (lastMs: number) => {
        if (mayLeave && !leaving.has(share.key.name) && slots.isWanted(share)) {
          isLeaving = true
          leaving.add(share.key.name)
          throw new SlotWantedError()
        }
        const began = performance.now()
        await waitForTurn(share, lastMs)
        addWait(performance.now() - began)
      }
      return await work({ timeLeft, share, turn, addWait })
    } finally {
      if (isLeaving) leaving.delete(share.key.name)
      running.delete(share)
      ended.resolve()
      ended = Promise.withResolvers()
      leave?.()
    }
  }
  return {
    figures: () => ({ host: null, pool: 'long', ...slots.figures() }),
    run: async (owner, work, limits = {}) => {
      const { hasRoom = false } = limits
      const share = shares.of(owner, hasRoom ? `${readingKey()} apart` : readingKey())
      try {
        return await runOnce(share, work, limits, false)
      } catch (error) {
        if (!(error instanceof SlotWantedError)) throw error
        return runOnce(share, work, limits, true)
      }
    },
  }
}
