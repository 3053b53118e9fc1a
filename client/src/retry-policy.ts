import type { SelvedgeError } from './error.ts'

/** Timeouts and the number of attempts. */
export interface RetryOptions {
  /** Maximum number of attempts, including the first. The default is 5. */
  readonly tries: number
  /** Time limit of one attempt, including its body. The default is 30 seconds. */
  readonly tryTimeoutMs: number
  /** Time limit of all attempts and the pauses between them. The default is 2 minutes. */
  readonly totalTimeoutMs: number
}

/** All settings of retries, including backoff and rate-limit waits. */
export interface RetryPolicy extends RetryOptions {
  /** Time limit for receiving nothing: before the first byte, and between two chunks. */
  readonly idleTimeoutMs: number
  /** The first pause of the backoff. Each pause doubles the previous one, up to `pauseMsMax`. */
  readonly firstPauseMs: number
  readonly pauseMsMax: number
  /** Upper limit for the `Retry-After` of a failed request. */
  readonly retryAfterMsMax: number
  /**
   * Number of 429 responses to wait for without counting them as attempts or against the total
   * time. With 0, they count as failed attempts.
   */
  readonly rateLimitWaits: number
  /** Time limit of these waits together. */
  readonly rateLimitWaitMsMax: number
}

export const defaultRetryPolicy: RetryPolicy = {
  tries: 5,
  tryTimeoutMs: 30_000,
  totalTimeoutMs: 120_000,
  idleTimeoutMs: Infinity,
  firstPauseMs: 250,
  pauseMsMax: 8_000,
  retryAfterMsMax: Infinity,
  rateLimitWaits: 0,
  rateLimitWaitMsMax: Infinity,
}

const positive = ['tries', 'tryTimeoutMs', 'totalTimeoutMs', 'idleTimeoutMs'] as const

/** A policy with some values replaced. Throws if a value is not a usable number. */
export const retryPolicy = (base: RetryPolicy, overrides: Partial<RetryPolicy>): RetryPolicy => {
  const policy: { -readonly [name in keyof RetryPolicy]: number } = { ...base }
  for (const name of Object.keys(base) as (keyof RetryPolicy)[]) {
    policy[name] = overrides[name] ?? base[name]
  }
  for (const name of positive) {
    if (!(policy[name] > 0)) {
      throw new RangeError(`${name} must be above 0; it is ${policy[name]}.`)
    }
  }
  return policy
}

/** The attempts of one request and its remaining time. */
export interface RetrySchedule {
  /** Time limit of the next attempt. */
  timeoutMs(): number
  /** The pause after a failed attempt; undefined if it was the last attempt. */
  nextPauseMs(error: SelvedgeError): number | undefined
}

/** The wait after a rate-limit response without `Retry-After`. */
const unstatedWaitMs = 1_000

export const createRetrySchedule = (
  policy: RetryPolicy,
  random: () => number = Math.random,
  now: () => number = () => performance.now(),
): RetrySchedule => {
  let endsAt = now() + policy.totalTimeoutMs
  let [failures, waits, waitedMs] = [0, 0, 0]
  return {
    timeoutMs: () => Math.max(1, Math.min(policy.tryTimeoutMs, endsAt - now())),
    nextPauseMs: (error) => {
      if (!isTransient(error)) return undefined
      const seconds = error.retryAfterSeconds
      const retryAfterMs = seconds === undefined ? undefined : seconds * 1_000
      if (error.status === 429 && policy.rateLimitWaits > 0) {
        const waitMs = retryAfterMs ?? unstatedWaitMs
        waits += 1
        waitedMs += waitMs
        endsAt += waitMs
        const isLast = waits > policy.rateLimitWaits || waitedMs > policy.rateLimitWaitMsMax
        return isLast ? undefined : waitMs
      }
      failures += 1
      const boundedMs = retryAfterMs && Math.min(retryAfterMs, policy.retryAfterMsMax)
      const ms = pauseMs(policy, failures, boundedMs, random)
      return failures >= policy.tries || now() + ms >= endsAt ? undefined : ms
    },
  }
}

/** Whether a retry may succeed. A 400 or a 404 is final. */
const isTransient = ({ status, code }: SelvedgeError): boolean =>
  status === undefined
    ? code === 'network_error' || code === 'timeout'
    : status === 408 || status === 429 || status >= 500

/**
 * The pause after this number of failures: slightly longer than the server asks for, or exponential
 * backoff. Random jitter spreads out clients that failed together.
 */
export const pauseMs = (
  { firstPauseMs, pauseMsMax }: Pick<RetryPolicy, 'firstPauseMs' | 'pauseMsMax'>,
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number => {
  if (retryAfterMs !== undefined) return retryAfterMs + random() * firstPauseMs
  const longest = Math.min(pauseMsMax, firstPauseMs * 2 ** (failures - 1))
  return longest * (0.5 + random() / 2)
}
