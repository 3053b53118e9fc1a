export { calendarJson, openCalendarQuery } from './calendar-query.ts'
export {
  createDocumentQueries,
  documentJson,
  type PictureLink,
} from './document-query.ts'
export { createGridQueries, gridJson } from './grid-query.ts'
export { createLineageQueries, lineageJson, readLineage } from './lineage-query.ts'
export {
  createListQueries,
  type ListQuery,
  pageEnd,
  type QueryParts,
} from './list-query.ts'
export { parseRecords } from './parse-records.ts'
export { createScorecardQueries, scorecardsJson } from './scorecards-query.ts'
export { searchJson } from './search-query.ts'
export { createSelector } from './selector.ts'
export { createSummaryQueries, summaryJson } from './summary-query.ts'
export { openTodayQuery, todayJson } from './today-query.ts'
export { openTrendQuery, trendJson } from './trend-query.ts'
export { nextTurn } from './turn.ts'
