import type { DroppedFile } from './inbox.ts'

/** Decides which of the files that wait are complete. */
export interface Completeness {
  /** Looks at a listing. Files that are not in it are forgotten. */
  observe(files: readonly DroppedFile[], now: number): readonly ObservedFile[]
}

export interface ObservedFile {
  readonly file: DroppedFile
  /** Since when it has been complete, by the clock of this machine; null while it is not. */
  readonly completeSince: number | null
  /** When it was first seen, by the clock of this machine. */
  readonly firstSeen: number
}

interface Seen extends Omit<ObservedFile, 'file'> {
  readonly version: string
  /** Since when it has not changed. */
  readonly since: number
}

export interface CompletenessOptions {
  /** How long a file has to be unchanged. */
  readonly settleMs: number
  /** Whether a file is complete with its marker only. */
  readonly needsMarker: boolean
}

/**
 * The clocks of file systems may differ from that of this machine. A file that was not touched for
 * so long by the clock of its file system has not been touched, whatever they differ by.
 */
const clockDifferenceMs = 60_000

export const createCompleteness = ({
  settleMs,
  needsMarker,
}: CompletenessOptions): Completeness => {
  let seen = new Map<string, Seen>()
  return {
    observe: (files, now) => {
      const next: typeof seen = new Map()
      const observed = files.map((file): ObservedFile => {
        const before = seen.get(file.name)
        const firstSeen = before?.firstSeen ?? now
        const isSame = before?.version === file.version
        const since = isSame ? before.since : now
        const isOld =
          file.touchedMs !== null && now - file.touchedMs >= settleMs + clockDifferenceMs
        const hasSettled = now - since >= settleMs || isOld
        const isComplete = file.isComplete || (!needsMarker && hasSettled)
        const completeSince = isComplete ? ((isSame ? before.completeSince : null) ?? now) : null
        next.set(file.name, { version: file.version, since, firstSeen, completeSince })
        return { file, completeSince, firstSeen }
      })
      seen = next
      return observed
    },
  }
}

/** Maximum time that a file waits for an earlier one that is still being written. */
const earlierMs = 600_000

/**
 * The files that can be taken, of all in order: the complete ones up to the first that waits for one
 * before it. A file waits for those that were there before it was complete, so that a folder in which
 * files never cease to arrive does not hold it up. What is written for too long is passed over.
 */
export const takeable = (inOrder: readonly ObservedFile[], now: number): readonly DroppedFile[] => {
  const files: DroppedFile[] = []
  let writtenSince = Number.POSITIVE_INFINITY
  for (const { file, completeSince, firstSeen } of inOrder) {
    if (completeSince === null) {
      if (now - firstSeen < earlierMs) writtenSince = Math.min(writtenSince, firstSeen)
    } else if (writtenSince <= completeSince) break
    else files.push(file)
  }
  return files
}
