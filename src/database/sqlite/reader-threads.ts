import { DatabaseError, ReadLimitError } from '../errors.ts'
import type { ReadShare } from '../read-shares.ts'
import {
  openReaderThread,
  type ReaderThread,
  type ThreadData,
  type ThreadRead,
} from './reader-thread.ts'

/** The threads for long reads, which keep them off the event loop. */
export interface ReaderThreads {
  /**
   * Begins a read: on a thread for heavy keys if its key is heavy now. It can be ended more than
   * once.
   */
  begin(share: ReadShare): ThreadRead
  close(): Promise<void>
}

interface PoolOptions {
  /** The threads that begin reads. Each has 7 MB of private memory. */
  readonly readingMax: number
  /** With those that were abandoned, until they have ended. */
  readonly threadsMax: number
  readonly niceness: number
}

/** Two, so that a short read need not wait for a step of a long one. */
const lightOptions: PoolOptions = { readingMax: 2, threadsMax: 2, niceness: 5 }
/** Batch jobs: all other requests get the processor first. An abandoned thread is replaced once. */
const heavyOptions: PoolOptions = { readingMax: 1, threadsMax: 2, niceness: 10 }
/** A thread ends after this long without a read. */
const idleMs = 10_000

/** A query has the grace period beyond its time limit; then its thread is abandoned. */
export const createReaderThreads = (data: ThreadData, lateMs = 1_000): ReaderThreads => {
  const light = createPool(data, { ...lightOptions, lateMs })
  const heavy = createPool(data, { ...heavyOptions, lateMs })
  return {
    begin: (share) => (share.isHeavy ? heavy : light).begin(share),
    close: async () => {
      await Promise.all([light.close(), heavy.close()])
    },
  }
}

const createPool = (
  data: ThreadData,
  { readingMax, threadsMax, niceness, lateMs }: PoolOptions & { readonly lateMs: number },
): ReaderThreads => {
  const threads = new Map<ReaderThread, NodeJS.Timeout | undefined>()
  const ending = new Set<Promise<void>>()
  let isClosed = false

  const open = (): ReaderThread => {
    const onExit = () => {
      clearTimeout(threads.get(thread))
      threads.delete(thread)
    }
    const thread = openReaderThread(data, { niceness, lateMs, onExit })
    threads.set(thread, undefined)
    return thread
  }

  const close = (thread: ReaderThread): void => {
    clearTimeout(threads.get(thread))
    threads.delete(thread)
    const closed = thread.close().finally(() => ending.delete(closed))
    ending.add(closed)
  }

  /** The thread with the fewest reads, above all of keys that are heavy by now; or a new one. */
  const next = (): ReaderThread => {
    const usable = [...threads.keys()].filter(({ isUsable }) => isUsable)
    const [least] = usable.sort(
      (one, other) => one.heavyCount - other.heavyCount || one.count - other.count,
    )
    if (least?.count === 0) return least
    if (usable.length < readingMax && threads.size < threadsMax) return open()
    if (least) return least
    throw new ReadLimitError('Too many long queries have not ended in time.')
  }

  return {
    begin: (share) => {
      if (isClosed) throw new DatabaseError('The database was closed.')
      const thread = next()
      clearTimeout(threads.get(thread))
      const read = thread.begin(share)
      let isEnded = false
      return {
        all: read.all,
        end: () => {
          if (isEnded) return
          isEnded = true
          read.end()
          // An abandoned thread counts until it has ended.
          if (thread.count > 0 || !thread.isUsable || !threads.has(thread)) return
          threads.set(thread, setTimeout(() => close(thread), idleMs).unref())
        },
      }
    },
    close: async () => {
      isClosed = true
      for (const thread of [...threads.keys()]) close(thread)
      await Promise.all(ending)
    },
  }
}
