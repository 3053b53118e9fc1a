/** Timers count no further than this. */
const timerMsMax = 2 ** 31 - 1

/** Calls back after a while. The result cancels it. */
export const after = (ms: number, call: () => void): (() => void) => {
  if (ms > timerMsMax) return () => {}
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
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
