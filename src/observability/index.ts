export { type AccessLog, batchedAccessLog, readableAccessLog } from './access.ts'
export { type AggregateMetrics, createAggregateMetrics } from './aggregate-metrics.ts'
export { durationText } from './duration.ts'
export { type Log, type LogOptions, openLog } from './log.ts'
export {
  type Metrics,
  type MetricsSnapshot,
  type MetricsText,
  openMetrics,
  type SourceFigures,
} from './metrics.ts'
