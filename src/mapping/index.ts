export { ColumnError } from './binding.ts'
export { type Cell, CivilTime, cellJson, cellsOf, parseCell, textOf } from './cell.ts'
export {
  columnsOf,
  compileMapping,
  fieldOrigin,
  joinOf,
  type MappedProblem,
  type MappedRow,
  type RowMapper,
} from './compile.ts'
export {
  type ContextNeeds,
  contextNeeds,
  createLookupBuilder,
  type FoundRecord,
  type LookupBuilder,
  LookupLimitError,
  type LookupTable,
  type LookupUse,
  lookupName,
  type MappingContext,
  needsContext,
  noContext,
  withFields,
} from './context.ts'
export { mappingDigest } from './digest.ts'
export { withFirstCandidates } from './expression-parts.ts'
export { mappingsFor, matchesPattern } from './file-pattern.ts'
export type {
  BrandValues,
  CollectionMapping,
  JoinedRows,
  Mapping,
  RowOrigin,
  SqlOrigin,
  Trailer,
} from './mapping.ts'
export { MappingError } from './mapping-error.ts'
export {
  describeOpenValue,
  type ListedOpenValue,
  listOpenValues,
  requireDecided,
} from './open-values.ts'
export { parseMapping } from './parse-mapping.ts'
export { proposeCursor } from './propose/cursor-proposal.ts'
export { proposeMapping } from './propose/proposal.ts'
export type { DeclaredType, ForeignKey, SampleTable } from './propose/sample-table.ts'
export { writeProposal } from './propose/write-proposal.ts'
export { quoted } from './propose/yaml-text.ts'
export type { Rank } from './rank.ts'
export { compileRowNamer, namingColumns, type RowNamer } from './row-namer.ts'
export {
  madeRowsColumn,
  type OwnRows,
  type PlannedRows,
  type PlanOptions,
  planRows,
  RowLimitError,
  type RowPlan,
} from './row-plan.ts'
export { mappingSchema } from './schema.ts'
export { createTrailerCheck } from './trailer.ts'
