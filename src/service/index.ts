export {
  openRecords,
  openService,
  openServiceImages,
  openServiceLog,
  type Records,
  readServiceConfig,
  releaseOf,
  type Service,
  type ServiceOptions,
} from './service.ts'
