/** How long to wait, and how often to try. The total bounds everything, pauses included. */
export interface Patience {
  /** How often a request is made at most, the first time included. 5 unless said. */
  readonly tries: number
  /** How long one try may take, its body included. 30 seconds unless said. */
  readonly tryTimeoutMs: number
  /** How long all tries and the pauses between them may take. 2 minutes unless said. */
  readonly totalTimeoutMs: number
}

export const usualPatience: Patience = { tries: 5, tryTimeoutMs: 30_000, totalTimeoutMs: 120_000 }

/** Takes what is given in place of what is usual, and refuses what is no number to count to. */
export const patienceFrom = (usual: Patience, given: Partial<Patience>): Patience => {
  const { tries, tryTimeoutMs, totalTimeoutMs } = usual
  const patience = {
    tries: given.tries ?? tries,
    tryTimeoutMs: given.tryTimeoutMs ?? tryTimeoutMs,
    totalTimeoutMs: given.totalTimeoutMs ?? totalTimeoutMs,
  }
  for (const [name, value] of Object.entries(patience)) {
    if (!(value > 0)) throw new RangeError(`${name} must be above 0; it is ${value}.`)
  }
  return patience
}

const firstPauseMs = 250
const longestPauseMs = 8_000

/**
 * How long to wait after a try that failed: as long as the server says and a little longer, or
 * twice as long each time, so that many clients that failed together do not come back together.
 */
export const pauseMs = (
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number => {
  if (retryAfterMs !== undefined) return retryAfterMs + random() * firstPauseMs
  const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1))
  return longest * (0.5 + random() / 2)
}

/** `Retry-After` in milliseconds: it is seconds, or a date. */
export const retryAfterMs = (value: string | null, now = Date.now()): number | undefined => {
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** Timers count no further than this. */
const timerMsMax = 2 ** 31 - 1

/** Calls back after a while, unless it is told in time not to. */
export const after = (ms: number, call: () => void): (() => void) => {
  if (ms > timerMsMax) return () => {}
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
