import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseBusyError } from '#database'

/** Longer than an ordinary import takes. */
const giveUpMs = 60_000
const retryMs = 200

/** Retries while another session holds the lock. Holds no lock between attempts. */
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
