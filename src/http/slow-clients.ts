import type { ServerResponse } from 'node:http'
import { createHeldBytes, type HeldResponse, type ResponseMemory } from './load-limits.ts'

/** Limits on unread data, per process. */
export interface ClientLimits {
  /**
   * A client must receive `bytesPerSecond` of the data ready for it, averaged over this many
   * seconds, or everything there is.
   */
  readonly sendTimeoutSeconds: number
  readonly bytesPerSecond: number
  /** The same while a download is sent, which holds a snapshot of the database. */
  readonly downloadBytesPerSecond: number
  /**
   * Unsent bytes of responses that are not shared between clients. One owner (a key, or the address
   * of a client without one) may hold a quarter of them.
   */
  readonly heldBytesMax: number
  /** After this long with too many held bytes, clients that received nothing meanwhile are cut. */
  readonly idleUnderPressureMs: number
}

/** The share of the held bytes that one owner may have. */
const ownerShare = 1 / 4
/** Several times as long as it takes to cut connections to make room. */
const roomWaitMs = 20_000
/** After this long with too many held bytes, the largest holder is cut, even if it reads. */
const pressureMaxMs = 5_000

/** A client's progress in receiving responses, and the bytes they hold. */
export interface Client {
  heldBytes: number
  /** Held bytes by the owner of the responses. */
  readonly heldFor: Map<string, number>
  /** Downloads that are being sent to it. */
  downloads: number
  /** When the client last received its share or began to have unsent data; null if it has none. */
  stalledSince: number | null
  /** Bytes taken by the kernel at `stalledSince`. */
  sentBytesThen: number
  /** When the kernel last took anything, and the bytes taken by then. */
  movedAt: number
  sentBytes: number
}

/** Finds clients that read too slowly, and those that fill the memory with unread data. */
export interface SlowClients {
  room: ResponseMemory['room']
  /** Counts the bytes of a response, replacing its earlier count. */
  hold(client: Client, response: ServerResponse, owner: string, held: HeldResponse): void
  /** Releases the bytes of a response. */
  release(client: Client, response: ServerResponse): void
  /** Releases the bytes of all responses of a client. */
  releaseAll(client: Client): void
  /** Records a client's progress; returns whether it is too slow. */
  isStalled(
    client: Client,
    progress: { readonly unsent: number; readonly sentBytes: number },
    now: number,
  ): boolean
  /**
   * Frees memory when unread responses have filled it for too long: cuts the clients that hold the
   * most, each of which releases everything.
   */
  relieve<Each extends Client>(
    clients: Iterable<Each>,
    now: number,
    cut: (client: Each) => void,
  ): void
}

/** The bytes that a response holds, and their owner. */
const heldKey = Symbol('held')
type Held = ServerResponse & { [heldKey]?: HeldResponse & { readonly owner: string } }

export const createSlowClients = (limits: ClientLimits): SlowClients => {
  const stallMs = limits.sendTimeoutSeconds * 1_000
  const rateOf = ({ downloads }: Client) =>
    downloads > 0 ? limits.downloadBytesPerSecond : limits.bytesPerSecond
  const perOwner = limits.heldBytesMax * ownerShare
  const held = createHeldBytes({ total: limits.heldBytesMax, perOwner, waitMs: roomWaitMs })

  /** Adds to a client's held bytes; negative to release them. */
  const count = (client: Client, owner: string, bytes: number) => {
    const before = client.heldFor.get(owner) ?? 0
    if (before + bytes > 0) client.heldFor.set(owner, before + bytes)
    else client.heldFor.delete(owner)
    client.heldBytes += bytes
    held.add(owner, bytes)
  }

  return {
    room: held.room,
    hold: (client, response, owner, { bytes, isDownload }) => {
      const counted: Held = response
      const before = counted[heldKey]?.bytes ?? 0
      counted[heldKey] = { owner, bytes, isDownload }
      if (isDownload) client.downloads += 1
      // Only the difference: releasing everything first would admit a request without room.
      count(client, owner, bytes - before)
    },
    release: (client, response: Held) => {
      const { [heldKey]: counted } = response
      if (!counted) return
      count(client, counted.owner, -counted.bytes)
      if (counted.isDownload) client.downloads -= 1
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
      else if (
        stalledSince === null ||
        sentBytes - sentBytesThen >= limits.sendTimeoutSeconds * rateOf(client)
      ) {
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
        // Cuts enough idle clients to make room for many others, not for one.
        if (held.total < limits.heldBytesMax / (isIdle(each) ? 2 : 1)) continue
        if (isIdle(each) || now - fullSince >= pressureMaxMs) cut(each)
      }
    },
  }
}

/** Clients that hold bytes and have unsent data, largest holders first. */
const byBytes = <Each extends Client>(
  clients: Iterable<Each>,
  bytesOf: (each: Client) => number,
): readonly Each[] =>
  [...clients]
    .filter((each) => bytesOf(each) > 0 && each.stalledSince !== null)
    .sort((a, b) => bytesOf(b) - bytesOf(a))
