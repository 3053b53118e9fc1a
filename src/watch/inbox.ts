/** A file that was dropped and waits. */
export interface DroppedFile {
  readonly name: string
  readonly bytes: number
  readonly modifiedMs: number
  /** Changes with the content, as far as that is visible without reading it. */
  readonly version: string
  /** Whether it is complete for certain: its marker is there, or it was renamed into place. */
  readonly isComplete: boolean
  /** When it was last touched by the clock of its file system; null where that is not known. */
  readonly touchedMs: number | null
}

export interface Listing {
  readonly files: readonly DroppedFile[]
  /** Whether there are more files than are listed. */
  readonly hasMore: boolean
  /** What is never taken, and why, as a predicate for its name. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
}

/** A new file for problems or a result of an import, and how its name ends. */
export interface DraftFile {
  readonly suffix: string
  /** Where it is, as the inbox names it. */
  readonly location: string
  /** Open for writing. The caller closes it. */
  readonly descriptor: number
  discard(): Promise<void>
}

/**
 * Where files are dropped: a folder or a bucket. Every function may throw `InboxError`. A file that is taken moves to `working`, and from
 * there to `processed/<day>` or to `failed`. Every move can be repeated: a program that ends in the
 * middle of one leaves the file in one of both places, or in both.
 */
export interface Inbox {
  /** As messages and states show it. */
  readonly name: string
  /** Whether files appear only when they are complete. */
  readonly appearsWhole: boolean
  /** Files that wait, at most `listedMax` of them. */
  list(): Promise<Listing>
  /** Files in `working`: what a program that ended too early has left. Ends their unfinished moves. */
  listWorking(): Promise<readonly DroppedFile[]>
  /** Moves a file to `working`, and deletes its marker; false if it is gone or has changed. */
  claim(file: DroppedFile): Promise<boolean>
  /**
   * Opens a file in `working`, or in another folder below the inbox, as a file of this machine; null if
   * it is gone. The inbox itself is the empty text. Throws `SourceError` for what is not a file that can
   * be read.
   */
  open(name: string, from?: string): Promise<LocalFile | null>
  /** Moves a file from `working` to another place, with files beside it. Returns where it is now. */
  finish(name: string, to: string, reports: readonly DraftFile[]): Promise<string>
  /** The names in `failed` that a file of this name may have got there. */
  failedNames(name: string): Promise<readonly string[]>
  /** Deletes what is beside a file in `failed`. */
  clearProblems(failedName: string): Promise<void>
  /** Moves a file from `failed` back to `working`, and deletes what is beside it. */
  takeBack(failedName: string, name: string): Promise<void>
  /** Creates a file that is written while another one is imported. */
  draft(name: string, suffix: string): Promise<DraftFile>
  /** Deletes what is on this machine only. */
  close(): Promise<void>
}

/**
 * An open file. It is read through its descriptor alone: a sender could replace what is at its path.
 */
export interface LocalFile {
  readonly descriptor: number
  readonly bytes: number
  /** When it was moved to `working`, by the clock of its storage. */
  readonly takenMs: number
  /** Whether it is still what it was when it was opened. */
  isUnchanged(): Promise<boolean>
  /** Closes it, and deletes what is on this machine only. */
  close(): Promise<void>
}

/** More files are looked at in the next listing, once some of these have been taken. */
export const listedMax = 10_000

/** Maximum number of entries of each kind that are reported as never taken. */
export const refusedMax = 1_000
