export type { FeedRead, FeedReader } from './feed-readers.ts'
export { createUsageTables } from './table.ts'
export { allGroups, otherUsage } from './usage.ts'
export type { CountedRequest } from './usage-counter.ts'
export {
  createUsageLog,
  type KeyUse,
  type UsageFilter,
  type UsageLog,
  type UsagePart,
  type UsageTotal,
  usageParts,
} from './usage-log.ts'
export type { UsageWarning } from './usage-warnings.ts'
export { openUsageWriter, type UsageWriter } from './usage-writer.ts'
