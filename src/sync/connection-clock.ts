import { SourceDatabaseError } from './source-database.ts'

/**
 * Time limits of one connection, kept by this process: a source that says nothing enforces none of its
 * own. One answer is awaited at a time.
 */
export interface ConnectionClock {
  /** Why the connection was cut; undefined while it is not. */
  readonly reason: Error | undefined
  /** Awaits an answer of the source. Rejects at the time limit, and as soon as the connection is cut. */
  wait<T>(answer: Promise<T>, ms: number): Promise<T>
  /** Destroys the connection, and rejects what is awaited. The first reason counts. */
  cut(reason: Error): void
  close(): void
}

export interface ClockOptions {
  /** How long the connection may be used. */
  readonly roundMs: number
  readonly signal: AbortSignal | undefined
  /** Frees the socket without waiting for the source. */
  readonly destroy: () => void
}

/** The longest delay of a timer. A longer one would end at once. */
const timerMax = 2 ** 31 - 1

export const openConnectionClock = ({
  roundMs,
  signal,
  destroy,
}: ClockOptions): ConnectionClock => {
  let reason: Error | undefined
  let refuse: (error: Error) => void = () => undefined
  const cut = (error: Error) => {
    if (reason) return
    reason = error
    destroy()
    refuse(error)
  }
  const after = (ms: number, sentence: (time: string) => string) =>
    setTimeout(
      () => cut(new SourceDatabaseError(sentence(`${(ms / 1_000).toLocaleString('en')} s`), true)),
      Math.min(ms, timerMax),
    )
  const round = after(
    roundMs,
    (time) =>
      `The source database: reading took longer than ${time}. Make the queries faster, or allow more time with --timeout.`,
  )
  const stop = () => cut(new SourceDatabaseError('The synchronisation was stopped.', true))
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  return {
    get reason() {
      return reason
    },
    cut,
    wait: <T>(answer: Promise<T>, ms: number) =>
      new Promise<T>((resolve, reject) => {
        const timer = after(ms, (time) => `The source database: no answer within ${time}.`)
        refuse = (error) => {
          clearTimeout(timer)
          reject(error)
        }
        answer.then(resolve, reject).finally(() => clearTimeout(timer))
        if (reason) refuse(reason)
      }),
    close: () => {
      clearTimeout(round)
      signal?.removeEventListener('abort', stop)
    },
  }
}
