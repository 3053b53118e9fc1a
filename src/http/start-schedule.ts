/**
 * Time spent starting requests per turn of the event loop; the others wait for the next turn. The
 * turn is checked only when this time is over, so it can be up to twice as long.
 */
const startingMs = 4
/** Additional urgent requests per turn. */
const urgentPerTurn = 16

/** Spreads the start of requests over turns of the event loop. */
export interface StartSchedule<Item> {
  /** Whether this turn has used up its time for starting requests. */
  isTurnOver(): boolean
  /** Counts an urgent request; returns whether this turn can still start it. */
  admitsUrgent(): boolean
  /** Starts an item in one of the next turns, in arrival order. */
  startSoon(item: Item): void
}

export const createStartSchedule = <Item>(start: (item: Item) => void): StartSchedule<Item> => {
  /** In arrival order. */
  const next = new Set<Item>()
  let startingUntil = 0
  let lastTurn = -1
  let urgent = 0
  let lastUrgentTurn = -1

  const startNext = () => {
    const until = performance.now() + startingMs
    for (const item of next) {
      next.delete(item)
      start(item)
      if (performance.now() >= until) break
    }
    if (next.size > 0) setImmediate(startNext)
  }

  return {
    isTurnOver: () => {
      if (next.size > 0) return true
      const now = performance.now()
      if (now < startingUntil) return false
      const turn = currentTurn()
      if (turn === lastTurn) return true
      lastTurn = turn
      startingUntil = now + startingMs
      return false
    },
    admitsUrgent: () => {
      const turn = currentTurn()
      if (turn !== lastUrgentTurn) urgent = 0
      lastUrgentTurn = turn
      urgent += 1
      return urgent <= urgentPerTurn
    },
    startSoon: (item) => {
      if (next.has(item)) return
      next.add(item)
      if (next.size === 1) setImmediate(startNext)
    },
  }
}

const currentTurn = (): number => performance.nodeTiming.uvMetricsInfo.loopCount
