import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseBusyError } from '#database'

/** Longer than an ordinary import takes. */
const giveUpMs = 60_000
const retryMs = 200

/** Tries again while a lock is held by others. Nothing is locked between the attempts. */
export const whenFree = async <T>(work: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + giveUpMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DatabaseBusyError) || performance.now() > deadline) throw error
      await wait(retryMs)
    }
  }
}
