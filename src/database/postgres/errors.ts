import {
  DatabaseBusyError,
  DatabaseError,
  DatabaseUnreachableError,
  QueryTimeoutError,
} from '../database.ts'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** The error of the database for an error of the driver. */
export const toDatabaseError = (error: unknown): DatabaseError => {
  if (error instanceof DatabaseError) return error
  const options = { cause: error }
  if (isLocked(error)) return new DatabaseBusyError('Timed out waiting for a table lock.', options)
  if (isCancelled(error) || isReadTimeout(error)) {
    return new QueryTimeoutError(
      'The database is too slow: a query took longer than it may.',
      options,
    )
  }
  return isOfConnection(error)
    ? new DatabaseUnreachableError(`The database cannot be reached: ${reasonIn(error)}.`, options)
    : new DatabaseError(`The database failed: ${reasonIn(error)}.`, options)
}

/** Nothing came back in the time of a request: the server may hang. */
export const tooSlow = (limitMs: number): DatabaseError => new DatabaseError(sentence(limitMs))

/** A query did not end in its time, on a server that responds. */
export const queryTooSlow = (limitMs: number): QueryTimeoutError =>
  new QueryTimeoutError(sentence(limitMs))

const sentence = (limitMs: number): string =>
  `The database is too slow: a query took longer than ${limitMs} ms.`

/** The same while connecting: the server may be reachable again later. */
export const connectTooSlow = (): DatabaseUnreachableError =>
  new DatabaseUnreachableError('The database is too slow.')

/** Whether an error is about the connection, not about what was sent on it. */
const isOfConnection = (error: unknown): boolean => {
  const code = codeOf(error)
  const isFromServer = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')
  return !isFromServer || /^(08|57P)/.test(code) || code === tooManyConnections
}

const tooManyConnections = '53300'

/** Whether the server has no connection left; those that are open stay. */
export const isCrowded = ({ cause }: DatabaseUnreachableError): boolean =>
  codeOf(cause) === tooManyConnections

/** Whether a statement was refused because an earlier one of its transaction has failed. */
export const isAborted = (error: unknown): boolean =>
  codeOf(error instanceof DatabaseError ? error.cause : error) === '25P02'

/** Whether a statement was ended because it took too long. */
export const isCancelled = (error: unknown): boolean => codeOf(error) === '57014'

/** Whether the driver stopped waiting after `query_timeout`. It gives this error no code. */
const isReadTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout'

/** Whether a connection cannot be used any more, or nothing came back on it in time. */
export const isLost = (error: unknown): boolean =>
  error instanceof DatabaseUnreachableError ||
  (error instanceof QueryTimeoutError && isReadTimeout(error.cause))

/** Whether a lock was not available within `lock_timeout`. */
export const isLocked = (error: unknown): boolean => codeOf(error) === '55P03'

/**
 * Whether a read may succeed if it is sent again: its connection broke, its prepared statement was
 * forgotten in favour of others or returns other columns since a table was changed, or a replica had
 * to replay a change of its rows.
 */
export const isWorthRepeating = (error: unknown): boolean =>
  error instanceof DatabaseUnreachableError ||
  (error instanceof DatabaseError && /^(26000|0A000|40001)$/.test(codeOf(error.cause)))

/** The reason, in a few words. A host with several addresses fails with one error for each. */
const reasonIn = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(reasonIn).join(', ')
  }
  return error instanceof Error ? error.message : String(error)
}
