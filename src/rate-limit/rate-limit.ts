/** How much a key may ask: a steady rate, and how much of it may come at once. */
export interface Policy {
  readonly perSecond: number
  readonly burst: number
}

/** What taking one request from a bucket gave. */
export interface Taken {
  readonly allowed: boolean
  /** Requests that could follow at once. */
  readonly remaining: number
  /** Until the bucket is full again. */
  readonly resetSeconds: number
  /** Until the next request will be allowed; 0 when this one was. Waiting so long is enough. */
  readonly retryAfterSeconds: number
}

/**
 * Buckets of requests, each refilled smoothly (GCRA). Admitted in any span of time: at most the
 * burst plus the rate times that span.
 */
export interface Quota {
  take(bucket: string, policy: Policy): Taken | Promise<Taken>
  close(): Promise<void>
}

/** The limit in the words of the RateLimit-Policy header: so many requests in so many seconds. */
export const policyHeader = ({ perSecond, burst }: Policy): string =>
  `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`

/** What is left in the words of the RateLimit header. */
export const limitHeader = ({ remaining, resetSeconds }: Taken): string =>
  `"default";r=${remaining};t=${Math.ceil(resetSeconds)}`
