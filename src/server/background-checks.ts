import type { Database } from '#database'
import { readChangedBrands } from '#store'
import { type CheckSchedule, createCheckSchedule } from './check-schedule.ts'
import { openCheckThread } from './check-thread.ts'
import type { DatabaseConfig } from './service-database.ts'

export interface BackgroundChecksOptions {
  readonly config: DatabaseConfig
  /** Receives the first of several failures. */
  readonly onError: (error: unknown) => void
  readonly sliceMs?: number
  readonly delayMs?: number
  readonly everyMs?: number
}

/** Logged with the reason of a failed check. */
export const uncheckedRules = 'The business rules were not checked.'

/** The usual times: one check covers many changes, and holds its snapshot for seconds only. */
const usual = { sliceMs: 10_000, delayMs: 2_000, everyMs: 60_000 }

/**
 * Checks the rules of brands in a thread, slice by slice until all are checked. What is left is in the
 * database, so any process can continue after a restart. One process at a time checks a brand.
 */
export const openBackgroundChecks = (options: BackgroundChecksOptions): CheckSchedule => {
  const { config, onError, sliceMs, delayMs, everyMs } = { ...usual, ...options }
  let hasFailed = false
  const thread = openCheckThread({
    config,
    sliceMs,
    onError: (error) => {
      if (!hasFailed) onError(error)
      hasFailed = true
    },
  })
  const schedule = createCheckSchedule({
    check: async (brand) => {
      const outcome = await thread.check(brand)
      if (outcome !== 'failed') hasFailed = false
      return outcome
    },
    delayMs,
    everyMs,
  })
  return {
    changed: schedule.changed,
    // Abandons a check in progress: the next one repeats it.
    close: async () => {
      const closed = schedule.close()
      await thread.close()
      await closed
    },
  }
}

export interface FollowedChecksOptions extends BackgroundChecksOptions {
  readonly database: Database
  /** The interval between two looks for changes. */
  readonly lookMs?: number
}

/** After this time all brands are looked at again: some rules depend on the day. */
const lookAtAllMs = 3_600_000

/** Checks the rules of every brand that any process changes, and at first of all brands. */
export const followWithChecks = (options: FollowedChecksOptions): Pick<CheckSchedule, 'close'> => {
  const { database, lookMs = 5_000 } = options
  const checks = openBackgroundChecks(options)
  let since: number | null = null
  let lookedAtAll = performance.now()
  let looking: Promise<void> | null = null

  const look = async (): Promise<void> => {
    if (performance.now() - lookedAtAll > lookAtAllMs) since = null
    try {
      const { change, slugs } = await readChangedBrands(database, since)
      if (since === null) lookedAtAll = performance.now()
      since = change
      for (const slug of slugs) checks.changed(slug)
    } catch {
      // The database is unreachable; requests report it.
    }
    looking = null
  }
  const timer = setInterval(() => {
    looking ??= look()
  }, lookMs).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await looking
      await checks.close()
    },
  }
}
