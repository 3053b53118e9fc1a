export { type Cell, CivilTime, cellJson, cellsOf, parseCell, textOf } from './cell.ts'
export {
  ColumnError,
  columnsOf,
  compileMapping,
  fieldOrigin,
  type MappedProblem,
  type MappedRow,
  type RowMapper,
} from './compile.ts'
export { mappingDigest } from './digest.ts'
export { mappingsFor, matchesPattern } from './file-pattern.ts'
export type { CollectionMapping, Mapping, SqlOrigin, Trailer } from './mapping.ts'
export { MappingError } from './mapping-error.ts'
export { parseMapping } from './parse-mapping.ts'
export { proposeCursor } from './propose/cursor-proposal.ts'
export { type ForeignKey, proposeMapping, type SampleTable } from './propose/proposal.ts'
export { writeProposal } from './propose/write-proposal.ts'
export { quoted } from './propose/yaml-text.ts'
export type { Rank } from './rank.ts'
export { compileRowNamer, namingColumns, type RowNamer } from './row-namer.ts'
export { mappingSchema } from './schema.ts'
export { createTrailerCheck } from './trailer.ts'
