/**
 * For how long requests are started in one turn of the event loop; the others wait for the next. As
 * turns are noticed when this time is over, it can be twice as long at most.
 */
const startingMs = 4
/** Urgent requests that are started in a turn beyond that. */
const urgentPerTurn = 16

/** Spreads the start of requests over turns of the event loop. */
export interface StartSchedule<Item> {
  /** Whether requests have been started for as long as may be in this turn. */
  isTurnOver(): boolean
  /** Counts an urgent request; says whether few enough were started in this turn. */
  admitsUrgent(): boolean
  /** Starts an item in one of the next turns, in the order they came. */
  startSoon(item: Item): void
}

export const createStartSchedule = <Item>(start: (item: Item) => void): StartSchedule<Item> => {
  /** In the order they came. */
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
