let lastTurn: Promise<void> = Promise.resolve()

/**
 * Waits for a turn of the event loop that nobody else has been given here. SQLite reads while
 * everybody waits, so between two reads of agents, whoever sent them, other requests are served.
 */
export const nextTurn = (): Promise<void> => {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)))
  return lastTurn
}
