/** The longest delay of `setTimeout`. */
const timerMsMax = 2 ** 31 - 1

/** Calls back after a delay. Returns a function that cancels the call. */
export const after = (ms: number, call: () => void): (() => void) => {
  if (ms > timerMsMax) return () => {}
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}

/** Waits. Rejects with the signal's reason as soon as the signal aborts. */
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
