/** Constants of the change feed, which is separate from the API and has its own version. */

export const feedVersion = '1.1.0'
export const feedBasePath = '/api/feed/v1'
export const feedPath = '/brands/{brand}/changes'
export const feedOperation = 'listChanges'

export const feedPageSize = { minimum: 1, maximum: 1_000, default: 100 } as const
export const feedPageSizePattern = '^(1000|[1-9][0-9]{0,2})$'
/** The sequence number of a change, in commit order: a safe integer. */
export const feedNumberPattern = '^(0|[1-9][0-9]{0,14})$'

/** Writes an identity as one string: its parts, escaped and joined by commas. */
export const writeIdentity = (parts: readonly string[]): string =>
  parts.length === 1
    ? (parts[0] ?? '')
    : parts.map((part) => part.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')

/** Parses an identity of `count` parts; null if the text has another number of parts. */
export const parseIdentity = (text: string, count: number): readonly string[] | null => {
  if (count === 1) return [text]
  const parts = text.split(',').map((part) => part.replaceAll('%2C', ',').replaceAll('%25', '%'))
  return parts.length === count ? parts : null
}
