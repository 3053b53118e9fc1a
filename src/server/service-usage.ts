import type { Config } from '#config'
import type { Log, Metrics } from '#observability'
import { openUsageWriter, type UsageWarning, type UsageWriter } from '#usage'
import type { Records } from './service-records.ts'

/** Counts the usage of keys, and warns of keys that read more than they used to. */
export const openServiceUsage = (
  { usageDays }: Pick<Config, 'usageDays'>,
  { keyDatabase, store }: Pick<Records, 'keyDatabase' | 'store'>,
  { log, metrics, waitMs }: UsageParts,
): Promise<UsageWriter> =>
  openUsageWriter({
    database: keyDatabase,
    now: Date.now,
    keptDays: usageDays,
    // Not `has`, which may ask a replica that has not seen the removal of the brand yet.
    hasBrand: async (brand) => (await store.listBrands([brand])).length > 0,
    countRecords: async (brand, collection) =>
      (await store.brandCounts(brand))
        .filter((each) => collection === null || each.collection === collection)
        .reduce((sum, { records }) => sum + records, 0),
    onWarning: (warning) => {
      metrics.usageWarned(warning.kind)
      const { kind: usage, ...figures } = warning
      log.warn({ usage, ...figures }, usageSentences[usage])
    },
    onError: (error, isFirst) => {
      metrics.usageFailed()
      if (!isFirst) return
      log.warn({ error }, 'The usage of keys could not be written. It is written later.')
    },
    ...(waitMs !== undefined && { intervalMs: waitMs }),
  })

interface UsageParts {
  readonly log: Log
  readonly metrics: Metrics
  readonly waitMs?: number | undefined
}

const usageSentences: Readonly<Record<UsageWarning['kind'], string>> = {
  surge:
    'A key has read more than five times as many records today as on an average day. See: selvedge usage --key <id> --by day',
  whole:
    'A key has read as many records of a collection today as it has, for the first time. See: selvedge usage --key <id> --by day,group',
}
