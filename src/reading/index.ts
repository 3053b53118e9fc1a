export {
  createDocumentQueries,
  documentJson,
  type PictureLink,
} from './document-query.ts'
export { createLineageQueries, lineageJson, readLineage } from './lineage-query.ts'
export {
  createListQueries,
  type ListQuery,
  pageEnd,
  type QueryParts,
} from './list-query.ts'
export { parseRecords } from './parse-records.ts'
export { searchJson } from './search-query.ts'
export { createSelector } from './selector.ts'
export { createSummaryQueries, summaryJson } from './summary-query.ts'
export { openTodayQuery, todayJson } from './today-query.ts'
export { nextTurn } from './turn.ts'
