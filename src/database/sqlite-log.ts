import { open } from 'node:fs/promises'

/** Has the write-ahead log of a database brought to the disk. */
export interface LogSync {
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
export const openLogSync = (file: string): LogSync => {
  let underWay: Promise<void> | undefined
  const sync = async () => {
    // Only the log: whoever closes the database's own file gives up the locks of the whole process.
    const log = await open(`${file}-wal`, 'r')
    await log.datasync().finally(() => log.close())
  }
  return {
    begin: () => {
      underWay ??= sync()
        .catch(() => undefined)
        .finally(() => {
          underWay = undefined
        })
    },
    settle: async () => {
      await underWay
    },
  }
}
