/** Lets brands use something in turns, by the time that they use it for. */
export interface FairSchedule {
  /** Runs work when it is the brand's turn. The estimate is compared with those of others. */
  take<T>(brand: string, estimatedMs: number, work: () => Promise<T>): Promise<T>
  /** The time used by a brand, as the order of turns counts it. */
  usedMs(brand: string): number
}

interface Waiting {
  readonly brand: string
  readonly estimatedMs: number
  readonly start: () => void
}

/** After work that took longer, work that will take longer rests: shorter work may be on its way. */
const longMs = 250
const restMs = 50

/**
 * The next turn goes to the brand that will have used the least time at its end, so that short work
 * comes first, and no brand waits for ever. A brand that was away begins at the time of the current
 * turn: it has saved nothing up.
 */
export const createFairSchedule = (concurrency: number): FairSchedule => {
  const used = new Map<string, number>()
  const waiting: Waiting[] = []
  let running = 0
  let current = 0
  let restsUntil = 0
  let resting: NodeJS.Timeout | undefined

  const usedMs = (brand: string) => Math.max(current, used.get(brand) ?? 0)

  const next = () => {
    if (running >= concurrency || waiting.length === 0) return
    const ends = waiting.map(({ brand, estimatedMs }) => usedMs(brand) + estimatedMs)
    const at = ends.indexOf(Math.min(...ends))
    const leftMs = restsUntil - performance.now()
    if (leftMs > 0 && (waiting[at]?.estimatedMs ?? 0) > longMs) {
      clearTimeout(resting)
      resting = setTimeout(next, leftMs)
      return
    }
    const [chosen] = waiting.splice(at, 1)
    running += 1
    chosen?.start()
    // After a rest, several places may be free.
    next()
  }

  return {
    usedMs,
    take: async (brand, estimatedMs, work) => {
      await new Promise<void>((resolve) => {
        waiting.push({ brand, estimatedMs, start: resolve })
        next()
      })
      const from = usedMs(brand)
      current = from
      const began = performance.now()
      try {
        return await work()
      } finally {
        const ended = performance.now()
        used.set(brand, from + ended - began)
        if (ended - began > longMs) restsUntil = ended + restMs
        for (const [each, ms] of used) if (ms <= current) used.delete(each)
        running -= 1
        next()
      }
    },
  }
}
