import { DatabaseBusyError, DatabaseError, sqliteError } from '../errors.ts'

/** Runs work and throws SQLite errors as `DatabaseError`. */
export const guarded = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw toDatabaseError(error)
  }
}

export const toDatabaseError = (error: unknown): unknown => {
  if (isSqliteError(error)) {
    const { message } = error
    // Such as "NOT NULL constraint failed: tags.name".
    const [, place] = /constraint failed: \w+\.(\w+)$/.exec(message) ?? []
    return sqliteError(error.errcode, { message, place, cause: error })
  }
  return isClosedError(error)
    ? new DatabaseError(`The database failed: ${error.message}.`, { cause: error })
    : error
}

const isSqliteError = (error: unknown): error is Error & { errcode: number } =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'

const isClosedError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE'

export const isBusy = (error: unknown): boolean =>
  toDatabaseError(error) instanceof DatabaseBusyError
