import type { RecordCounts } from '#store'

/** The version of the archive. A reader refuses others. */
export const formatVersion = 1

/** How the content of a database was copied. */
export type CopyMethod = 'sqlite' | 'pg_dump' | 'rows'

/** The state of the databases that a backup has. */
export interface BackedUpState {
  readonly engine: 'sqlite' | 'postgres'
  readonly method: CopyMethod
  /** Identifies the installation, and says nothing about its secret. */
  readonly installation: string
  /** The time of the state: everything committed before it is in the backup. */
  readonly takenAt: string
  /** Increases with every migration of the tables; null in a database that was never migrated. */
  readonly schemaGeneration: string | null
  /** The number of the last change of records. */
  readonly change: number
  /** The newest position of the change feed; null if the database records no changes. */
  readonly feedPosition: number | null
  /** By the stored totals. */
  readonly counts: RecordCounts
}

/** A file in the archive, in parts. */
export interface BackupFile {
  /** Such as `records.db`. Its parts are `records.db/000001.zst` and so on. */
  readonly name: string
  readonly parts: number
  /** Size and hash of the content, not compressed. */
  readonly bytes: number
  readonly sha256: string
}

/** Describes a complete backup. */
export interface BackupManifest extends BackedUpState {
  readonly format: typeof formatVersion
  /** The release that made it. */
  readonly release: string
  readonly files: readonly BackupFile[]
  /** The content of `IMAGES_URL` is never included. */
  readonly images: 'not included'
}
