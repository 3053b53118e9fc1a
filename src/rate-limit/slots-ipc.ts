import type { Channel } from '#cluster'
import { withTimeout } from '#concurrency'
import type { Slot, SlotRefusal, Slots } from './slots.ts'

/** From a worker: takes or releases the slot that it numbers. */
interface SlotRequest {
  readonly type: 'take' | 'release'
  readonly id: number
  readonly owner: string
}
/** To a worker: the slot was taken, unless it was refused, or released. */
interface SlotReply {
  readonly type: 'taken' | 'released'
  readonly id: number
  readonly refusal: SlotRefusal | null
}

/** A busy supervisor is worth the wait. */
const replyMs = 500

/**
 * Takes slots at the other end of a channel, where `serveSlots` runs: one limit for all processes of
 * a machine. Takes those of `local` while the other end does not reply.
 */
export const createIpcSlots = (channel: Channel, local: Slots): Slots => {
  const pending = new Map<number, (reply: SlotReply) => void>()
  let lastId = 0
  channel.onMessage((message) => {
    if (!isReply(message)) return
    const reply = pending.get(message.id)
    pending.delete(message.id)
    // The request that waited for a late slot has taken a local one.
    const isTaken = message.type === 'taken' && message.refusal === null
    if (!reply && isTaken) send({ type: 'release', id: message.id, owner: '' })
    reply?.(message)
  })
  const send = (request: SlotRequest) => {
    try {
      channel.send(request)
    } catch {
      // The other process has exited, and this one is about to.
    }
  }
  const ask = async (request: SlotRequest): Promise<SlotReply> => {
    const reply = new Promise<SlotReply>((resolve) => pending.set(request.id, resolve))
    send(request)
    try {
      return await withTimeout(replyMs, reply)
    } finally {
      pending.delete(request.id)
    }
  }
  const take = async (owner: string): Promise<Slot | SlotRefusal> => {
    lastId += 1
    const id = lastId
    const { refusal } = await ask({ type: 'take', id, owner })
    if (refusal) return refusal
    let released: Promise<void> | undefined
    return {
      release: () => {
        released ??= ask({ type: 'release', id, owner }).then(
          () => undefined,
          () => undefined,
        )
        return released
      },
    }
  }
  return { take: (owner) => take(owner).catch(() => local.take(owner)) }
}

/**
 * Serves a `createIpcSlots` at the other end. Call the returned function when that process has
 * exited: it releases all its slots.
 */
export const serveSlots = (slots: Slots, channel: Channel): (() => void) => {
  const slotsById = new Map<number, Slot>()
  let isClosed = false
  const serve = async ({ type, id, owner }: SlotRequest) => {
    let refusal: SlotRefusal | null = null
    if (type === 'take') {
      const result = await slots.take(owner)
      if ('reason' in result) refusal = result
      else if (isClosed) await result.release()
      else slotsById.set(id, result)
    } else {
      await slotsById.get(id)?.release()
      slotsById.delete(id)
    }
    const reply: SlotReply = { type: type === 'take' ? 'taken' : 'released', id, refusal }
    try {
      channel.send(reply)
    } catch {
      // The process that asked has exited.
    }
  }
  const stop = channel.onMessage((message) => {
    if (isRequest(message)) void serve(message)
  })
  return () => {
    isClosed = true
    stop()
    for (const slot of slotsById.values()) void slot.release()
    slotsById.clear()
  }
}

const typeOf = (message: unknown): unknown => (message as { readonly type?: unknown } | null)?.type
const isReply = (message: unknown): message is SlotReply =>
  typeOf(message) === 'taken' || typeOf(message) === 'released'
const isRequest = (message: unknown): message is SlotRequest =>
  typeOf(message) === 'take' || typeOf(message) === 'release'
