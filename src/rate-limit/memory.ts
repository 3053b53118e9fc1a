import type { Policy, Quota, Taken } from './rate-limit.ts'

export interface MemoryQuotaParts {
  /** Milliseconds that only ever go forward; the wall clock may be set back. */
  readonly now: () => number
  /** Buckets kept; those that are full again are forgotten first. */
  readonly bucketsMax?: number
}

/** Buckets in this process. */
export const memoryQuota = ({ now, bucketsMax = 100_000 }: MemoryQuotaParts): Quota => {
  /** For each bucket, when it will be full again. */
  const fullAt = new Map<string, number>()

  /** Makes room for a while: what is full again goes first, then what was longest unused. */
  const makeRoom = (at: number) => {
    for (const [bucket, full] of fullAt) if (full <= at) fullAt.delete(bucket)
    for (const bucket of fullAt.keys()) {
      if (fullAt.size <= bucketsMax * 0.9) break
      fullAt.delete(bucket)
    }
  }

  return {
    take: (bucket, policy) => {
      const at = now()
      const { taken, full } = takeAt(fullAt.get(bucket) ?? at, at, policy)
      // Put last again, so that the buckets longest unused are met first when room is needed soon.
      if (fullAt.size > bucketsMax / 2) fullAt.delete(bucket)
      fullAt.set(bucket, full)
      if (fullAt.size > bucketsMax) makeRoom(at)
      return taken
    },
    close: async () => fullAt.clear(),
  }
}

/** One request, from a bucket that will be full at `full`. Pure: the same everywhere. */
export const takeAt = (
  full: number,
  at: number,
  { perSecond, burst }: Policy,
): { readonly taken: Taken; readonly full: number } => {
  const interval = 1_000 / perSecond
  const capacity = interval * burst
  // A bucket never owes more than its whole capacity, even if a clock was set back.
  const before = Math.min(Math.max(full, at), at + capacity)
  const after = before + interval
  const over = after - at - capacity
  // The clock's numbers are large after weeks; their rounding must not cost a request.
  const rounding = Math.min(interval * 1e-5, 1e-3) + 1e-6
  if (over > rounding) {
    return {
      taken: {
        allowed: false,
        remaining: 0,
        resetSeconds: (before - at) / 1_000,
        retryAfterSeconds: Math.ceil(over / 1_000),
      },
      full: before,
    }
  }
  return {
    taken: {
      allowed: true,
      remaining: Math.floor((capacity - (after - at) + rounding) / interval),
      resetSeconds: (after - at) / 1_000,
      retryAfterSeconds: 0,
    },
    full: after,
  }
}
