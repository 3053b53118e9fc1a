/** Schedules the rule checks of brands whose records changed. */
export interface CheckSchedule {
  /** Reports that records of a brand have changed. */
  changed(brand: string): void
  /** Starts no further check. Resolves after the one in progress. */
  close(): Promise<void>
}

export interface CheckScheduleParts {
  readonly check: (brand: string) => Promise<void>
  /** Delay of a check after the first change, so that one check covers many changes. */
  readonly delayMs: number
  /** Minimum interval between checks of a brand; longer for slow checks. */
  readonly everyMs: number
}

/** After a check, its brand pauses for at least this multiple of the check's duration. */
const pauseFactor = 20

/** Runs one check at a time; the brand that is due first goes first. */
export const createCheckSchedule = (parts: CheckScheduleParts): CheckSchedule => {
  const { check, delayMs, everyMs } = parts
  /** When each brand is due. */
  const due = new Map<string, number>()
  /** Earliest time of the next check of each brand. */
  const pausedUntil = new Map<string, number>()
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const arm = () => {
    clearTimeout(timer)
    if (isClosed || running || due.size === 0) return
    const next = Math.min(...due.values()) - performance.now()
    timer = setTimeout(begin, Math.max(0, next))
    // A stopping server does not wait for it.
    timer.unref()
  }
  const begin = () => {
    const [first] = [...due].sort(([, one], [, other]) => one - other)
    if (!first) return
    const [brand] = first
    due.delete(brand)
    const began = performance.now()
    running = check(brand).finally(() => {
      const now = performance.now()
      const until = now + Math.max(everyMs, pauseFactor * (now - began))
      pausedUntil.set(brand, until)
      // The brand changed during its check.
      if (due.has(brand)) due.set(brand, until)
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
