import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises'
import { pageBytes } from './connection.ts'
import { createWalCheckpoint } from './wal-checkpoint.ts'
import { createWalFlush } from './wal-flush.ts'

/**
 * Decides when to flush, checkpoint and truncate the write-ahead log (WAL). One transaction at a
 * time calls these methods, in this order.
 */
export interface WalPolicy {
  /** Call before a transaction. Waits until the thread has copied a long WAL. */
  prepare(): Promise<void>
  /** Call after each statement of the transaction, with its duration. */
  wrote(ms: number): Promise<void>
  /**
   * Calls `execute` to commit. A large transaction is copied afterwards, not by the commit itself.
   */
  commit(execute: () => void): void
  /** Call after a rollback. Truncates its leftovers, so that a full disk does not stay full. */
  truncate(): Promise<void>
  /** Copies the WAL of a large transaction, as far as readers allow. */
  checkpoint(): void
  /** Call after something else has copied and truncated the WAL. */
  forget(): void
  /** Waits for a flush in progress, copies the WAL and stops the thread. */
  close(): Promise<void>
}

export interface WalPolicyOptions {
  readonly file: string
  /** The connection that writes. */
  readonly writer: DatabaseSync
  /** Read-only: leaves the WAL settings unchanged. */
  readonly readOnly?: boolean
  /** Whether a thread copies the WAL, so that no commit waits for it. */
  readonly inThread: boolean
}

/** A transaction is large once its statements took longer than this together. */
const longWriteMs = 100
/** A commit that finds the WAL longer copies it into the database. */
const pagesMax = 1_000
/** Lengths of a WAL that a thread copies. The thread starts beyond `pagesMax`. */
const besideThread = {
  /** A transaction waits until a longer WAL is copied. */
  waitPages: 8_000,
  /** Space kept for the next transactions. */
  keptPages: 16_000,
  /** A commit copies a longer WAL itself: the thread has fallen behind. */
  commitPages: 32_000,
}
/** A longer WAL is truncated after a rollback. */
const leftoverBytes = 2 ** 20
const truncateTries = 40
const truncatePauseMs = 25

export const fullSync = 'pragma synchronous = full'

export const createWalPolicy = (options: WalPolicyOptions): WalPolicy => {
  const { file, writer, inThread } = options
  const flush = createWalFlush(file)
  const thread = inThread ? createWalCheckpoint({ file, setup: fullSync }) : null
  const { keptPages, commitPages } = inThread
    ? besideThread
    : { keptPages: pagesMax, commitPages: pagesMax }
  const autoCheckpoint = `pragma wal_autocheckpoint = ${commitPages}`
  if (!options.readOnly) {
    // The WAL shrinks again after a very large transaction.
    const limit = `pragma journal_size_limit = ${keptPages * pageBytes}`
    writer.exec(`${fullSync}; ${limit}; ${autoCheckpoint}`)
  }
  /** Time spent on statements of the current transaction since the last flush. */
  let unflushedMs = 0
  /** Whether the current transaction is large. */
  let isLarge = false
  /** Whether a large transaction left a long WAL. */
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
      // After this, a transaction writes to the start of the WAL again. A checkpoint in progress
      // may have begun before the last commit, so it runs twice.
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
      // Lets a finished flush report, so that the next can begin.
      await immediate()
      flush.begin()
    },
    commit: (execute) => {
      // The WAL is already committed. Copying it takes as long as writing it did, and can wait
      // until the caller has its result.
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
      // Does not wait for readers; retries while one needs the WAL.
      for (let tries = 0; tries < truncateTries; tries += 1) {
        try {
          if (statSync(`${file}-wal`).size <= leftoverBytes) return
          writer.exec('pragma wal_checkpoint(truncate)')
        } catch {
          // There is no WAL, or its commits cannot be copied yet.
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

/** The committed pages of the WAL, and how many of them are not in the database yet. */
export interface WalLength {
  readonly pages: number
  readonly uncopied: number
}

export const lengthOf = (connection: DatabaseSync): WalLength => {
  try {
    const row = connection.prepare('pragma wal_checkpoint(noop)').get()
    const { log = 0, checkpointed = 0 } = row ?? {}
    return { pages: Number(log), uncopied: Number(log) - Number(checkpointed) }
  } catch {
    // The transaction itself reports any problem, not the code around it.
    return { pages: 0, uncopied: 0 }
  }
}
