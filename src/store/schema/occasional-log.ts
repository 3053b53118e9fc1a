const logEveryMs = 5_000

/** Logs about something that takes long, from time to time. */
export const createOccasionalLog = (log: (sentence: string) => void) => {
  let logAt = performance.now() + logEveryMs
  return (sentence: string): void => {
    if (performance.now() < logAt) return
    logAt = performance.now() + logEveryMs
    log(sentence)
  }
}
