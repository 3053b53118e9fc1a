export { type AccessLog, batchedAccessLog, readableAccessLog } from './access.ts'
export { createAggregateMetrics } from './aggregate-metrics.ts'
export { durationText } from './duration.ts'
export { type Log, openLog } from './log.ts'
export {
  type BackupFigures,
  type DatabaseFigures,
  type Metrics,
  type MetricsSnapshot,
  type MetricsText,
  openMetrics,
  type SourceFigures,
} from './metrics.ts'
export { loggablePath } from './path.ts'
