import { close, fdatasync, openSync } from 'node:fs'

/** Has the write-ahead log of a database brought to the disk. */
export interface WalFlush {
  /** Begins to, unless that is under way, and waits for nothing. */
  begin(): void
  /** Waits until nothing is under way. */
  settle(): Promise<void>
}

/**
 * Lets the disk take the log of a large transaction while the transaction goes on. Its commit brings
 * the log to the disk itself, as ever, and then has little left to wait for. What goes wrong here is
 * the commit's to find.
 */
export const createWalFlush = (file: string): WalFlush => {
  let underWay: Promise<void> | undefined
  /** Handed to another thread at once: the statements that follow leave the event loop no time. */
  const sync = (): Promise<void> => {
    // Only the log: whoever closes the database's own file gives up the locks of the whole process.
    const log = openSync(`${file}-wal`, 'r')
    return new Promise((resolve) => {
      fdatasync(log, () => close(log, () => resolve()))
    })
  }
  return {
    begin: () => {
      if (underWay) return
      try {
        underWay = sync().finally(() => {
          underWay = undefined
        })
      } catch {
        // There is no log, or it cannot be opened.
      }
    },
    settle: async () => {
      await underWay
    },
  }
}
