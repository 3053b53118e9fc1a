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
   * Begins a read on the thread with the fewest reads. Reads of heavy keys share one thread. It can
   * be ended more than once.
   */
  begin(share: ReadShare): ThreadRead
  close(): Promise<void>
}

/** Each has 7 MB of private memory. With two, light keys can read while heavy ones do. */
const threadsMax = 2
/** A thread ends after this long without a read. */
const idleMs = 10_000

export const createReaderThreads = (data: ThreadData): ReaderThreads => {
  const threads = new Map<ReaderThread, NodeJS.Timeout | undefined>()
  const ending = new Set<Promise<void>>()
  let isClosed = false

  const open = (): ReaderThread => {
    const thread = openReaderThread(data, () => {
      clearTimeout(threads.get(thread))
      threads.delete(thread)
    })
    threads.set(thread, undefined)
    return thread
  }

  const close = (thread: ReaderThread): void => {
    clearTimeout(threads.get(thread))
    threads.delete(thread)
    const closed = thread.close().finally(() => ending.delete(closed))
    ending.add(closed)
  }

  const take = ({ isHeavy }: ReadShare): ReaderThread => {
    const usable = [...threads.keys()].filter(({ isUsable }) => isUsable)
    const shared = isHeavy ? usable.find(({ heavyCount }) => heavyCount > 0) : undefined
    if (shared) return shared
    const [least] = usable.sort(
      (one, other) => one.heavyCount - other.heavyCount || one.count - other.count,
    )
    if (least?.count === 0) return least
    // An abandoned thread counts until it has ended.
    if (threads.size < threadsMax) return open()
    if (least) return least
    throw new ReadLimitError('Too many long queries have not ended in time.')
  }

  return {
    begin: (share) => {
      if (isClosed) throw new DatabaseError('The database was closed.')
      const thread = take(share)
      clearTimeout(threads.get(thread))
      const read = thread.begin(share)
      let isEnded = false
      return {
        all: read.all,
        end: () => {
          if (isEnded) return
          isEnded = true
          read.end()
          if (thread.count > 0 || !threads.has(thread)) return
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
