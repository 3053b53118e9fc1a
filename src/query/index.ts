export {
  createListQueries,
  type ListQuery,
  type PageEnd,
  pageEnd,
  type QueryParts,
} from './list-query.ts'
export { searchJson } from './search-query.ts'
export { createSelector } from './selector.ts'
export { createSummaryQueries, summaryJson } from './summary-query.ts'
export { openTodayQuery, todayJson } from './today-query.ts'
