import type pg from 'pg'
import type { CommitListener } from '../database.ts'

export interface CommitListenerParts {
  /** Opens a connection to the server that takes writes. */
  readonly connect: () => Promise<pg.Client>
  readonly onCommit: () => Promise<void>
}

/** Every writer notifies it with its commit. */
export const commitChannel = 'selvedge_commits'

/** A notification may be lost with a connection that died unnoticed: polling finds the commit. */
const pollEveryMs = 1_000
/** Without a poll for this long it is not current. */
const currentMs = 2_000
/** How long after a failure it connects again. */
const reconnectMs = 250

/** Notices commits by PostgreSQL's notifications. */
export const openCommitListener = async ({
  connect,
  onCommit,
}: CommitListenerParts): Promise<CommitListener> => {
  let listening: pg.Client | null = null
  let polledAt = Number.NEGATIVE_INFINITY
  let polls = 0
  /** Notifications that `onCommit` has not been called for, or is being called for. */
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
    const client = await connect()
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
    // From here on every commit is notified; what was committed before is polled for.
    await poll()
    if (isLost) throw new Error('The connection was lost.')
    listening = client
    if (isClosed) lost()
  }

  const retry = () => {
    if (isClosed) return
    listen().catch(() => setTimeout(retry, reconnectMs).unref())
  }

  const timer = setInterval(() => {
    if (polls === 0) void poll()
  }, pollEveryMs)
  timer.unref()
  await listen().catch(() => setTimeout(retry, reconnectMs).unref())

  return {
    // A poll by the clock, in progress, does not make it out of date: nothing was notified. On a busy
    // machine it takes long, and every cached response would be read again meanwhile.
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
