import type { Transport } from '#client'
import { PullError } from './pull-error.ts'

/** What one run accepts from a server in total. The next run continues where it stopped. */
export interface RunLimits {
  readonly requestsMax: number
  /** Decompressed. */
  readonly bytesMax: number
  readonly msMax: number
}

export const runLimits: RunLimits = {
  requestsMax: 1_000_000,
  bytesMax: 16 * 1_024 ** 3,
  msMax: 24 * 3_600_000,
}

/** Time limit of all responses that take longer than the idle timeout each, in idle timeouts. */
const slowTimesIdle = 5

export interface LimitedTransportOptions extends RunLimits {
  /** Maximum time without progress of a response. */
  readonly idleTimeoutMs: number
  /** Monotonic milliseconds. */
  readonly clock: () => number
}

/**
 * Ends a run that a server prolongs by responses that are acceptable one by one. Throws
 * `PullError`.
 */
export const limitTransport = (
  transport: Transport,
  { requestsMax, bytesMax, msMax, idleTimeoutMs, clock }: LimitedTransportOptions,
): Transport => {
  const began = clock()
  let [bytes, slowMs] = [0, 0]
  const check = (): void => {
    if (transport.requests > requestsMax) throw exceeded(`${count(requestsMax)} requests`)
    if (bytes > bytesMax) throw exceeded(`${count(bytesMax / 1_024 ** 2)} MiB`)
    if (clock() - began > msMax) throw exceeded(`${count(msMax / 3_600_000)} hours`)
    if (slowMs > slowTimesIdle * idleTimeoutMs) {
      throw new PullError(
        `The server sends its responses too slowly: some took ${Math.round(slowMs / 1_000)} s together, each more than ${idleTimeoutMs / 1_000} s. If the connection is slow, use a longer --timeout.`,
      )
    }
  }
  return {
    get requests() {
      return transport.requests
    },
    download: transport.download,
    get: async (url, options) => {
      const sentAt = clock()
      const response = await transport.get(url, options)
      const ms = clock() - sentAt
      // Without progress it would have ended, so it came in small pieces. Retries include pauses.
      if (ms > idleTimeoutMs && response.tries === 1) slowMs += ms
      bytes += Buffer.byteLength(response.body)
      check()
      return response
    },
  }
}

const count = (value: number): string => value.toLocaleString('en')

const exceeded = (limit: string): PullError =>
  new PullError(
    `The run has reached its limit of ${limit}. Run the command again to continue, if the brand is that large.`,
  )
