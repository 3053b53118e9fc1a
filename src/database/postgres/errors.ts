import type pg from 'pg'
import {
  DatabaseError,
  DatabaseUnreachableError,
  postgresError,
  QueryTimeoutError,
  ReadLimitError,
} from '../errors.ts'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Converts a driver error to a database error. */
export const toDatabaseError = (error: unknown): DatabaseError => {
  if (error instanceof DatabaseError) return error
  const message = reasonIn(error)
  return postgresError(sqlStateOf(error), { message, place: placeIn(error), cause: error })
}

/** The server names a column in a field of its own, or for COPY in the context of the error. */
const placeIn = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const { column, constraint, where } = error as Partial<pg.DatabaseError>
  return (
    column ??
    constraint ??
    / index "([^"]+)"/.exec(error.message)?.[1] ??
    /^COPY .*, column ([^:]+)/.exec(where ?? '')?.[1]
  )
}

/** The SQLSTATE of an error. Those of the driver and the network have none: the connection failed. */
const sqlStateOf = (error: unknown): string => {
  if (isReadTimeout(error)) return queryCancelled
  const code = codeOf(error)
  return /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E') ? code : connectionFailed
}

const queryCancelled = '57014'
const connectionFailed = '08006'
const tooManyConnections = '53300'

/** Nothing came back within the request's time: the server may hang. */
export const tooSlow = (limitMs: number): ReadLimitError => new ReadLimitError(sentence(limitMs))

/** A query exceeded its time limit, on a server that responds. */
export const queryTooSlow = (limitMs: number): QueryTimeoutError =>
  new QueryTimeoutError(sentence(limitMs))

const sentence = (limitMs: number): string =>
  `The database is too slow: a query took longer than ${limitMs} ms.`

/** Like `tooSlow`, while connecting: the server may be reachable later. */
export const connectTooSlow = (): DatabaseUnreachableError =>
  new DatabaseUnreachableError('The database is too slow.')

/** Whether the server has no free connections; open ones stay usable. */
export const isCrowded = ({ cause }: DatabaseUnreachableError): boolean =>
  codeOf(cause) === tooManyConnections

/** Whether a statement failed because an earlier one of its transaction failed. */
export const isAborted = (error: unknown): boolean =>
  codeOf(error instanceof DatabaseError ? error.cause : error) === '25P02'

/** Whether the server cancelled a statement, usually because it took too long. */
export const isCancelled = (error: unknown): boolean => codeOf(error) === queryCancelled

/** Whether the driver stopped waiting after `query_timeout`. This error has no code. */
const isReadTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout'

/** Whether a connection is unusable, or nothing came back on it in time. */
export const isLost = (error: unknown): boolean =>
  error instanceof DatabaseUnreachableError ||
  (error instanceof QueryTimeoutError && isReadTimeout(error.cause))

/**
 * Whether a retry of a read may succeed: its connection broke, its prepared statement was evicted
 * or returns other columns after a schema change, or a replica replayed a change of its rows.
 */
export const isWorthRepeating = (error: unknown): boolean =>
  error instanceof DatabaseUnreachableError ||
  (error instanceof DatabaseError && /^(26000|0A000|40001)$/.test(codeOf(error.cause)))

/** The reason, in a few words. A host with several addresses fails with one error per address. */
const reasonIn = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(reasonIn).join(', ')
  }
  return error instanceof Error ? error.message : String(error)
}
