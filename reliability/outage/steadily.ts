import { setTimeout as wait } from 'node:timers/promises'

/** A request that was answered: when, with what, and how long that took. */
export interface Seen {
  readonly at: number
  readonly status: number
  readonly tookMs: number
}

export interface Steadily {
  readonly seen: readonly Seen[]
  /** What was not answered, or not as the contract says. */
  readonly problems: readonly string[]
  stop(): Promise<void>
}

/** Asks almost without a pause from several sides. `get` holds every answer to the contract. */
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

/** How long after a moment the first request that was made since then was answered with 200. */
export const firstGoodAfter = (seen: readonly Seen[], moment: number): number =>
  (seen.find(({ at, status, tookMs }) => status === 200 && at - tookMs > moment)?.at ?? Infinity) -
  moment

export const slowestOf = (seen: readonly Seen[]): number =>
  seen.reduce((slowest, { tookMs }) => Math.max(slowest, tookMs), 0)
