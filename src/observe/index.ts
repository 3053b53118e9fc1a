export { type Log, type LogOptions, openLog } from './log.ts'
export { type Metrics, openMetrics } from './metrics.ts'
