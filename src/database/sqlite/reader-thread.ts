import type { DatabaseSyncOptions } from 'node:sqlite'
import { startThread } from '#installation'
import type { Query, Row } from '../database.ts'
import { DatabaseError, QueryTimeoutError, ReadLimitError, sqliteError } from '../errors.ts'
import { compareSteps, type ReadShare } from '../read-shares.ts'

/** How a thread opens its connections. */
export interface ThreadData {
  readonly file: string
  readonly options: DatabaseSyncOptions
  /** The pragmas of each connection. */
  readonly setup: string
  /**
   * The function that a scan calls for each row. It throws once the read exceeds a time limit.
   */
  readonly inTimeFunction: string
  /** The function that encodes a decimal. */
  readonly decimalFunction: string
  /** The functions that sum numbers and format them. */
  readonly decimalFunctions: {
    readonly sum: string
    readonly text: string
    readonly halves: string
    readonly lowBits: number
  }
  /** The function that finds the smallest values. */
  readonly leastFunction: string
}

export interface ReaderThreadData extends ThreadData {
  /** The priority of the thread, on Linux. */
  readonly niceness: number
}

/**
 * The time that a query has left. Its processor time is what it costs; on a busy machine it may take
 * much longer.
 */
export interface TimeLimits {
  readonly processorMs: number
  readonly elapsedMs: number
}

/** A query of a read. */
export interface ThreadQuery {
  readonly id: number
  readonly read: number
  readonly query: Query
  readonly limits: TimeLimits
}

/** A query of a read, the end of a read, or the end of the thread. */
export type ThreadRequest = ThreadQuery | { readonly end: number } | { readonly close: true }

/** The rows of a query, by its id, or why there are none. */
export type ThreadReply =
  | ({ readonly id: number } & ThreadRows)
  | { readonly id: number; readonly isLate: true }
  | { readonly id: number; readonly failure: string; readonly resultCode: number }

export interface ThreadRows {
  readonly rows: readonly Row[]
  readonly tookMs: number
  /** Processor time of the thread. */
  readonly processorMs: number
}

/** One read on a thread: its queries see one snapshot. */
export interface ThreadRead {
  /** Runs a query. A scan fails with `QueryTimeoutError` once its time is over. */
  all(query: Query, limits: TimeLimits): Promise<ThreadRows>
  /** Ends the snapshot. Queries that have not begun are rejected, and so are all later ones. */
  end(): void
}

/** A thread with separate connections. It keeps the process running only while it reads. */
export interface ReaderThread {
  /** Reads in progress. */
  readonly count: number
  /** Those of keys that are heavy now. */
  readonly heavyCount: number
  /** False after a failure. */
  readonly isUsable: boolean
  /** Begins a read. Of several reads, the thread runs the query of the one that comes first. */
  begin(share: ReadShare): ThreadRead
  close(): Promise<void>
}

interface QueuedQuery {
  readonly share: ReadShare
  readonly request: ThreadQuery
}

/** Small limits: long texts are read one at a time. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 }

const readEnded = () => new DatabaseError('The read has ended.')

interface ReaderThreadOptions {
  readonly niceness: number
  /** Grace period of a query after its time limit, before its thread is abandoned. */
  readonly lateMs: number
  /** Called once it has ended, for any reason. */
  readonly onExit: () => void
}

