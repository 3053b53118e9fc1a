import type { ServerResponse } from 'node:http'
import { createSemaphore, type Release, type Semaphore } from '#concurrency'
import { ApiError } from '#contract'
import type { Reserve } from '#store'

/** How many requests of one key wait for their turn; a burst and its retries fit in. */
const waitingMax = 1_000
const waitMs = 2_000

/** Bytes of large responses in memory at the same time, in the whole process. */
const responseBytesMax = 67_108_864
/** Short, since a read waits with an open snapshot, and has 1 s in all. */
const reserveWaitMs = 200

/** What a process works on at the same time, for each key. */
export interface KeyConcurrency {
  /**
   * Begins a request of a key: at once, or when others of the key have ended. Throws `rate_limited`
   * when it would have to wait for too long.
   */
  enter(keyId: string): Release | Promise<Release>
  /**
   * Sets memory aside for a large response, until it has gone out or its connection is closed. When
   * it is called again for the same response, it takes only what it does not hold already.
   *
   * `ResponseMemory` counts the same bytes once more, when they have been read, and cannot replace
   * this. A request waits there before its response has a length, for as long as it takes to cut
   * clients that do not read, and all that begin at the same time find the same room. Here the length
   * is known, so those cannot exceed the limit together; but a read that waits has an open snapshot,
   * so it waits for a moment only, and must not depend on short responses that are read slowly.
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
      // Few responses are large, so that most never need it.
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

/** A request that was overtaken this often continues without waiting for room. */
const roundsMax = 20

/**
 * Begins a request of a key once there is room for its response. It does not wait for room at a place
 * that others of the key could use; and what others held when it got its place is looked at again.
 * A promise only where it has to wait.
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

/** Counts the bytes that responses keep in memory until they have been sent. */
export interface ResponseMemory {
  /**
   * Resolves once there is room for another response of an owner, a key's id or the address of a
   * client without one; null where there is already. Rejects with an `ApiError` when there is none
   * in time.
   */
  room(owner: string): Promise<void> | null
  /**
   * Counts the bytes of a response until it has been sent or given up, instead of what was counted
   * for it before. Not for shared buffers.
   */
  hold(response: ServerResponse, owner: string, bytes: number): void
}

export interface HeldBytesOptions {
  /** Bytes of all owners together, from which on every request waits. */
  readonly total: number
  /** Bytes of one owner, from which on its requests wait. */
  readonly perOwner: number
  /** How long a request waits at most. */
  readonly waitMs: number
}

/**
 * Counts the bytes that responses keep in memory until they have been sent, for each owner: a key,
 * or the address of a client without one. An owner that does not read its responses makes its own
 * requests wait, and those of others only when the total is exhausted.
 */
export interface HeldBytes {
  /**
   * Resolves once there is room for another response of an owner; null where there is already.
   * Rejects when there is none in time.
   */
  room(owner: string): Promise<void> | null
  /** Counts bytes of an owner; a negative number once they are not held any more. */
  add(owner: string, bytes: number): void
  of(owner: string): number
  readonly total: number
  /** Since when the total is exhausted, on the clock of `performance.now`; null where it is not. */
  readonly fullSince: number | null
  /** Owners whose requests wait because the owner's share has been exhausted since that time. */
  crowded(since: number): readonly string[]
}

interface Owner {
  readonly name: string
  bytes: number
  fullSince: number | null
  /** In the order they came; no more than requests were started. */
  readonly waiting: (() => void)[]
}

export const createHeldBytes = ({ total: max, perOwner, waitMs }: HeldBytesOptions): HeldBytes => {
  const owners = new Map<string, Owner>()
  /** Owners with requests that wait, in the order in which they are served. */
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

  /** One in each turn of the event loop, so that its bytes are counted before the next. */
  const resumeOne = () => {
    isResuming = false
    if (total >= max) return
    for (const owner of queue) {
      if (owner.bytes >= perOwner) continue
      // The next request of this owner comes after one of each other owner.
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
