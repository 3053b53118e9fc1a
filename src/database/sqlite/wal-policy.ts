import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises'
import { pageBytes } from './connection.ts'
import { createWalCheckpoint } from './wal-checkpoint.ts'
import { createWalFlush } from './wal-flush.ts'

/**
 * Decides when the write-ahead log (WAL) of a database is flushed, copied into the database and
 * truncated. One transaction at a time calls it, in this order.
 */
export interface WalPolicy {
  /** Before a transaction begins. Waits until a long WAL is copied, with a thread that does so. */
  prepare(): Promise<void>
  /** After a statement of the transaction that has taken so long. */
  wrote(ms: number): Promise<void>
  /** Calls `execute` to commit. A large transaction is copied afterwards, not by the commit itself. */
  commit(execute: () => void): void
  /** After a rollback: truncates what the transaction has left, so that a full disk does not stay full. */
  truncate(): Promise<void>
  /** Copies what a large transaction has left in the WAL, as far as readers allow. */
  checkpoint(): void
  /** After the WAL was copied and truncated by something else. */
  forget(): void
  /** Waits for a flush in progress, copies the WAL and stops the thread. */
  close(): Promise<void>
}

export interface WalPolicyOptions {
  readonly file: string
  /** The connection that writes. */
  readonly writer: DatabaseSync
  /** Opened for reading alone: the settings of the WAL are not changed. */
  readonly readOnly?: boolean
  /** Whether a thread copies the WAL, so that no commit waits for it. */
  readonly inThread: boolean
}

/** Statements that took longer together have written much. */
const longWriteMs = 100
/** The WAL is copied into the database by the commit that finds it longer. */
const pagesMax = 1_000
/** Lengths of the WAL with a thread that copies it, which begins where the WAL has become longer. */
const besideThread = {
  /** A transaction waits until it is copied. */
  waitPages: 8_000,
  /** So much room is kept for the next transactions. */
  keptPages: 16_000,
  /** A commit copies it: the thread has not. */
  commitPages: 32_000,
}
/** A WAL that is longer after a rollback is truncated. */
const leftoverBytes = 2 ** 20
const truncateTries = 40
const truncatePauseMs = 25

const fullSync = 'pragma synchronous = full'

export const createWalPolicy = (options: WalPolicyOptions): WalPolicy => {
  const { file, writer, inThread } = options
  const flush = createWalFlush(file)
  const thread = inThread ? createWalCheckpoint({ file, setup: fullSync }) : null
  const { keptPages, commitPages } = inThread
    ? besideThread
    : { keptPages: pagesMax, commitPages: pagesMax }
  const autoCheckpoint = `pragma wal_autocheckpoint = ${commitPages}`
  if (!options.readOnly) {
    // The WAL does not stay as long as the largest transaction has made it.
    const limit = `pragma journal_size_limit = ${keptPages * pageBytes}`
    writer.exec(`${fullSync}; ${limit}; ${autoCheckpoint}`)
  }
  /** How long statements of the current transaction have taken since the WAL was last flushed. */
  let unflushedMs = 0
  /** Whether the current transaction has written much. */
  let isLarge = false
  /** Whether a large transaction has left a long WAL. */
  let isLong = false

  const checkpoint = () => {
    if (!isLong || !writer.isOpen) return
    isLong = false
    try {
      writer.exec('pragma wal_checkpoint(passive)')
    } catch {
      // The WAL is as durable as the database; the next commit copies it.
    }
  }

  return {
    prepare: async () => {
      isLarge = false
      unflushedMs = 0
      // A transaction that begins after this writes to the beginning of the WAL again. What is in
      // progress may have begun before the last commit, so that it is run twice.
      for (let runs = 0; thread && runs < 2; runs += 1) {
        const { pages, uncopied } = lengthOf(writer)
        if (pages <= besideThread.waitPages || uncopied === 0) return
        await thread.run()
      }
    },
    wrote: async (ms) => {
      unflushedMs += ms
      if (unflushedMs <= longWriteMs) return
      unflushedMs = 0
      isLarge = true
      // A flush that has ended is noticed here, so that the next can begin.
      await immediate()
      flush.begin()
    },
    commit: (execute) => {
      // What is in the WAL is committed. Copying it takes as long as writing it did, and can wait until
      // the caller has its result.
      if (isLarge) writer.exec('pragma wal_autocheckpoint = 0')
      try {
        execute()
      } finally {
        if (isLarge) writer.exec(autoCheckpoint)
      }
      if (!thread) isLong ||= isLarge
      else if (isLarge || lengthOf(writer).uncopied > pagesMax) void thread.run()
    },
    truncate: async () => {
      // Readers are not waited for; while one needs the WAL, it is tried again.
      for (let tries = 0; tries < truncateTries; tries += 1) {
        try {
          if (statSync(`${file}-wal`).size <= leftoverBytes) return
          writer.exec('pragma wal_checkpoint(truncate)')
        } catch {
          // There is no WAL, or what is committed in it cannot be copied yet.
          return
        }
        await wait(tries === 0 ? 0 : truncatePauseMs)
      }
    },
    checkpoint,
    forget: () => {
      isLong = false
    },
    close: async () => {
      await flush.done()
      checkpoint()
      await thread?.close()
    },
  }
}

/** The pages of the WAL, and those of them that are not in the database yet. */
const lengthOf = (writer: DatabaseSync): { readonly pages: number; readonly uncopied: number } => {
  try {
    const row = writer.prepare('pragma wal_checkpoint(noop)').get()
    const { log = 0, checkpointed = 0 } = row ?? {}
    return { pages: Number(log), uncopied: Number(log) - Number(checkpointed) }
  } catch {
    // Whatever is wrong is reported by a transaction, and not by what comes before and after it.
    return { pages: 0, uncopied: 0 }
  }
}
