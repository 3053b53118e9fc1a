import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseBusyError } from '#database'

/** Longer than an ordinary import takes. */
const giveUpMsDefault = 60_000
const retryMs = 200

export interface Waiting {
  readonly giveUpMs?: number
  /** Called after each attempt that found the lock held. */
  readonly onWait?: () => void
}

/** Retries while another session holds the lock. Holds no lock between attempts. */
export const whenFree = async <T>(
  work: () => Promise<T>,
  { giveUpMs = giveUpMsDefault, onWait }: Waiting = {},
): Promise<T> => {
  const deadline = performance.now() + giveUpMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DatabaseBusyError) || performance.now() > deadline) throw error
      onWait?.()
      await wait(retryMs)
    }
  }
}
