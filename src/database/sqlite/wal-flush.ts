import { close, fdatasync, openSync } from 'node:fs'

/** Flushes the write-ahead log (WAL) of a database to the disk. */
export interface WalFlush {
  /** Begins a flush, unless one is in progress. Does not wait for it. */
  begin(): void
  /** Waits until no flush is in progress. */
  done(): Promise<void>
}

/**
 * Flushes the WAL of a large transaction while the transaction continues. The commit still flushes
 * it, but has little left to wait for. The commit reports any failure.
 */
export const createWalFlush = (file: string): WalFlush => {
  let flushing: Promise<void> | undefined
  /** Starts on another thread at once: the statements that follow block the event loop. */
  const flush = (): Promise<void> => {
    // Opens only the WAL: closing the database file would release all locks of the process.
    const wal = openSync(`${file}-wal`, 'r')
    return new Promise((resolve) => {
      fdatasync(wal, () => close(wal, () => resolve()))
    })
  }
  return {
    begin: () => {
      if (flushing) return
      try {
        flushing = flush().finally(() => {
          flushing = undefined
        })
      } catch {
        // There is no WAL, or it cannot be opened.
      }
    },
    done: async () => {
      await flushing
    },
  }
}
