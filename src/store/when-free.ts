import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseBusyError } from '#database'

const giveUpMs = 60_000
const pauseMs = 200

/** Tries again while others hold what is needed, without being in the way of anybody meanwhile. */
export const whenFree = async <T>(work: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + giveUpMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DatabaseBusyError) || performance.now() > deadline) throw error
      await wait(pauseMs)
    }
  }
}
