import type { ServerResponse } from 'node:http'
import { createSemaphore, type Release, type Semaphore } from '#concurrency'
import { ApiError } from '#contract'
import type { Reserve } from '#store'

/** Maximum number of waiting requests per key; a burst and its retries fit. */
const waitingMax = 1_000
const waitMs = 2_000

/** Bytes of large responses in memory at the same time, per process. */
const responseBytesMax = 67_108_864
/** Short: a waiting read holds a snapshot, and has 1 s in total. */
const reserveWaitMs = 200

/** Limits concurrent work per key in one process. */
export interface KeyConcurrency {
  /**
   * Begins a request of a key, at once or when others of the key have ended. Throws `rate_limited`
   * if the wait would be too long.
   */
  enter(keyId: string): Release | Promise<Release>
  /**
   * Reserves memory for a large response, until it is sent or its connection is closed. A second
   * call for the same response reserves only the difference.
   *
   * `ResponseMemory` counts the same bytes again once they have been read, but cannot replace this.
   * It admits requests before their size is known, so concurrent requests can overshoot it
   * together, and requests wait there until slow clients are cut. Here the size is known, so
   * requests cannot exceed the limit together. But a waiting read holds a snapshot, so it waits
   * only for a moment, and must not depend on slow readers of short responses.
   */
  reserver(keyId: string, response: ServerResponse): Reserve
}

export const createKeyConcurrency = (perKey: number): KeyConcurrency => {
  const requests = createSemaphore({
    total: Number.POSITIVE_INFINITY,
    perOwner: perKey,
    waitingPerOwner: waitingMax,
    waitMs,
  })
  const bytesHeld = createSemaphore({
    total: responseBytesMax,
    // One key leaves room for a response of any other.
    perOwner: responseBytesMax / 2,
    waitingPerOwner: waitingMax,
    waitMs: reserveWaitMs,
  })
  const tooMany = () =>
    new ApiError(
      'rate_limited',
      `More than ${perKey} requests of this key are in progress. Wait for responses before sending more requests.`,
      { retryAfterSeconds: 1 },
    )
  return {
    enter: (keyId) => {
      const entered = requests.acquire(keyId)
      return entered instanceof Promise
        ? entered.catch(() => {
            throw tooMany()
          })
        : entered
    },
    reserver: (keyId, response) => {
      // Created on demand: few responses are large.
      let reserve: Reserve | null = null
      return (bytes) => {
        reserve ??= createReserve(bytesHeld, keyId, response)
        return reserve(bytes)
      }
    },
  }
}

const createReserve = (bytesHeld: Semaphore, keyId: string, response: ServerResponse): Reserve => {
  let reserved = 0
  const releases: Release[] = []
  const releaseAll = () => {
    for (const release of releases.splice(0)) release()
  }
  return async (bytes) => {
    const more = bytes - reserved
    if (more <= 0) return
    reserved = bytes
    try {
      releases.push(await bytesHeld.acquire(keyId, more))
    } catch (error) {
      reserved -= more
      throw new ApiError(
        'store_unavailable',
        'Too many large responses are being sent at the moment. Try again shortly, or use a smaller limit.',
        { cause: error, retryAfterSeconds: 1 },
      )
    }
    if (response.closed) releaseAll()
    else if (releases.length === 1) response.once('close', releaseAll)
  }
}

/** A request that was overtaken this often continues without waiting for memory. */
const roundsMax = 20

/**
 * Begins a request of a key once there is memory for its response. Waits for memory before taking a
 * concurrency slot, and re-checks memory after waiting for the slot. Returns a promise only if it
 * has to wait.
 */
export const enterWithRoom = (
  memory: ResponseMemory,
  keyConcurrency: KeyConcurrency,
  response: ServerResponse,
  keyId: string,
): Release | Promise<Release> => {
  const room = memory.room(keyId)
  const entered = room ? null : keyConcurrency.enter(keyId)
  if (entered && !(entered instanceof Promise)) return entered
  return enterLater(memory, keyConcurrency, response, keyId, room, entered)
}

const enterLater = async (
  memory: ResponseMemory,
  keyConcurrency: KeyConcurrency,
  response: ServerResponse,
  keyId: string,
  firstRoom: Promise<void> | null,
  firstEntry: Promise<Release> | null,
): Promise<Release> => {
  let room = firstRoom
  for (let round = 0; ; round += 1) {
    if (room) await room
    const leave = await (round === 0 && firstEntry ? firstEntry : keyConcurrency.enter(keyId))
    room = response.closed || round >= roundsMax ? null : memory.room(keyId)
    if (!room) return leave
    leave()
  }
}

