/** Constants of search, which is a part of the query API. */

export const searchPath = '/brands/{brand}/search'
export const searchOperation = 'search'

export const searchLimits = {
  /** Characters of a query. */
  query: { minLength: 1, maxLength: 100 },
  /** Results per response. */
  limit: { minimum: 1, maximum: 50, default: 20 },
} as const

export const searchLimitPattern = '^(50|[1-4][0-9]|[1-9])$'
