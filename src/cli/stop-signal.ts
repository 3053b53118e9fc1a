import { setTimeout as wait } from 'node:timers/promises'

/** Whether a command that runs until it is stopped was asked to stop, by SIGTERM or Ctrl+C. */
export interface StopSignal {
  readonly isStopping: boolean
  /** Aborted when the work in progress has had its time, or at the second signal. */
  readonly abort: AbortSignal
  /** Waits, and not any longer once the command is asked to stop. */
  wait(ms: number): Promise<void>
  close(): void
}

/** How long work in progress may take to end by itself. */
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
