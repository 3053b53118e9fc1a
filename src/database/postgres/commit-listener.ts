import type pg from 'pg'
import type { CommitListener } from '../database.ts'

export interface CommitListenerParts {
  /** A connection of its own to whoever takes writes. */
  readonly connect: () => Promise<pg.Client>
  readonly onCommit: () => Promise<void>
}

/** Every writer sends word on it with its commit. */
export const commitChannel = 'selvedge_commits'

/** Word may be lost with a connection that died unnoticed: so often one looks without it. */
const pollEveryMs = 1_000
/** What has not been looked at for so long is not taken for current. */
const currentMs = 2_000
const againMs = 250

/** Hears of commits through PostgreSQL's own notifications. */
export const openCommitListener = async ({
  connect,
  onCommit,
}: CommitListenerParts): Promise<CommitListener> => {
  let listening: pg.Client | null = null
  let polledAt = Number.NEGATIVE_INFINITY
  let waiting = 0
  let closed = false

  const poll = async (): Promise<void> => {
    waiting += 1
    const began = performance.now()
    try {
      await onCommit()
      polledAt = began
    } catch {
      polledAt = Number.NEGATIVE_INFINITY
    } finally {
      waiting -= 1
    }
  }

  const listen = async (): Promise<void> => {
    const client = await connect()
    let gone = false
    const lost = () => {
      gone = true
      if (listening !== client) return
      listening = null
      client.end().catch(() => undefined)
      if (!closed) setTimeout(retry, againMs).unref()
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', () => void poll())
    try {
      await client.query(`listen ${commitChannel}`)
    } catch (error) {
      client.end().catch(() => undefined)
      throw error
    }
    // Whatever was committed from here on is heard of; what was before is looked for.
    await poll()
    if (gone) throw new Error('The connection was lost.')
    listening = client
    if (closed) lost()
  }

  const retry = () => {
    if (closed) return
    listen().catch(() => setTimeout(retry, againMs).unref())
  }

  const timer = setInterval(() => {
    if (waiting === 0) void poll()
  }, pollEveryMs)
  timer.unref()
  await listen().catch(() => setTimeout(retry, againMs).unref())

  return {
    isCurrent: () =>
      listening !== null && waiting === 0 && performance.now() - polledAt < currentMs,
    close: async () => {
      closed = true
      clearInterval(timer)
      const client = listening
      listening = null
      await client?.end().catch(() => undefined)
    },
  }
}
