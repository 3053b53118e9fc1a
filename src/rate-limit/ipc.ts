import type { Channel } from '#cluster'
import type { Decision, Policy, RateLimiter } from './rate-limit.ts'

/** All requests of one event-loop turn; the decisions come back in the same order. */
interface ConsumeMessage {
  readonly type: 'consume'
  readonly id: number
  readonly requests: readonly { readonly bucket: string; readonly policy: Policy }[]
}
interface DecisionsMessage {
  readonly type: 'decisions'
  readonly id: number
  readonly decisions: readonly Decision[]
}

interface PendingRequest {
  readonly bucket: string
  readonly policy: Policy
  readonly resolve: (decision: Decision) => void
  readonly reject: (error: Error) => void
}

/**
 * Counts at the other end of a channel, where `serveLimiter` runs: one exact bucket for all
 * processes of a machine. `consume` rejects when the channel is closed and waits while the other
 * end does not respond, so it is used behind `createFallbackLimiter`. One for each channel.
 */
export const createIpcLimiter = (channel: Channel): RateLimiter => {
  let lastId = 0
  let batch: PendingRequest[] = []
  const sent = new Map<number, readonly PendingRequest[]>()

  const sendBatch = () => {
    const requests = batch
    batch = []
    if (requests.length === 0) return
    lastId += 1
    const message: ConsumeMessage = {
      type: 'consume',
      id: lastId,
      requests: requests.map(({ bucket, policy }) => ({ bucket, policy })),
    }
    try {
      channel.send(message)
      sent.set(lastId, requests)
    } catch (error) {
      for (const { reject } of requests) reject(error as Error)
    }
  }

  const stop = channel.onMessage((message) => {
    if (!isDecisions(message)) return
    const requests = sent.get(message.id) ?? []
    sent.delete(message.id)
    for (const [index, { resolve, reject }] of requests.entries()) {
      const decision = message.decisions[index]
      if (decision) resolve(decision)
      else reject(new Error('The process that counts requests failed.'))
    }
  })

  return {
    consume: (bucket, policy) =>
      new Promise((resolve, reject) => {
        // Sent after this event-loop turn: one message for all requests that have arrived.
        if (batch.length === 0) setImmediate(sendBatch)
        batch.push({ bucket, policy, resolve, reject })
      }),
    close: async () => {
      stop()
      const closed = new Error('The rate limiter is closed.')
      for (const { reject } of [...sent.values(), batch].flat()) reject(closed)
      sent.clear()
      batch = []
    },
  }
}

/** Serves a `createIpcLimiter` at the other end, until the returned function is called. */
export const serveLimiter = (limiter: RateLimiter, channel: Channel): (() => void) => {
  const decide = async ({ id, requests }: ConsumeMessage) => {
    const decisions = await Promise.all(
      requests.map(async ({ bucket, policy }) => limiter.consume(bucket, policy)),
    ).catch((): readonly Decision[] => [])
    const message: DecisionsMessage = { type: 'decisions', id, decisions }
    try {
      channel.send(message)
    } catch {
      // The process that sent the requests has exited.
    }
  }
  return channel.onMessage((message) => {
    if (isConsume(message)) void decide(message)
  })
}

const typeOf = (message: unknown): unknown => (message as { readonly type?: unknown } | null)?.type
const isConsume = (message: unknown): message is ConsumeMessage => typeOf(message) === 'consume'
const isDecisions = (message: unknown): message is DecisionsMessage =>
  typeOf(message) === 'decisions'
