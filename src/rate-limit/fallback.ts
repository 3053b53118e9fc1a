import { setTimeout as wait } from 'node:timers/promises'
import { withTimeout } from '#concurrency'
import type { Decision, Policy, RateLimiter } from './rate-limit.ts'

export interface FallbackOptions {
  /**
   * How long a request waits for the shared limiter; below 50 ms, because timers never fire early.
   */
  readonly timeoutMs?: number
  /** Interval between attempts to reach the shared limiter again. */
  readonly retryMs?: number
  /** Called once per outage, with the reason. */
  readonly onUnreachable?: (error: Error) => void
  /** Called when the shared limiter responds again. */
  readonly onRecovered?: () => void
}

/** A separate bucket, which affects no key. */
const probe = { bucket: 'probe', policy: { perSecond: 1_000, burst: 1 } }

/**
 * Uses the shared limiter while it responds in time, and the local one while it does not: `consume`
 * never fails. During an outage no request waits for the shared limiter; it is probed in the
 * background.
 */
export const createFallbackLimiter = (
  shared: RateLimiter,
  local: RateLimiter,
  { timeoutMs = 40, retryMs = 500, onUnreachable, onRecovered }: FallbackOptions = {},
): RateLimiter => {
  let unreachable = false
  let closed = false
  /** When the shared limiter last recovered. */
  let recoveredAt = Number.NEGATIVE_INFINITY

  const useLocal = (error: Error) => {
    if (unreachable || closed) return
    unreachable = true
    onUnreachable?.(error)
    void probeShared()
  }

  const probeShared = async () => {
    while (unreachable && !closed) {
      await wait(retryMs, undefined, { ref: false })
      const reply = consumeSharedOnce(probe.bucket, probe.policy)
      const inTime = await withTimeout(timeoutMs, reply).then(
        () => true,
        () => false,
      )
      // One probe at a time, so that a slow server is not made slower.
      if (!inTime) await reply.catch(() => undefined)
      else if (!closed) {
        unreachable = false
        recoveredAt = performance.now()
        onRecovered?.()
      }
    }
  }

  /** Whether a bucket that was emptied during the outage is full again. */
  const isRefilled = ({ perSecond, burst }: Policy): boolean =>
    performance.now() - recoveredAt > (burst / perSecond) * 1_000

  /** A promise, even if the limiter throws. */
  const consumeSharedOnce = async (bucket: string, policy: Policy): Promise<Decision> =>
    shared.consume(bucket, policy)

  const consumeShared = async (bucket: string, policy: Policy): Promise<Decision> => {
    try {
      const decision = await withTimeout(timeoutMs, consumeSharedOnce(bucket, policy))
      if (!decision.allowed) return decision
      // Also counted locally, so that neither the switch to the local limiter nor the switch back
      // grants a second burst.
      const own = await local.consume(bucket, policy)
      return own.allowed || isRefilled(policy) ? decision : own
    } catch (error) {
      useLocal(error as Error)
      return local.consume(bucket, policy)
    }
  }

  // Reports an outage at start, not at the first request.
  withTimeout(timeoutMs, consumeSharedOnce(probe.bucket, probe.policy)).catch(useLocal)

  return {
    consume: (bucket, policy) =>
      unreachable ? local.consume(bucket, policy) : consumeShared(bucket, policy),
    close: async () => {
      closed = true
      await Promise.all([shared.close(), local.close()])
    },
  }
}
