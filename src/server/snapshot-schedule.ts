import { addDays, currentDay, formatCount, startOfDay } from '#contract'
import { type ListedBrand, type Store, sharedOwner, snapshotOf } from '#store'

/** Takes a snapshot of each brand's figures when its day ends. */
export interface SnapshotSchedule {
  /** Takes what is due at once, and then after every midnight of a brand. */
  start(): void
  /** Starts no further snapshot. Resolves after the one in progress. */
  close(): Promise<void>
}

export interface SnapshotScheduleParts {
  readonly store: Pick<Store, 'listBrands' | 'today' | 'daySnapshots' | 'leases'>
  /** The name of this process. One process at a time takes snapshots. */
  readonly holder: string
  readonly now: () => number
  readonly log: (sentence: string) => void
  readonly onError: (error: unknown) => void
}

/** Days begin at a quarter of an hour, in every time zone. */
const quarterMs = 900_000

/**
 * A snapshot has the records as they are at the end of the day. Later than this after midnight,
 * they may be others: the day then has no snapshot.
 */
const lateMsMax = quarterMs

/** After a failure, or while another process takes the snapshots. */
const retryMs = 60_000

/** How long a process that has ended without notice keeps others from taking its place. */
const leaseMs = 120_000

const work = 'day snapshots'

/** A brand whose day has just ended. */
interface EndedDay extends ListedBrand {
  readonly day: string
  readonly endedAt: number
}

export const createSnapshotSchedule = (parts: SnapshotScheduleParts): SnapshotSchedule => {
  const { store, holder, now, log, onError } = parts
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let isClosed = false

  const isInTime = ({ endedAt }: EndedDay) => now() - endedAt < lateMsMax

  const missingDays = async (): Promise<readonly EndedDay[]> => {
    const missing: EndedDay[] = []
    for (const brand of await store.listBrands(null)) {
      const ended = endedDay(brand, now())
      if (!isInTime(ended)) continue
      if (!(await store.daySnapshots.has(brand.slug, ended.day))) missing.push(ended)
    }
    return missing
  }

  const take = async ({ slug, day, timezone, baseCurrency }: EndedDay): Promise<void> => {
    const takenAt = new Date(now()).toISOString()
    const figures = await store.today({
      brand: slug,
      today: { day, timezone },
      // The records as they are now, not a snapshot.
      currentDay: day,
      baseCurrency,
      isCancelled: () => isClosed,
    })
    await store.daySnapshots.add(slug, snapshotOf(figures, { day, takenAt }))
  }

  const takeLease = () => {
    const [at, hasEnded] = [now(), () => false]
    return store.leases.take(sharedOwner, { work, holder, now: at, until: at + leaseMs, hasEnded })
  }

  /** Returns whether nothing is left to take. */
  const takeMissing = async (): Promise<boolean> => {
    const missing = await missingDays()
    let [takenCount, failed] = [0, 0]
    for (const ended of missing) {
      // Extended for each brand: there may be thousands.
      if (isClosed || (await takeLease()) !== null) return false
      if (!isInTime(ended) || (await store.daySnapshots.has(ended.slug, ended.day))) continue
      try {
        await take(ended)
        takenCount += 1
      } catch (error) {
        failed += 1
        if (!isClosed) onError(error)
      }
    }
    if (missing.length > 0) await store.leases.release(sharedOwner, { work, holder })
    if (takenCount > 0)
      log(`The figures of the day that ended were kept: ${formatCount(takenCount, 'brand')}.`)
    return failed === 0
  }

  const run = async (): Promise<void> => {
    let isDone = false
    try {
      isDone = await takeMissing()
    } catch (error) {
      if (!isClosed) onError(error)
    }
    running = null
    if (isClosed) return
    arm(isDone ? quarterMs - (now() % quarterMs) : retryMs)
  }

  const arm = (delayMs: number) => {
    timer = setTimeout(() => {
      running = run()
    }, delayMs)
    // A stopping server does not wait for it.
    timer.unref()
  }

  return {
    start: () => {
      if (!isClosed) running = run()
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}

/** The day before the current one of a brand, and when it ended. */
const endedDay = (brand: ListedBrand, instant: number): EndedDay => {
  const { timezone } = brand
  const today = currentDay(timezone, instant)
  return { ...brand, day: addDays(today, -1), endedAt: startOfDay(timezone, today) }
}
