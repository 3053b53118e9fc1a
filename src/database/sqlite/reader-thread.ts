import type { DatabaseSyncOptions } from 'node:sqlite'
import { startThread } from '#installation'
import {
  DatabaseError,
  type Query,
  QueryTimeoutError,
  ReadLimitError,
  type Row,
} from '../database.ts'

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

/**
 * The time that a query has left. Its processor time is what it costs; on a busy machine it may take
 * much longer.
 */
export interface TimeLimits {
  readonly processorMs: number
  readonly elapsedMs: number
}

/** A query of a read, the end of a read, or the end of the thread. */
export type ThreadRequest =
  | {
      readonly id: number
      readonly read: number
      readonly query: Query
      readonly limits: TimeLimits
    }
  | { readonly end: number }
  | { readonly close: true }

/** The rows of a query, by its id, or why there are none. */
export type ThreadReply =
  | ({ readonly id: number } & ThreadRows)
  | { readonly id: number; readonly isLate: true }
  | { readonly id: number; readonly failure: string }

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
  /** Ends the snapshot. */
  end(): void
}

/** A thread with separate connections. It keeps the process running only while it reads. */
export interface ReaderThread {
  /** Reads in progress. */
  readonly count: number
  /** False after a failure. */
  readonly isUsable: boolean
  begin(): ThreadRead
  close(): Promise<void>
}

/** Grace period of a query after its time limit, before its thread is abandoned. */
const lateMs = 1_000
/** Small limits: long texts are read one at a time. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 }

/** Opens a thread. Calls `onExit` once it has ended, for any reason. */
export const openReaderThread = (data: ThreadData, onExit: () => void): ReaderThread => {
  const thread = startThread('database/sqlite/reader-thread-main.mjs', {
    workerData: data,
    resourceLimits,
    // Preloaded modules are meant for the process, not for its threads.
    execArgv: [],
  })
  const waiting = new Map<number, PromiseWithResolvers<ThreadRows>>()
  const open = new Set<number>()
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
    if ('rows' in reply) query?.resolve(reply)
    else if ('isLate' in reply)
      query?.reject(new QueryTimeoutError('The query exceeded its time limit.'))
    else query?.reject(new DatabaseError(`The database failed: ${reply.failure}.`))
  })
  thread.unref()
  const post = (request: ThreadRequest) => thread.postMessage(request)

  /** Nothing stops a statement from outside, so a thread that does not reply is abandoned. */
  const giveUp = () => {
    fail(new ReadLimitError('A query did not end within its time limit.'))
    void thread.terminate()
  }

  const ask = async (read: number, query: Query, limits: TimeLimits): Promise<ThreadRows> => {
    if (failure) throw failure
    lastQuery += 1
    const id = lastQuery
    const result = Promise.withResolvers<ThreadRows>()
    waiting.set(id, result)
    post({ id, read, query, limits })
    let timer: NodeJS.Timeout | undefined
    void started.then(() => {
      if (waiting.has(id)) timer = setTimeout(giveUp, limits.elapsedMs + lateMs)
    })
    try {
      return await result.promise
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    get count() {
      return open.size
    },
    get isUsable() {
      return failure === null
    },
    begin: () => {
      lastRead += 1
      const read = lastRead
      open.add(read)
      thread.ref()
      return {
        all: (query, limits) => ask(read, query, limits),
        end: () => {
          open.delete(read)
          if (open.size === 0) thread.unref()
          if (!failure) post({ end: read })
        },
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
