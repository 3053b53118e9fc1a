/** Begins timeouts of one fixed length. */
export interface SharedTimeouts {
  begin(onTimeout: () => void): SharedTimeout
}

export interface SharedTimeout {
  /** 0 once the time is over. */
  leftMs(): number
  cancel(): void
}

interface Entry extends SharedTimeout {
  readonly end: number
  /** Null once it is cancelled or over. */
  onTimeout: (() => void) | null
  next: Entry | null
}

/**
 * Timeouts of one length end in the order in which they began, so one timer serves all of them. For
 * limits that every request has and hardly any reaches: a timer per request takes longer to set and
 * clear. The timer keeps the process running while a timeout is pending.
 */
export const createSharedTimeouts = (ms: number): SharedTimeouts => {
  let first: Entry | null = null
  let last: Entry | null = null
  let timer: NodeJS.Timeout | null = null

  const dropEnded = (): void => {
    while (first && first.onTimeout === null) {
      const { next }: Entry = first
      // An old garbage entry would keep the next entry alive, and that one the next.
      first.next = null
      first = next
    }
    if (first) return
    last = null
    timer?.unref()
  }
  const setTimer = (delayMs: number): void => {
    // After a pause of this process, timers run before sockets are read. Read data that has arrived
    // first.
    timer = setTimeout(() => setImmediate(expire), delayMs)
  }
  const expire = (): void => {
    timer = null
    dropEnded()
    // A timer may fire a fraction of a millisecond early.
    while (first && first.leftMs() < 1) {
      const { onTimeout } = first
      first.onTimeout = null
      dropEnded()
      onTimeout?.()
    }
    if (first) setTimer(Math.ceil(first.leftMs()))
  }

  return {
    begin: (onTimeout) => {
      const end = performance.now() + ms
      const entry: Entry = {
        end,
        onTimeout,
        next: null,
        leftMs: () => Math.max(0, end - performance.now()),
        cancel: () => {
          entry.onTimeout = null
          if (entry === first) dropEnded()
        },
      }
      if (last) last.next = entry
      else first = entry
      last = entry
      if (!timer) setTimer(ms)
      else if (entry === first) timer.ref()
      return entry
    },
  }
}
