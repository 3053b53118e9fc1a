/** The change feed: what of it is said once. It stands beside the API and has a version of its own. */

export const feedVersion = '1.0.0'
export const feedBasePath = '/api/feed/v1'
export const feedPath = '/brands/{brand}/changes'
export const feedOperation = 'listChanges'

export const feedPageSize = { minimum: 1, maximum: 1_000, default: 100 } as const
export const feedPageSizePattern = '^(1000|[1-9][0-9]{0,2})$'
