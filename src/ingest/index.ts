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
export { previewFile, unreadPreview } from './file-preview.ts'
export { limitHeap } from './heap.ts'
export type { OnError } from './held-rows.ts'
export { ingest } from './ingest.ts'
export type {
  CollectionResult,
  IngestOptions,
  IngestResult,
  Unstored,
} from './ingest-options.ts'
export { type Format, formats, type StreamInput } from './input.ts'
export { type KeptChange, keepChanges } from './kept-changes.ts'
export { isUnterminated } from './last-line.ts'
export { lineEnd } from './lines.ts'
export { mappedRowsOf, mapRow, sourceRow } from './mapped-rows.ts'
export {
  findMappedSources,
  givenSources,
  joinPatterns,
} from './mapped-sources.ts'
export { type ContextParts, layered, readStoredContext, recordsIn } from './mapping-context.ts'
export { addGiven, limited } from './open-mapped.ts'
export { tableRow } from './open-rows.ts'
export { type PreviewedSource, previewSource, type SourcePreview } from './preview.ts'
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
export {
  collectionAdvice,
  findSources,
  type NamedFile,
  openableFile,
  type RecordMerge,
  type RowObserver,
  recogniseName,
  type Source,
  type SourceOptions,
} from './source.ts'
export {
  type Encoding,
  encodings,
  type TableRow,
} from './table.ts'
export { type CodeProblem, type ValidatedBatch, validateSource } from './validate.ts'
