import type { Policy, Quota, Taken } from './rate-limit.ts'

/** A way to another process. Messages arrive in the order they were sent, or the way is closed. */
export interface Channel {
  /** Throws when the way is known to be closed. */
  send(message: object): void
  /** Hands out what the other end sends, until the returned function is called. */
  onMessage(listener: (message: unknown) => void): () => void
}

/** Questions of one moment, and their answers in the same order. */
interface Asked {
  readonly type: 'quota'
  readonly id: number
  readonly takes: readonly { readonly bucket: string; readonly policy: Policy }[]
}
interface Answered {
  readonly type: 'quota taken'
  readonly id: number
  readonly taken: readonly Taken[]
}

interface Waiting {
  readonly bucket: string
  readonly policy: Policy
  readonly resolve: (taken: Taken) => void
  readonly reject: (error: Error) => void
}

/**
 * Buckets at the other end of a channel, where `serveQuota` answers: one exact bucket for all
 * processes of a machine. Taking rejects when the channel is closed, and waits as long as the
 * other end does not answer; it is meant to be put behind `fallbackQuota`. One for each channel.
 */
export const channelQuota = (channel: Channel): Quota => {
  let lastId = 0
  let gathered: Waiting[] = []
  const asked = new Map<number, readonly Waiting[]>()

  const ask = () => {
    const takes = gathered
    gathered = []
    if (takes.length === 0) return
    lastId += 1
    const message: Asked = {
      type: 'quota',
      id: lastId,
      takes: takes.map(({ bucket, policy }) => ({ bucket, policy })),
    }
    try {
      channel.send(message)
      asked.set(lastId, takes)
    } catch (error) {
      for (const { reject } of takes) reject(error as Error)
    }
  }

  const stop = channel.onMessage((message) => {
    if (!isAnswered(message)) return
    const takes = asked.get(message.id) ?? []
    asked.delete(message.id)
    for (const [index, { resolve, reject }] of takes.entries()) {
      const taken = message.taken[index]
      if (taken) resolve(taken)
      else reject(new Error('The process that keeps the buckets could not take.'))
    }
  })

  return {
    take: (bucket, policy) =>
      new Promise((resolve, reject) => {
        // Sent when all requests that had arrived by now are read: one message for all of them.
        if (gathered.length === 0) setImmediate(ask)
        gathered.push({ bucket, policy, resolve, reject })
      }),
    close: async () => {
      stop()
      const closed = new Error('The quota is closed.')
      for (const { reject } of [...asked.values(), gathered].flat()) reject(closed)
      asked.clear()
      gathered = []
    },
  }
}

/** Answers a `channelQuota` at the other end, until the returned function is called. */
export const serveQuota = (quota: Quota, channel: Channel): (() => void) => {
  const answer = async ({ id, takes }: Asked) => {
    const taken = await Promise.all(
      takes.map(async ({ bucket, policy }) => quota.take(bucket, policy)),
    ).catch((): readonly Taken[] => [])
    const message: Answered = { type: 'quota taken', id, taken }
    try {
      channel.send(message)
    } catch {
      // The process that asked is gone, and nobody waits for the answer.
    }
  }
  return channel.onMessage((message) => {
    if (isAsked(message)) void answer(message)
  })
}

const typeOf = (message: unknown): unknown => (message as { readonly type?: unknown } | null)?.type
const isAsked = (message: unknown): message is Asked => typeOf(message) === 'quota'
const isAnswered = (message: unknown): message is Answered => typeOf(message) === 'quota taken'

/** What is used of `process`, of a child, and of the `process` of a cluster's worker. */
export interface ProcessEnd {
  readonly connected: boolean
  send?(message: object, sent: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
  off(event: 'message', listener: (message: unknown) => void): unknown
}

/** The channel between a process and the one that started it, seen from either end. */
export const processChannel = (end: ProcessEnd): Channel => ({
  send: (message) => {
    if (!end.connected || !end.send) throw new Error('The other process is gone.')
    // Without a listener of its own, a failure would be an error of the whole process. The answer
    // will be missed where it is waited for.
    end.send(message, () => undefined)
  },
  onMessage: (listener) => {
    end.on('message', listener)
    return () => end.off('message', listener)
  },
})
