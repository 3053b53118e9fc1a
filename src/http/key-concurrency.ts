import type { ServerResponse } from 'node:http'
import { createSemaphore, type Release } from '#concurrency'
import { ApiError } from '#contract'
import type { Reserve } from '#store'
import type { ResponseMemory } from './connections.ts'

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
    },
  }
}

/** A request that was overtaken this often continues without waiting for room. */
const roundsMax = 20

/**
 * Begins a request of a key once there is room for its response. It does not wait for room at a place
 * that others of the key could use; and what others held when it got its place is looked at again.
 */
export const enterWithRoom = async (
  memory: ResponseMemory,
  keyConcurrency: KeyConcurrency,
  response: ServerResponse,
  keyId: string,
): Promise<Release> => {
  let room = memory.room(keyId)
  for (let round = 0; ; round += 1) {
    if (room) await room
    const entered = keyConcurrency.enter(keyId)
    const leave = entered instanceof Promise ? await entered : entered
    room = response.closed || round >= roundsMax ? null : memory.room(keyId)
    if (!room) return leave
    leave()
  }
}
