import type { CommitListener } from '../database.ts'
import { guarded } from './errors.ts'

export interface CommitListenerParts {
  readonly onCommit: () => Promise<void>
  /**
   * A number that changes with every commit of another connection; reading it takes a microsecond.
   */
  readonly readVersion: () => number
  /** Number of commits by this process. */
  readonly ownCommits: () => number
  readonly isOpen: () => boolean
}

/** Poll interval for commits of other processes; those of this process are noticed at once. */
const pollEveryMs = 2

/** Detects commits by SQLite's data version, whenever `isCurrent` is called. */
export const openCommitListener = async (parts: CommitListenerParts): Promise<CommitListener> => {
  const { onCommit, readVersion, ownCommits, isOpen } = parts
  let polledAt = Number.NEGATIVE_INFINITY
  let commitsSeen = ownCommits()
  const poll = () => {
    polledAt = performance.now()
    commitsSeen = ownCommits()
    return readVersion()
  }
  /** The version for which `onCommit` was called; null after a failure. */
  let notified: number | null = null
  let notifying: Promise<void> | null = null
  const notify = (version: number) => {
    notifying ??= onCommit()
      .then(
        () => {
          notified = version
        },
        () => {
          notified = null
        },
      )
      .finally(() => {
        notifying = null
      })
    return notifying
  }
  await notify(guarded(poll))
  return {
    isCurrent: () => {
      if (notifying || !isOpen()) return false
      const isRecent = commitsSeen === ownCommits() && performance.now() - polledAt < pollEveryMs
      if (notified !== null && isRecent) return true
      try {
        const version = poll()
        if (version === notified) return true
        void notify(version)
      } catch {
        notified = null
      }
      return false
    },
    close: async () => {
      await notifying
    },
  }
}
