import { setTimeout as wait } from 'node:timers/promises'

/** A response: when it arrived, its status and its duration. */
export interface Seen {
  readonly at: number
  readonly status: number
  readonly tookMs: number
}

export interface Steadily {
  readonly seen: readonly Seen[]
  /** Missing responses and violations of the contract. */
  readonly problems: readonly string[]
  stop(): Promise<void>
}

/**
 * Sends requests from several clients almost without a pause. `get` checks every response against
 * the contract.
 */
export const askSteadily = (
  get: (path: string) => Promise<{ readonly status: number }>,
  clients: number,
): Steadily => {
  const seen: Seen[] = []
  const problems: string[] = []
  let running = true
  const lanes = Array.from({ length: clients }, async (_, lane) => {
    while (running) {
      const at = performance.now()
      try {
        const { status } = await get(lane % 2 ? 'order-items?limit=5' : 'tags?name=Core')
        seen.push({ at: performance.now(), status, tookMs: performance.now() - at })
      } catch (error) {
        problems.push(String(error))
      }
      await wait(2)
    }
  })
  return {
    seen,
    problems,
    stop: async () => {
      running = false
      await Promise.all(lanes)
    },
  }
}

/** Milliseconds from a moment until the first 200 to a request sent after it. */
export const firstGoodAfter = (seen: readonly Seen[], moment: number): number =>
  (seen.find(({ at, status, tookMs }) => status === 200 && at - tookMs > moment)?.at ?? Infinity) -
  moment

export const slowestOf = (seen: readonly Seen[]): number =>
  seen.reduce((slowest, { tookMs }) => Math.max(slowest, tookMs), 0)
