import { ApiError } from '#contract'

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
