const logEveryMs = 5_000

/** Creates a rate-limited log for the progress of long work. */
export const createOccasionalLog = (log: (sentence: string) => void) => {
  let logAt = performance.now() + logEveryMs
  return (sentence: string): void => {
    if (performance.now() < logAt) return
    logAt = performance.now() + logEveryMs
    log(sentence)
  }
}
