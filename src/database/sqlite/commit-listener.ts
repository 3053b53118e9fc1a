import type { CommitListener } from '../database.ts'
import { guarded } from './errors.ts'

export interface CommitListenerParts {
  readonly onCommit: () => Promise<void>
  /** A number that changes with every commit of another connection; reading it takes a microsecond. */
  readonly readVersion: () => number
  /** How often this process itself has committed. */
  readonly ownCommits: () => number
  readonly isOpen: () => boolean
}

/** Commits of other processes are polled for this often, those of this process at once. */
const pollEveryMs = 2

/** Notices commits by SQLite's data version, whenever it is asked whether it is current. */
export const openCommitListener = async (parts: CommitListenerParts): Promise<CommitListener> => {
  const { onCommit, readVersion, ownCommits, isOpen } = parts
  let polledAt = Number.NEGATIVE_INFINITY
  let commitsSeen = ownCommits()
  const poll = () => {
    polledAt = performance.now()
    commitsSeen = ownCommits()
    return readVersion()
  }
  /** The version that `onCommit` has been called for; null when that failed. */
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
