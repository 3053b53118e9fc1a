import { setTimeout as wait } from 'node:timers/promises'

/** The stop request of a long-running command, by SIGTERM or Ctrl+C. */
export interface StopSignal {
  readonly isStopping: boolean
  /** Aborts when the grace period ends, or at the second signal. */
  readonly abort: AbortSignal
  /** Waits, but returns early if the command is asked to stop. */
  wait(ms: number): Promise<void>
  close(): void
}

/** Grace period for work in progress. */
const graceMs = 5_000

export const createStopSignal = (): StopSignal => {
  const stopping = new AbortController()
  const aborting = new AbortController()
  let grace: NodeJS.Timeout | undefined
  const onSignal = () => {
    if (stopping.signal.aborted) aborting.abort()
    stopping.abort()
    grace ??= setTimeout(() => aborting.abort(), graceMs)
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, onSignal)
  return {
    get isStopping() {
      return stopping.signal.aborted
    },
    abort: aborting.signal,
    wait: (ms) => wait(ms, undefined, { signal: stopping.signal }).catch(() => undefined),
    close: () => {
      clearTimeout(grace)
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
