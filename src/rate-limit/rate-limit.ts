/** A sustained rate and a burst size. */
export interface Policy {
  readonly perSecond: number
  readonly burst: number
}

/** Whether a request is admitted, and what is left of the limit. */
export interface Decision {
  readonly allowed: boolean
  /** Requests that would be admitted now. */
  readonly remaining: number
  /** Time until the bucket is full again. */
  readonly resetSeconds: number
  /** Time until the next request is admitted; 0 if this one was. */
  readonly retryAfterSeconds: number
}

/**
 * Counts requests per bucket with GCRA, a leaky bucket that refills continuously. Any period admits
 * at most the burst plus the rate times that period.
 */
export interface RateLimiter {
  consume(bucket: string, policy: Policy): Decision | Promise<Decision>
  close(): Promise<void>
}

/** The value of the RateLimit-Policy header. */
export const policyHeader = ({ perSecond, burst }: Policy): string =>
  `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`

/** The value of the RateLimit header. */
export const limitHeader = ({ remaining, resetSeconds }: Decision): string =>
  `"default";r=${remaining};t=${Math.ceil(resetSeconds)}`
