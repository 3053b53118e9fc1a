export { type MetricsServer, openMetricsServer, urlAt } from './metrics-server.ts'
export {
  type OnAway,
  openRecords,
  openRecordsToServe,
  openServiceImages,
  openServiceLog,
  type PreparedService,
  prepareService,
  type Records,
  RowSecurityRefused,
  readServiceConfig,
  releaseOf,
  type Service,
  type ServiceOptions,
  whenReachable,
} from './service.ts'
export { logUnreachable, openWaiting, type Waiting } from './waiting.ts'
