export { type MetricsServer, openMetricsServer, urlAt } from './metrics-server.ts'
export {
  awaitRecords,
  openRecords,
  openService,
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
} from './service.ts'
