import { createTransport, type Transport, type TransportOptions } from '#client'
import { describeFailure } from './pull-error.ts'

export interface ServerTransportOptions
  extends Pick<TransportOptions, 'tries' | 'firstPauseMs' | 'rateLimitWaitMsMax'> {
  readonly key: string
  /** Maximum time without progress of a response. */
  readonly idleTimeoutMs: number
  readonly random: () => number
  /** Receives a sentence before each retry, and before a long wait for the rate limit. */
  readonly log: (sentence: string) => void
}

/** Time limit of a try, in idle timeouts: even a response that makes progress must end. */
const tryTimesIdle = 4
/** Time limit without a usable response, in idle timeouts. No retries after that. */
const totalTimesIdle = 10

const policy = {
  tries: 7,
  firstPauseMs: 500,
  pauseMsMax: 30_000,
  retryAfterMsMax: 30_000,
  rateLimitWaits: 60,
  rateLimitWaitMsMax: 900_000,
  // A page has at most 100 records of 256 KiB.
  bytesMax: 33_554_432,
  objectsMax: 1_000_000,
  // Only the intended server receives the key.
  redirect: 'manual',
} as const

/** Shorter waits for the rate limit are not logged. */
const loggedWaitMs = 5_000

/** Reads a slow, broken or hostile server: bounded in bytes, objects, tries and time. */
export const createServerTransport = (options: ServerTransportOptions): Transport => {
  const { log, idleTimeoutMs, ...overrides } = options
  return createTransport({
    ...policy,
    ...overrides,
    idleTimeoutMs,
    tryTimeoutMs: idleTimeoutMs * tryTimesIdle,
    totalTimeoutMs: idleTimeoutMs * totalTimesIdle,
    onWait: ({ error, pauseMs }) => {
      const seconds = (pauseMs / 1_000).toFixed(1)
      if (error.status !== 429) log(`Retrying in ${seconds} s: ${describeFailure(error)}`)
      else if (pauseMs > loggedWaitMs) log(`Rate limit reached: waiting for ${seconds} s.`)
    },
  })
}
