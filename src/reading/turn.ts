let lastTurn: Promise<void> = Promise.resolve()

/**
 * Waits for a turn of the event loop that no other caller gets. A SQLite read blocks the event
 * loop, so this serves other requests between any two reads of agents and lineages.
 */
export const nextTurn = (): Promise<void> => {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)))
  return lastTurn
}
