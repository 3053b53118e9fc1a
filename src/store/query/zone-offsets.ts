import { setImmediate } from 'node:timers/promises'
import { zoneOffsetAt } from '#contract'

/** A time zone's UTC offset from an instant on. */
export interface ZoneOffset {
  /** Null for the first offset. */
  readonly from: number | null
  readonly seconds: number
}

/** Before the first standard times, and after all timestamps. Beyond, the nearest offset applies. */
const years = { first: 1840, last: 2100 }
/** Two changes of a zone are at least this far apart. */
const stepMs = 6 * 86_400_000
/** Steps between two turns of the event loop: about 2 ms. */
const stepsPerTurn = 500
const zonesMax = 500

const offsetsByZone = new Map<string, Promise<readonly ZoneOffset[]>>()

/** Every offset of a time zone, in chronological order. Found once per process, in short steps. */
export const zoneOffsets = (timezone: string): Promise<readonly ZoneOffset[]> => {
  const cached = offsetsByZone.get(timezone)
  if (cached) return cached
  if (offsetsByZone.size >= zonesMax) offsetsByZone.clear()
  const offsets = findOffsets(timezone)
  offsetsByZone.set(timezone, offsets)
  return offsets
}

const findOffsets = async (timezone: string): Promise<readonly ZoneOffset[]> => {
  let at = Date.UTC(years.first, 0, 1)
  let seconds = zoneOffsetAt(timezone, at)
  const all: ZoneOffset[] = [{ from: null, seconds }]
  const end = Date.UTC(years.last, 0, 1)
  for (let step = 1; at < end; step += 1, at += stepMs) {
    if (step % stepsPerTurn === 0) await setImmediate()
    const next = zoneOffsetAt(timezone, at + stepMs)
    if (next === seconds) continue
    all.push({ from: changeBetween(timezone, at, at + stepMs), seconds: next })
    seconds = next
  }
  return all
}

/** The second of the change: local mean times did not end on full minutes. */
const changeBetween = (timezone: string, from: number, to: number): number => {
  const seconds = zoneOffsetAt(timezone, from)
  let [before, after] = [from / 1_000, to / 1_000]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (zoneOffsetAt(timezone, middle * 1_000) === seconds) before = middle
    else after = middle
  }
  return after * 1_000
}
