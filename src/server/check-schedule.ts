/** Schedules the rule checks of brands whose records changed. */
export interface CheckSchedule {
  /** Reports that records of a brand have changed. */
  changed(brand: string): void
  /** Starts no further check. Resolves after the one in progress. */
  close(): Promise<void>
}

/**
 * How a check has ended: all rules were checked; some are left; another process checks the brand;
 * or it failed.
 */
export type CheckOutcome = 'done' | 'unfinished' | 'elsewhere' | 'failed'

export interface CheckScheduleParts {
  readonly check: (brand: string) => Promise<CheckOutcome>
  /** Delay of a check after the first change, so that one check covers many changes. */
  readonly delayMs: number
  /** Minimum interval between checks of a brand; longer for slow checks. */
  readonly everyMs: number
}

/** After a check, its brand pauses for at least this multiple of the check's duration. */
const pauseFactor = 20

/**
 * Runs one check at a time; the brand that is due first goes first. A check that leaves rules
 * continues after a pause as long as itself. Others are repeated after the minimum interval.
 */
export const createCheckSchedule = (parts: CheckScheduleParts): CheckSchedule => {
  const { check, delayMs, everyMs } = parts
  /** When each brand is due. */
  const due = new Map<string, number>()
  /** Earliest time of the next check of each brand. */
  const pausedUntil = new Map<string, number>()
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  /** The brand that is due first, and when. */
  const next = (): readonly [brand: string, at: number] | null => {
    let first: readonly [string, number] | null = null
    for (const each of due) if (!first || each[1] < first[1]) first = each
    return first
  }
  const arm = () => {
    clearTimeout(timer)
    const first = next()
    if (isClosed || running || !first) return
    timer = setTimeout(begin, Math.max(0, first[1] - performance.now()))
    // A stopping server does not wait for it.
    timer.unref()
  }
  const begin = () => {
    const first = next()
    if (!first) return
    const [brand] = first
    due.delete(brand)
    const began = performance.now()
    running = check(brand).then((outcome) => {
      const now = performance.now()
      const tookMs = now - began
      const until = now + Math.max(everyMs, pauseFactor * tookMs)
      pausedUntil.set(brand, until)
      if (outcome === 'unfinished') due.set(brand, now + tookMs)
      else if (outcome !== 'done') due.set(brand, now + everyMs)
      // The brand changed during its check.
      else if (due.has(brand)) due.set(brand, until)
      running = null
      arm()
    })
  }
  return {
    changed: (brand) => {
      if (due.has(brand)) return
      due.set(brand, Math.max(performance.now() + delayMs, pausedUntil.get(brand) ?? 0))
      arm()
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}
