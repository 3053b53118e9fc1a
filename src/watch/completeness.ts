import type { DroppedFile } from './inbox.ts'

/** Decides which of the files that wait are complete. */
export interface Completeness {
  /** Looks at a listing. Files that are not in it are forgotten. */
  observe(files: readonly DroppedFile[], now: number): readonly ObservedFile[]
}

export interface ObservedFile {
  readonly file: DroppedFile
  readonly isComplete: boolean
  /** When it was first seen, by the clock of this machine. */
  readonly firstSeen: number
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
  let seen = new Map<string, { version: string; since: number; firstSeen: number }>()
  return {
    observe: (files, now) => {
      const next: typeof seen = new Map()
      const observed = files.map((file): ObservedFile => {
        const before = seen.get(file.name)
        const firstSeen = before?.firstSeen ?? now
        const since = before?.version === file.version ? before.since : now
        next.set(file.name, { version: file.version, since, firstSeen })
        const isOld =
          file.touchedMs !== null && now - file.touchedMs >= settleMs + clockDifferenceMs
        const hasSettled = now - since >= settleMs || isOld
        return { file, isComplete: file.isComplete || (!needsMarker && hasSettled), firstSeen }
      })
      seen = next
      return observed
    },
  }
}

/** Maximum time that a file waits for an earlier one that is still being written. */
const earlierMs = 600_000

/**
 * The files that can be taken, in order: the complete ones up to the first that is still being
 * written. What is written for too long is passed over.
 */
export const takeable = (
  observed: readonly ObservedFile[],
  order: (file: DroppedFile) => readonly (number | string)[],
  now: number,
): readonly DroppedFile[] => {
  const current = observed
    .filter(({ isComplete, firstSeen }) => isComplete || now - firstSeen < earlierMs)
    .map((each) => ({ ...each, order: order(each.file) }))
    .sort((one, other) => compare(one.order, other.order))
  const end = current.findIndex(({ isComplete }) => !isComplete)
  return (end < 0 ? current : current.slice(0, end)).map(({ file }) => file)
}

const compare = (
  one: readonly (number | string)[],
  other: readonly (number | string)[],
): number => {
  for (const [index, part] of one.entries()) {
    const otherPart = other[index] as number | string
    if (part < otherPart) return -1
    if (part > otherPart) return 1
  }
  return 0
}
