import type { DatabaseSyncOptions } from 'node:sqlite'
import { startThread } from '#installation'
import { DatabaseError, type Query, QueryTimeoutError, type Row } from '../database.ts'

/** How a thread opens its connections. */
export interface ThreadData {
  readonly file: string
  readonly options: DatabaseSyncOptions
  /** The pragmas of each connection. */
  readonly setup: string
  /** The function that a scan calls for each row. It throws once the time of the read is over. */
  readonly inTimeFunction: string
  /** The function that gives the bytes of a decimal number. */
  readonly decimalFunction: string
  /** The functions that add numbers up, and give their texts. */
  readonly decimalFunctions: {
    readonly sum: string
    readonly text: string
    readonly halves: string
    readonly lowBits: number
  }
  /** The function of the least values. */
  readonly leastFunction: string
}

/** A query of a read, the end of a read, or the end of the thread. */
export type ThreadRequest =
  | { readonly id: number; readonly read: number; readonly query: Query; readonly leftMs: number }
  | { readonly end: number }
  | { readonly close: true }

/** The rows of a query, by its id, or why there are none. */
export type ThreadReply =
  | { readonly id: number; readonly rows: readonly Row[]; readonly tookMs: number }
  | { readonly id: number; readonly isLate: true }
  | { readonly id: number; readonly failure: string }

export interface ThreadRows {
  readonly rows: readonly Row[]
  readonly tookMs: number
}

/** One read on a thread: its queries see one state. */
export interface ThreadRead {
  /** Runs a query. A scan ends with `QueryTimeoutError` when its time is over. */
  all(query: Query, leftMs: number): Promise<ThreadRows>
  end(): void
}

/** A thread with connections of its own. It keeps the process running only while it reads. */
export interface ReaderThread {
  /** Reads in progress. */
  readonly count: number
  /** Whether it can be used: not after a failure. */
  readonly isUsable: boolean
  begin(): ThreadRead
  close(): Promise<void>
}

/** How much longer than its time a query may take before its thread is given up. */
const lateMs = 1_000
/** Long texts are read one at a time, so little has to fit. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 }

/** Opens a thread. `onExit` is called once it has ended, for whatever reason. */
export const openReaderThread = (data: ThreadData, onExit: () => void): ReaderThread => {
  const thread = startThread('database/sqlite/reader-thread-main.mjs', {
    workerData: data,
    resourceLimits,
    // Modules that were preloaded are meant for the process, not for its threads.
    execArgv: [],
  })
  const waiting = new Map<number, PromiseWithResolvers<ThreadRows>>()
  const open = new Set<number>()
  let lastRead = 0
  let lastQuery = 0
  let failure: DatabaseError | null = null

  const fail = (cause: unknown): void => {
    failure ??= new DatabaseError('The thread that reads the database has ended.', { cause })
    for (const { reject } of waiting.values()) reject(failure)
    waiting.clear()
  }
  /** On a busy machine a thread may take seconds to start, which is not the time of a query. */
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
      query?.reject(new QueryTimeoutError('A query took longer than it may.'))
    else query?.reject(new DatabaseError(`The database failed: ${reply.failure}.`))
  })
  thread.unref()
  const post = (request: ThreadRequest) => thread.postMessage(request)

  /** Nothing stops a statement from outside: a thread that does not reply is given up. */
  const giveUp = () => {
    fail(new Error('A query did not end.'))
    void thread.terminate()
  }

  const ask = async (read: number, query: Query, leftMs: number): Promise<ThreadRows> => {
    if (failure) throw failure
    lastQuery += 1
    const id = lastQuery
    const result = Promise.withResolvers<ThreadRows>()
    waiting.set(id, result)
    post({ id, read, query, leftMs })
    let timer: NodeJS.Timeout | undefined
    void started.then(() => {
      if (waiting.has(id)) timer = setTimeout(giveUp, leftMs + lateMs)
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
        all: (query, leftMs) => ask(read, query, leftMs),
        end: () => {
          open.delete(read)
          if (open.size === 0) thread.unref()
          if (!failure) post({ end: read })
        },
      }
    },
    close: async () => {
      // One that was given up ends with its statement.
      if (failure) return
      thread.ref()
      post({ close: true })
      await exited
    },
  }
}
