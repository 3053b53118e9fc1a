/**
 * Measures the most processor time that one turn of this thread's event loop takes: unlike the delay
 * of a timer, it does not depend on what else the machine does. Call the result to stop and read it.
 */
export const startTurnMeter = (): (() => number) => {
  let longestMs = 0
  let earlier = process.threadCpuUsage()
  // Timers run once in each turn, so that between two of them lies one turn, or a few short ones.
  const meter = setInterval(() => {
    const { user, system } = process.threadCpuUsage(earlier)
    earlier = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (user + system) / 1_000)
  }, 1)
  return () => {
    clearInterval(meter)
    return longestMs
  }
}
