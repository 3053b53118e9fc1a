import type { Decision, Policy, RateLimiter } from './rate-limit.ts'

export interface MemoryLimiterOptions {
  /** A monotonic clock in milliseconds; the wall clock may be set back. */
  readonly now: () => number
  /** Maximum number of buckets; full ones are evicted first. */
  readonly bucketsMax?: number
}

/** Counts in the memory of this process. */
export const createMemoryLimiter = ({
  now,
  bucketsMax = 100_000,
}: MemoryLimiterOptions): RateLimiter => {
  /** For each bucket, when it will be full again. */
  const fullAt = new Map<string, number>()

  /** Evicts full buckets, then the least recently used. */
  const evict = (at: number) => {
    for (const [bucket, full] of fullAt) if (full <= at) fullAt.delete(bucket)
    for (const bucket of fullAt.keys()) {
      if (fullAt.size <= bucketsMax * 0.9) break
      fullAt.delete(bucket)
    }
  }

  return {
    consume: (bucket, policy) => {
      const at = now()
      const { decision, full } = consumeAt(fullAt.get(bucket) ?? at, at, policy)
      // Reinsert, so that the map is in order of use when buckets are evicted.
      if (fullAt.size > bucketsMax / 2) fullAt.delete(bucket)
      fullAt.set(bucket, full)
      if (fullAt.size > bucketsMax) evict(at)
      return decision
    },
    close: async () => fullAt.clear(),
  }
}

/** Consumes one request from a bucket that will be full at `full`. */
export const consumeAt = (
  full: number,
  at: number,
  { perSecond, burst }: Policy,
): { readonly decision: Decision; readonly full: number } => {
  const interval = 1_000 / perSecond
  const capacity = interval * burst
  // A bucket never owes more than its whole capacity, even if a clock was set back.
  const before = Math.min(Math.max(full, at), at + capacity)
  const after = before + interval
  const over = after - at - capacity
  // Timestamps are large after weeks of uptime; rounding must not cost a request.
  const rounding = Math.min(interval * 1e-5, 1e-3) + 1e-6
  if (over > rounding) {
    return {
      decision: {
        allowed: false,
        remaining: 0,
        resetSeconds: (before - at) / 1_000,
        retryAfterSeconds: Math.ceil(over / 1_000),
      },
      full: before,
    }
  }
  return {
    decision: {
      allowed: true,
      remaining: Math.floor((capacity - (after - at) + rounding) / interval),
      resetSeconds: (after - at) / 1_000,
      retryAfterSeconds: 0,
    },
    full: after,
  }
}
