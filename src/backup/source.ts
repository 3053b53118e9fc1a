import type { BackedUpState } from './manifest.ts'

/** The databases of an installation, as a backup copies them. */
export interface BackupSource {
  /**
   * Fixes one committed state of records, units and keys. Blocks no reader, and a writer for
   * milliseconds at most. Throws `BackupError` if that is not possible now.
   */
  begin(onProgress: CopyProgress): Promise<BackupCopy>
  /**
   * Checks the files of a finished archive: they are sound, stored totals equal the number of rows,
   * and both equal `counts`. `take` receives the files while the archive is read, and `finish` the
   * manifest at its end. Throws `BackupError`.
   */
  verifier(): Promise<BackupVerifier>
}

/** The state of a source, until it is closed. */
export interface BackupCopy {
  /** Identifies the installation: see `installationOf`. */
  readonly installation: string
  /** The size of all files, not compressed; an estimate if it is not known. */
  readonly bytes: number
  /** Known when all files were read. */
  state(): Promise<BackedUpState>
  /** In the order in which they are read, one after the other. */
  readonly files: readonly SourceFile[]
  /** Releases the state and removes temporary files. */
  close(): Promise<void>
}

export interface SourceFile {
  readonly name: string
  read(): AsyncIterable<Uint8Array>
}

/** Called with the bytes copied so far, and with the expected number; null if it is not known. */
export type CopyProgress = (copied: number, expected: number | null) => void

export interface BackupVerifier {
  take(name: string, content: AsyncIterable<Uint8Array>): Promise<void>
  finish(state: BackedUpState): Promise<void>
  /** Removes temporary files. */
  close(): Promise<void>
}
