import type { SelvedgeError } from './error.ts'

/** How long to wait for a response, and how often to ask for it. */
export interface RetryOptions {
  /** How often a request is sent at most, the first time included. 5 by default. */
  readonly tries: number
  /** How long one try may take, its body included. 30 seconds by default. */
  readonly tryTimeoutMs: number
  /** How long all tries and the pauses between them may take. 2 minutes by default. */
  readonly totalTimeoutMs: number
}

/** When and how often a request is repeated. */
export interface RetryPolicy extends RetryOptions {
  /** How long a try may receive nothing: before its first byte, and between two. */
  readonly idleTimeoutMs: number
  /** The first pause; each one is twice as long as the one before, up to `pauseMsMax`. */
  readonly firstPauseMs: number
  readonly pauseMsMax: number
  /** A longer `Retry-After` of a failed request is shortened to this. */
  readonly retryAfterMsMax: number
  /**
   * Responses 429 that are waited for without counting as tries or against the total time. With 0
   * they count as failed tries.
   */
  readonly rateLimitWaits: number
  /** How long these waits may be together. */
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

/** A policy with some values replaced. Throws where a value cannot be counted to. */
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

/** The tries of one request, and the time that they have. */
export interface RetrySchedule {
  /** How long the next try may take. */
  timeoutMs(): number
  /** How long to pause after a try that failed; undefined if it was the last. */
  nextPauseMs(error: SelvedgeError): number | undefined
}

/** A server that limits requests without saying for how long is asked again after a second. */
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

/** Whether the same request may succeed later. What a 400 or a 404 says stays true. */
const isTransient = ({ status, code }: SelvedgeError): boolean =>
  status === undefined
    ? code === 'network_error' || code === 'timeout'
    : status === 408 || status === 429 || status >= 500

/**
 * How long to pause after so many failures: as long as the server asks for and a little longer, or
 * twice as long each time. Chance keeps clients that failed together from returning together.
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
