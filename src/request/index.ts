export { notFound, toApiError } from './api-error.ts'
export { type BatchParameters, batchParameters } from './batch-parameters.ts'
export { closeGroups } from './close-groups.ts'
export { rejectParameters, todayOf, todayParameters, trendParameters } from './day.ts'
export { documentParameters } from './document-parameters.ts'
export { type GridParameters, gridParameters } from './grid-parameters.ts'
export { type LineageParameters, lineageParameters } from './lineage-parameters.ts'
export {
  feedParameters,
  getParameters,
  type ListParameters,
  listParameters,
} from './parameters.ts'
export {
  needsTimezone,
  type QueryParameters,
  queryParameters,
  resolveConditions,
} from './query-parameters.ts'
export { cut, encodeValue, type ParameterProblem, rejectProblems } from './query-string.ts'
export { idParameter, listByTitle, pathIdParameter } from './record-id.ts'
export { searchParameters } from './search-parameters.ts'
export {
  sourceRowsCursor,
  sourceRowsParameters,
  sourceUnitsParameters,
} from './source-parameters.ts'
export { nearest, unknownName } from './suggestion.ts'
export { createViewChecks, type ViewChecks } from './view-query.ts'
export { wrongPath } from './wrong-path.ts'