export const openReaderThread = (
  data: ThreadData,
  { niceness, lateMs, onExit }: ReaderThreadOptions,
): ReaderThread => {
  const workerData: ReaderThreadData = { ...data, niceness }
  const thread = startThread('database/sqlite/reader-thread-main.mjs', {
    workerData,
    resourceLimits,
    // Preloaded modules are meant for the process, not for its threads.
    execArgv: [],
  })
  const waiting = new Map<number, PromiseWithResolvers<ThreadRows>>()
  const open = new Map<number, ReadShare>()
  /** Queries that the thread has not been given, in arrival order. */
  let queued: QueuedQuery[] = []
  let isBusy = false
  let lateTimer: NodeJS.Timeout | undefined
  let lastRead = 0
  let lastQuery = 0
  let failure: DatabaseError | null = null

  const fail = (cause: unknown): void => {
    failure ??=
      cause instanceof DatabaseError
        ? cause
        : new DatabaseError('The thread that reads the database has ended.', { cause })
    for (const { reject } of waiting.values()) reject(failure)
    waiting.clear()
    queued = []
    clearTimeout(lateTimer)
  }
  /** On a busy machine a thread may take seconds to start, which does not count as query time. */
  const started = new Promise<void>((resolve) => {
    thread.once('online', resolve)
    thread.once('exit', () => resolve())
  })
  const exited = new Promise<void>((resolve) => {
    thread.once('exit', (code) => {
      fail(new Error(`The thread exited with code ${code}.`))
      onExit()
      resolve()
    })
  })
  thread.on('error', fail)
  thread.on('messageerror', fail)
  thread.on('message', (reply: ThreadReply) => {
    const { id } = reply
    const query = waiting.get(id)
    waiting.delete(id)
    isBusy = false
    clearTimeout(lateTimer)
    // A read whose query has ended sends its next one first: a light key keeps its turn.
    setImmediate(runNext)
    if ('rows' in reply) query?.resolve(reply)
    else if ('isLate' in reply)
      query?.reject(new QueryTimeoutError('The query exceeded its time limit.'))
    else query?.reject(sqliteError(reply.resultCode, { message: reply.failure }))
  })
  thread.unref()
  const post = (request: ThreadRequest) => thread.postMessage(request)

  /** Nothing stops a statement from outside, so a thread that does not reply is abandoned. */
  const giveUp = () => {
    fail(new ReadLimitError('A query did not end within its time limit.'))
    void thread.terminate()
  }

  /** Gives the thread the query of the read that comes first. */
  const runNext = (): void => {
    const [first, ...others] = queued
    if (isBusy || !first) return
    const next = others.reduce(
      (best, each) => (compareSteps(each.share, best.share) < 0 ? each : best),
      first,
    )
    queued.splice(queued.indexOf(next), 1)
    isBusy = true
    post(next.request)
    const { id, limits } = next.request
    void started.then(() => {
      if (waiting.has(id)) lateTimer = setTimeout(giveUp, limits.elapsedMs + lateMs)
    })
  }

  const ask = (read: number, share: ReadShare, query: Query, limits: TimeLimits) => {
    if (failure) return Promise.reject(failure)
    // The thread would begin the read again, and nothing would end it.
    if (!open.has(read)) return Promise.reject(readEnded())
    lastQuery += 1
    const id = lastQuery
    const result = Promise.withResolvers<ThreadRows>()
    waiting.set(id, result)
    queued.push({ share, request: { id, read, query, limits } })
    runNext()
    return result.promise
  }

  const end = (read: number): void => {
    open.delete(read)
    if (open.size === 0) thread.unref()
    if (failure) return
    const isOwn = ({ request }: QueuedQuery) => request.read === read
    for (const { request } of queued.filter(isOwn)) {
      waiting.get(request.id)?.reject(readEnded())
      waiting.delete(request.id)
    }
    queued = queued.filter((each) => !isOwn(each))
    post({ end: read })
  }

  return {
    get count() {
      return open.size
    },
    get heavyCount() {
      return [...open.values()].filter(({ isHeavy }) => isHeavy).length
    },
    get isUsable() {
      return failure === null
    },
    begin: (share) => {
      lastRead += 1
      const read = lastRead
      open.set(read, share)
      thread.ref()
      return {
        all: (query, limits) => ask(read, share, query, limits),
        end: () => end(read),
      }
    },
    close: async () => {
      // An abandoned thread ends with its statement.
      if (failure) return
      thread.ref()
      post({ close: true })
      await exited
    },
  }
}
