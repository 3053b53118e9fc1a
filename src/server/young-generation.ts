import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** The young generation does not grow beyond this size. A request needs about 10 kB of it. */
const wantedBytes = 12 * 2 ** 20
const lookEveryMs = 250

/**
 * Limits V8's young generation, which would grow beyond 50 MB under load. The bytes of records are
 * outside of it, but V8 frees them only when it collects it: with a large one, tens of megabytes
 * wait for that. Nearly nothing outlives a request, so frequent collections cost little. V8 shrinks
 * it while idle; then it may grow again.
 */
export const limitYoungGeneration = (): void => {
  let canGrow = true
  const look = () => {
    const space = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space')
    const isSmall = space !== undefined && space.space_size < wantedBytes
    if (isSmall === canGrow) return
    canGrow = isSmall
    setFlagsFromString(`--semi-space-growth-factor=${canGrow ? 2 : 1}`)
  }
  look()
  setInterval(look, lookEveryMs).unref()
}
