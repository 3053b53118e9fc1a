export {
  correctedName,
  correctionColumns,
  correctionText,
  escapedText,
  isCorrectionName,
} from './corrections.ts'
export {
  type CpuLimit,
  type CpuMeter,
  cpuLimitMs,
  createCpuMeter,
  withinCpuTime,
} from './cpu-limit.ts'
export { limitHeap } from './heap.ts'
export type { OnError } from './held-rows.ts'
export {
  type CollectionResult,
  type IngestOptions,
  type IngestResult,
  ingest,
} from './ingest.ts'
export {
  type Format,
  formats,
} from './input.ts'
export { isUnterminated } from './last-line.ts'
export { lineEnd } from './lines.ts'
export { mapRow, sourceRow } from './mapped-rows.ts'
export { findMappedSources } from './mapped-sources.ts'
export { type PreviewOptions, previewSource, previewTable, type SourcePreview } from './preview.ts'
export { parseRow } from './read-ndjson.ts'
export { isUnread, receiveCells } from './received-row.ts'
export {
  type ChangeCollector,
  type Difference,
  openDifference,
  type RecordChange,
} from './record-changes.ts'
export {
  type Referenced,
  ReferencedError,
  repetitionsMax,
  requireUnreferenced,
} from './referenced-removals.ts'
export {
  cutField,
  cutValue,
  firstProblem,
  openReport,
  type ProblemGroup,
  plainText,
  type Report,
  type RowProblem,
} from './report.ts'
export { namesOf, SourceError, type SourceRow, type SourceRows } from './row.ts'
export { sampleFile } from './sample.ts'
export { createSeenIdentities } from './seen-identities.ts'
export {
  collectionAdvice,
  findSources,
  type NamedFile,
  type RecordMerge,
  type Source,
  type SourceOptions,
} from './source.ts'
export {
  type Encoding,
  encodings,
  type TableRow,
} from './table.ts'
export { type CodeProblem, type ValidatedBatch, validateSource } from './validate.ts'
