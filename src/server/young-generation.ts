import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * V8 doubles one half of the young generation from 4 to 8 MB, but not from there. A request needs
 * about 10 kB of it.
 */
const growsBelowBytes = 6 * 2 ** 20

/**
 * Limits V8's young generation, which would grow beyond 50 MB under load. The bytes of records are
 * outside of it, but V8 frees them only when it collects it: with a large one, tens of megabytes
 * wait for that. Nearly nothing outlives a request, so frequent collections cost little. V8 shrinks
 * it while idle; then it may grow again.
 *
 * Call it when a process begins: V8 grows it while the program is loaded, and keeps it under load.
 * Looks after each collection, because each can double it, and a thousand new connections cause
 * many collections within a moment.
 */
export const limitYoungGeneration = (): void => {
  let canGrow = true
  const look = () => {
    const isSmall = youngHalfBytes() < growsBelowBytes
    if (isSmall === canGrow) return
    canGrow = isSmall
    setFlagsFromString(`--semi-space-growth-factor=${canGrow ? 2 : 1}`)
  }
  look()
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] })
}

/** The capacity of the half that is in use. The size of the space follows it only later. */
export const youngHalfBytes = (): number => {
  const space = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space')
  return space ? space.space_used_size + space.space_available_size : 0
}
