/** Constants of the change feed, which is separate from the API and has its own version. */

export const feedVersion = '1.0.0'
export const feedBasePath = '/api/feed/v1'
export const feedPath = '/brands/{brand}/changes'
export const feedOperation = 'listChanges'

export const feedPageSize = { minimum: 1, maximum: 1_000, default: 100 } as const
export const feedPageSizePattern = '^(1000|[1-9][0-9]{0,2})$'
