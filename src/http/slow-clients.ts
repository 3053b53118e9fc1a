import type { ServerResponse } from 'node:http'
import { createHeldBytes, type ResponseMemory } from './load-limits.ts'

/** What clients may leave unread. Everything here is for one process. */
export interface ClientLimits {
  /**
   * A client must take `bytesPerSecond` of what is ready for it, measured over this time: this many
   * seconds' worth within this many seconds, or all there is.
   */
  readonly sendTimeoutSeconds: number
  readonly bytesPerSecond: number
  /**
   * Bytes of responses that only one client gets and that are not sent yet. One owner, a key or the
   * address of a client without one, may hold a quarter of them.
   */
  readonly heldBytesMax: number
  /** Too many held bytes for this long: clients that took nothing in the meantime are cut. */
  readonly idleUnderPressureMs: number
}

/** The share of the held bytes that one owner may have. */
const ownerShare = 1 / 4
/** Several times as long as it takes until connections are cut to make room. */
const roomWaitMs = 20_000
/** Too many for this long: the connection that holds the most is cut, even if it reads. */
const pressureMaxMs = 5_000

/** What a client has taken of its responses, and what they hold. */
export interface Client {
  heldBytes: number
  /** The same for each owner of its responses. */
  readonly heldFor: Map<string, number>
  /** When the client had last taken its share, or had nothing to take; null: it has nothing to take. */
  stalledSince: number | null
  /** What the kernel had taken by then. */
  sentBytesThen: number
  /** When the kernel last took anything, and how much it had taken. */
  movedAt: number
  sentBytes: number
}

/** Finds the clients that read too slowly, and those that fill the memory with what they do not read. */
export interface SlowClients {
  room: ResponseMemory['room']
  /** Counts the bytes of a response, instead of what was counted for it before. */
  hold(client: Client, response: ServerResponse, owner: string, bytes: number): void
  /** Gives back what a response holds. */
  release(client: Client, response: ServerResponse): void
  /** Gives back what all responses of a client hold. */
  releaseAll(client: Client): void
  /** Notes what is still to be sent to a client, and what was; says whether that is too little. */
  isStalled(
    client: Client,
    progress: { readonly unsent: number; readonly sentBytes: number },
    now: number,
  ): boolean
  /**
   * Frees memory when responses that are not read have filled it for too long: cuts the clients that
   * hold the most of it, each of which gives everything back.
   */
  relieve<Each extends Client>(
    clients: Iterable<Each>,
    now: number,
    cut: (client: Each) => void,
  ): void
}

/** What a response holds, and for whom. */
const heldKey = Symbol('held')
type Held = ServerResponse & { [heldKey]?: { readonly owner: string; readonly bytes: number } }

export const createSlowClients = (limits: ClientLimits): SlowClients => {
  const stallMs = limits.sendTimeoutSeconds * 1_000
  const stallBytes = limits.sendTimeoutSeconds * limits.bytesPerSecond
  const perOwner = limits.heldBytesMax * ownerShare
  const held = createHeldBytes({ total: limits.heldBytesMax, perOwner, waitMs: roomWaitMs })

  /** Counts bytes of a client; a negative number once they are not held any more. */
  const count = (client: Client, owner: string, bytes: number) => {
    const before = client.heldFor.get(owner) ?? 0
    if (before + bytes > 0) client.heldFor.set(owner, before + bytes)
    else client.heldFor.delete(owner)
    client.heldBytes += bytes
    held.add(owner, bytes)
  }

  return {
    room: held.room,
    hold: (client, response, owner, bytes) => {
      const counted: Held = response
      const before = counted[heldKey]?.bytes ?? 0
      counted[heldKey] = { owner, bytes }
      // The difference alone: giving all of it back first would let a request in that has no room.
      count(client, owner, bytes - before)
    },
    release: (client, response: Held) => {
      const { [heldKey]: counted } = response
      if (counted) count(client, counted.owner, -counted.bytes)
    },
    releaseAll: (client) => {
      for (const [owner, bytes] of client.heldFor) count(client, owner, -bytes)
    },
    isStalled: (client, { unsent, sentBytes }, now) => {
      if (sentBytes !== client.sentBytes || unsent === 0) {
        client.sentBytes = sentBytes
        client.movedAt = now
      }
      const { stalledSince, sentBytesThen } = client
      if (unsent === 0) client.stalledSince = null
      else if (stalledSince === null || sentBytes - sentBytesThen >= stallBytes) {
        client.stalledSince = now
        client.sentBytesThen = sentBytes
      } else return now - stalledSince >= stallMs
      return false
    },
    relieve: (clients, now, cut) => {
      const idleSince = now - limits.idleUnderPressureMs
      const isIdle = (each: Client) => each.movedAt <= idleSince
      for (const owner of held.crowded(idleSince)) {
        for (const each of byBytes(clients, ({ heldFor }) => heldFor.get(owner) ?? 0)) {
          if (isIdle(each) && held.of(owner) >= perOwner / 2) cut(each)
        }
      }
      const { fullSince } = held
      if (fullSince === null || fullSince > idleSince) return
      for (const each of byBytes(clients, ({ heldBytes }) => heldBytes)) {
        // Of those that take nothing, as many as make room for many others, not for one.
        if (held.total < limits.heldBytesMax / (isIdle(each) ? 2 : 1)) continue
        if (isIdle(each) || now - fullSince >= pressureMaxMs) cut(each)
      }
    },
  }
}

/** Clients that hold bytes and have something to take, those that hold the most first. */
const byBytes = <Each extends Client>(
  clients: Iterable<Each>,
  bytesOf: (each: Client) => number,
): readonly Each[] =>
  [...clients]
    .filter((each) => bytesOf(each) > 0 && each.stalledSince !== null)
    .sort((a, b) => bytesOf(b) - bytesOf(a))
