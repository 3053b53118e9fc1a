import type { ServerResponse } from 'node:http'
import { ApiError } from '#contract'
import { createSemaphore, type Release } from '#semaphore'
import type { Reserve } from '#store'

/** How many requests of one key wait for their turn; a burst and its retries fit in. */
const waitingMax = 1_000
const waitMs = 2_000

/** Bytes of large responses in memory at the same time, in the whole process. */
const responseBytesMax = 67_108_864
const reserveWaitMs = 5_000

/** What a process works on at the same time, for each key. */
export interface InProgress {
  /**
   * Begins a request of a key: at once, or when others of the key have ended. Throws `rate_limited`
   * when it would have to wait for too long.
   */
  enter(keyId: string): Release | Promise<Release>
  /** Sets memory aside for a large response, until it has gone out or its connection is closed. */
  reserver(keyId: string, response: ServerResponse): Reserve
}

export const createInProgress = (perKey: number): InProgress => {
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
    reserver: (keyId, response) => async (bytes) => {
      let release: Release
      try {
        release = await bytesHeld.acquire(keyId, bytes)
      } catch (error) {
        throw new ApiError(
          'store_unavailable',
          'Too many large responses are being sent at the moment. Try again shortly, or use a smaller limit.',
          { cause: error, retryAfterSeconds: 1 },
        )
      }
      if (response.closed) release()
      else response.once('close', release)
    },
  }
}