/** Counts the bytes that responses keep in memory until they are sent. */
export interface ResponseMemory {
  /**
   * Resolves once an owner (a key's id, or the address of a client without a key) has room for
   * another response; null if there is room now. Rejects with an `ApiError` after a timeout.
   */
  room(owner: string): Promise<void> | null
  /**
   * Counts the bytes of a response until it is sent or abandoned, replacing its earlier count. Not
   * for shared buffers.
   */
  hold(response: ServerResponse, owner: string, held: HeldResponse): void
}

/** What a response keeps in memory. A download must be read faster than other responses. */
export interface HeldResponse {
  readonly bytes: number
  /** Set once, when the download begins. */
  readonly isDownload?: boolean | undefined
}

export interface HeldBytesOptions {
  /** Once all owners together hold this many bytes, every request waits. */
  readonly total: number
  /** Once one owner holds this many bytes, its requests wait. */
  readonly perOwner: number
  /** Maximum wait of a request. */
  readonly waitMs: number
}

/**
 * Counts the bytes that responses keep in memory until they are sent, per owner: a key, or the
 * address of a client without one. An owner that does not read its responses delays its own
 * requests, and those of others only when the total is exhausted.
 */
export interface HeldBytes {
  /**
   * Resolves once an owner has room for another response; null if there is room now. Rejects after
   * a timeout.
   */
  room(owner: string): Promise<void> | null
  /** Adds to an owner's held bytes; negative to release them. */
  add(owner: string, bytes: number): void
  of(owner: string): number
  readonly total: number
  /** When the total became exhausted, on the `performance.now` clock; null if it is not. */
  readonly fullSince: number | null
  /** Owners with waiting requests whose share has been exhausted since that time. */
  crowded(since: number): readonly string[]
}

interface Owner {
  readonly name: string
  bytes: number
  fullSince: number | null
  /** In arrival order. */
  readonly waiting: (() => void)[]
}

export const createHeldBytes = ({ total: max, perOwner, waitMs }: HeldBytesOptions): HeldBytes => {
  const owners = new Map<string, Owner>()
  /** Owners with waiting requests, in the order in which they are served. */
  const queue = new Set<Owner>()
  let total = 0
  let fullSince: number | null = null
  let isResuming = false

  const ownerOf = (name: string): Owner => {
    const existing = owners.get(name)
    if (existing) return existing
    const owner: Owner = { name, bytes: 0, fullSince: null, waiting: [] }
    owners.set(name, owner)
    return owner
  }

  const forgetIfIdle = (owner: Owner) => {
    if (owner.waiting.length === 0) queue.delete(owner)
    if (owner.waiting.length === 0 && owner.bytes === 0) owners.delete(owner.name)
  }

  /** One per turn of the event loop, so that its bytes are counted before the next. */
  const resumeOne = () => {
    isResuming = false
    if (total >= max) return
    for (const owner of queue) {
      if (owner.bytes >= perOwner) continue
      // Round robin: the next request of this owner comes after one of each other owner.
      queue.delete(owner)
      const resume = owner.waiting.shift()
      if (owner.waiting.length > 0) queue.add(owner)
      resume?.()
      isResuming = true
      setImmediate(resumeOne)
      return
    }
  }

  const wait = (owner: Owner): Promise<void> =>
    new Promise((resolve, reject) => {
      const resume = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        owner.waiting.splice(owner.waiting.indexOf(resume), 1)
        const isOwn = owner.bytes >= perOwner
        forgetIfIdle(owner)
        reject(isOwn ? ownerFull() : totalFull())
      }, waitMs)
      owner.waiting.push(resume)
      queue.add(owner)
    })

  return {
    room: (name) => {
      const bytes = owners.get(name)?.bytes ?? 0
      return total < max && bytes < perOwner ? null : wait(ownerOf(name))
    },
    add: (name, bytes) => {
      if (bytes === 0) return
      const owner = ownerOf(name)
      owner.bytes += bytes
      total += bytes
      if (owner.bytes < perOwner) owner.fullSince = null
      else owner.fullSince ??= performance.now()
      if (total < max) fullSince = null
      else fullSince ??= performance.now()
      if (bytes > 0) return
      forgetIfIdle(owner)
      if (queue.size > 0 && !isResuming) resumeOne()
    },
    of: (name) => owners.get(name)?.bytes ?? 0,
    get total() {
      return total
    },
    get fullSince() {
      return fullSince
    },
    crowded: (since) =>
      [...queue]
        .filter((owner) => owner.fullSince !== null && owner.fullSince <= since)
        .map(({ name }) => name),
  }
}

const ownerFull = () =>
  new ApiError(
    'rate_limited',
    'Too many bytes of earlier responses to this client are not read yet. Read them before sending more requests.',
    { retryAfterSeconds: 1 },
  )

const totalFull = () =>
  new ApiError(
    'store_unavailable',
    'Too many responses are being sent at the moment. Try again shortly.',
    { retryAfterSeconds: 1 },
  )
