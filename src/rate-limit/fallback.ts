import { setTimeout as wait } from 'node:timers/promises'
import { within } from './deadline.ts'
import type { Policy, Quota, Taken } from './rate-limit.ts'

export interface FallbackOptions {
  /** How long a request waits for the shared buckets; less than 50, as timers are never early. */
  readonly timeoutMs?: number
  /** How long after a failure, and after each vain attempt, the shared buckets are tried again. */
  readonly retryMs?: number
  /** The shared buckets are out of reach, and why. Once each time. */
  readonly onAway?: (error: Error) => void
  /** They are reached again. */
  readonly onBack?: () => void
}

/** Takes nothing from anybody, and is forgotten at once. */
const probe = { bucket: 'probe', policy: { perSecond: 1_000, burst: 1 } }

/**
 * The shared buckets while they answer in time, this process's own while they do not: taking
 * never fails. While they are known to be away no request waits for them; they are looked for in
 * the background, with or without requests.
 */
export const fallbackQuota = (
  shared: Quota,
  local: Quota,
  { timeoutMs = 40, retryMs = 500, onAway, onBack }: FallbackOptions = {},
): Quota => {
  let away = false
  let closed = false
  /** When the shared buckets were last reached again. */
  let backAt = Number.NEGATIVE_INFINITY

  const leave = (error: Error) => {
    if (away || closed) return
    away = true
    onAway?.(error)
    void seek()
  }

  const seek = async () => {
    while (away && !closed) {
      await wait(retryMs, undefined, { ref: false })
      const answer = ask(probe.bucket, probe.policy)
      const inTime = await within(timeoutMs, answer).then(
        () => true,
        () => false,
      )
      // One question at a time: what is slow is not made slower, nor what is dead waited on twice.
      if (!inTime) await answer.catch(() => undefined)
      else if (!closed) {
        away = false
        backAt = performance.now()
        onBack?.()
      }
    }
  }

  /** Whether a bucket that was emptied while the shared ones were away is full again by now. */
  const isRefilled = ({ perSecond, burst }: Policy): boolean =>
    performance.now() - backAt > (burst / perSecond) * 1_000

  /** A promise, even of a quota that throws. */
  const ask = async (bucket: string, policy: Policy): Promise<Taken> => shared.take(bucket, policy)

  const takeShared = async (bucket: string, policy: Policy): Promise<Taken> => {
    try {
      const taken = await within(timeoutMs, ask(bucket, policy))
      if (!taken.allowed) return taken
      // Also counted here, so that nobody gets a second burst by the change to local buckets, nor by
      // the change back: the shared ones do not know what was taken meanwhile.
      const own = await local.take(bucket, policy)
      return own.allowed || isRefilled(policy) ? taken : own
    } catch (error) {
      leave(error as Error)
      return local.take(bucket, policy)
    }
  }

  // So that it is told at the start, and not at the first request, that they are away.
  within(timeoutMs, ask(probe.bucket, probe.policy)).catch(leave)

  return {
    take: (bucket, policy) => (away ? local.take(bucket, policy) : takeShared(bucket, policy)),
    close: async () => {
      closed = true
      await Promise.all([shared.close(), local.close()])
    },
  }
}
