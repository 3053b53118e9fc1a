/** When the records of which brand are checked after they have changed. */
export interface CheckSchedule {
  /** Says that records of a brand have changed. */
  changed(brand: string): void
  /** No check begins any more. Resolves after the one in progress. */
  close(): Promise<void>
}

export interface CheckScheduleParts {
  readonly check: (brand: string) => Promise<void>
  /** A brand is checked so long after the first change, so that one check is for many of them. */
  readonly delayMs: number
  /** A brand is checked at most so often; less often where a check takes long. */
  readonly everyMs: number
}

/** After a check there is none of the same brand for so many times as long as it took. */
const pauseFactor = 20

/** One check at a time, of brands that have changed, the longest waiting first. */
export const createCheckSchedule = (parts: CheckScheduleParts): CheckSchedule => {
  const { check, delayMs, everyMs } = parts
  /** When each brand is due. */
  const due = new Map<string, number>()
  /** From when on each brand may be checked again. */
  const pausedUntil = new Map<string, number>()
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const arm = () => {
    clearTimeout(timer)
    if (isClosed || running || due.size === 0) return
    const next = Math.min(...due.values()) - performance.now()
    timer = setTimeout(begin, Math.max(0, next))
    // A server that stops does not wait for it.
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
      // It has changed during its check.
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
