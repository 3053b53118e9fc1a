import type { ByteSink } from './bytes.ts'

/** Where backups are kept. Every function throws `BackupError`, or `StorageUnavailable`. */
export interface BackupTarget {
  /** For people and for the log: without secrets. */
  readonly name: string
  /** Whether each backup replaces the one before. */
  readonly isOneFile: boolean
  /** Begins a backup, and removes what killed runs have left. */
  create(begun: BegunBackup): Promise<BackupDraft>
  /** The names of this installation's backups, oldest first. */
  list(installation: string): Promise<readonly string[]>
  remove(name: string): Promise<void>
}

export interface BegunBackup {
  readonly installation: string
  readonly at: number
  /** The most that will be written. */
  readonly bytesMax: number
}

/**
 * A backup that is being written. In a folder, it has its name once it is published; in a bucket, once
 * it is finished.
 */
export interface BackupDraft extends ByteSink {
  /** Stores everything durably. */
  finish(): Promise<void>
  /** Reads it from where it is kept. */
  read(): AsyncIterable<Uint8Array>
  /** Gives it its name, once it was verified, and returns its place. */
  publish(): Promise<string>
  /** Removes what was written. Does nothing after `publish`. */
  abort(): Promise<void>
}

/** `selvedge-20261118T120000000Z-0123456789ab.backup`: names sort by time. */
export const backupName = ({ installation, at }: BegunBackup): string =>
  `selvedge-${new Date(at).toISOString().replace(/[-:.]/g, '')}-${installation}.backup`

/** The names among others that this installation has given to backups, oldest first. */
export const ownBackups = (names: readonly string[], installation: string): readonly string[] =>
  names
    .filter((name) => /^selvedge-\d{8}T\d{9}Z-[0-9a-f]+\.backup$/.test(name))
    .filter((name) => name.endsWith(`Z-${installation}.backup`))
    .toSorted()
