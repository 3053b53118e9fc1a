import { backupAgeSeconds, createLastBackupReader, isBackupLate, type LastBackup } from '#backup'
import type { Database } from '#database'
import type { BackupSummary } from '#http'
import type { BackupFigures } from '#observability'
import { createCachedRead } from './cached-read.ts'

/** The server's view of the last backup. */
export interface BackupMonitor {
  /** For metrics; null if there was no backup. */
  figures(): Promise<BackupFigures | null>
  /** For everybody; null if there was no backup. */
  summary(): Promise<BackupSummary | null>
  close(): Promise<void>
}

export interface BackupMonitorParts {
  readonly keyDatabase: Database
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

export const createBackupMonitor = (parts: BackupMonitorParts): BackupMonitor => {
  const { keyDatabase, now, onError } = parts
  const { current, close } = createCachedRead<LastBackup | null>(null, {
    read: createLastBackupReader(keyDatabase),
    now,
    onError,
  })
  return {
    figures: async () => {
      const last = await current()
      if (!last) return null
      const { bytes, durationMs, everySeconds } = last
      const ageSeconds = backupAgeSeconds(last, now())
      return { ageSeconds, everySeconds, bytes, durationSeconds: durationMs / 1_000 }
    },
    summary: async () => {
      const last = await current()
      if (!last) return null
      return {
        ageSeconds: backupAgeSeconds(last, now()),
        everySeconds: last.everySeconds,
        isLate: isBackupLate(last, now()),
      }
    },
    close,
  }
}
