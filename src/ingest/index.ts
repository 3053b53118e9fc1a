export {
  type CollectionResult,
  type IngestOptions,
  type IngestResult,
  ingest,
  type Progress,
} from './ingest.ts'
export { openReport, type ProblemGroup, plainText, type Report } from './report.ts'
export { SourceError } from './row.ts'
export { type Format, findSources, type Source, type SourceOptions } from './source.ts'
