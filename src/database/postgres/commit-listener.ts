import type pg from 'pg'
import type { CommitListener } from '../database.ts'

export interface CommitListenerParts {
  /** Opens a connection to the primary. `verify` throws once another server takes its place. */
  readonly connect: () => Promise<{ readonly client: pg.Client; readonly verify: () => void }>
  readonly onCommit: () => Promise<void>
}

/** Every writer notifies this channel with its commit. */
export const commitChannel = 'selvedge_commits'

/** A connection that dies unnoticed can lose a notification; polling finds the commit. */
const pollEveryMs = 250
/** The listener is not current if its last poll is older than this. */
const currentMs = 1_000
/** Delay before it reconnects after a failure. */
const reconnectMs = 250

/** Detects commits through PostgreSQL notifications. */
export const openCommitListener = async ({
  connect,
  onCommit,
}: CommitListenerParts): Promise<CommitListener> => {
  let listening: pg.Client | null = null
  let leaveOld: () => void = () => undefined
  let polledAt = Number.NEGATIVE_INFINITY
  let polls = 0
  /** Notifications for which `onCommit` has not finished yet. */
  let notified = 0
  let isClosed = false

  const poll = async (): Promise<void> => {
    polls += 1
    const began = performance.now()
    try {
      await onCommit()
      polledAt = began
    } catch {
      polledAt = Number.NEGATIVE_INFINITY
    } finally {
      polls -= 1
    }
  }
  const pollForCommit = async (): Promise<void> => {
    notified += 1
    await poll()
    notified -= 1
  }

  const listen = async (): Promise<void> => {
    const { client, verify } = await connect()
    let isLost = false
    const lost = () => {
      isLost = true
      if (listening !== client) return
      listening = null
      client.end().catch(() => undefined)
      if (!isClosed) setTimeout(retry, reconnectMs).unref()
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', () => void pollForCommit())
    try {
      await client.query(`listen ${commitChannel}`)
    } catch (error) {
      client.end().catch(() => undefined)
      throw error
    }
    // Every later commit sends a notification; polling finds the earlier ones.
    await poll()
    if (isLost) throw new Error('The connection was lost.')
    listening = client
    leaveOld = () => {
      try {
        verify()
      } catch {
        lost()
      }
    }
    if (isClosed) lost()
  }

  const retry = () => {
    if (isClosed) return
    listen().catch(() => setTimeout(retry, reconnectMs).unref())
  }

  const timer = setInterval(() => {
    leaveOld()
    if (polls === 0) void poll()
  }, pollEveryMs)
  timer.unref()
  await listen().catch(() => setTimeout(retry, reconnectMs).unref())

  return {
    // A timed poll in progress does not make the listener stale: nothing was notified. On a busy
    // machine the poll takes long, and every cached response would be read again meanwhile.
    isCurrent: () =>
      listening !== null && notified === 0 && performance.now() - polledAt < currentMs,
    close: async () => {
      isClosed = true
      clearInterval(timer)
      const client = listening
      listening = null
      await client?.end().catch(() => undefined)
    },
  }
}
