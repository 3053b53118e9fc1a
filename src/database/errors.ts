/**
 * What an error of the database means for the caller:
 * - `unavailable`: the database cannot work now: unreachable, out of space, shutting down, read-only
 *   after a failover, damaged, or wrongly set up. The request is not at fault. Retry later; if that
 *   does not help, an operator must act;
 * - `busy`: another transaction is in the way. Retry soon;
 * - `timedOut`: the work exceeded a time limit, or was interrupted. Retry;
 * - `refused`: the database does not accept a value or a statement. A retry fails the same way.
 */
export type DatabaseFailure = 'unavailable' | 'busy' | 'timedOut' | 'refused'

/** The database failed; the cause says why. */
export class DatabaseError extends Error {
  readonly failure: DatabaseFailure = 'unavailable'
}

/** The engine is away, full, read-only or damaged: it fails whatever is asked of it. */
export class DatabaseOutageError extends DatabaseError {}

/** The database is unreachable at the moment, or does not accept connections yet. */
export class DatabaseUnreachableError extends DatabaseOutageError {}

/** A read reached a limit, of its time or of concurrent reads; the same read may succeed later. */
export class ReadLimitError extends DatabaseError {
  override readonly failure = 'timedOut'
}

/** A statement exceeded its time limit. */
export class QueryTimeoutError extends ReadLimitError {}

/** Old snapshots keep too much space from being reused. */
export class SnapshotLimitError extends ReadLimitError {
  constructor() {
    super('Too much was written during reads that have not ended.')
  }
}

/** A read ended because its result is no longer wanted. */
export class ReadCancelledError extends DatabaseError {}

/** Another writer held a needed lock for too long, or was in the way otherwise. */
export class DatabaseBusyError extends DatabaseError {
  override readonly failure = 'busy'
}

/** The database does not accept a value. */
export class DatabaseRefusedError extends DatabaseError {
  override readonly failure = 'refused'
  /** Why, in plain words: `a number is out of range (…)`. */
  readonly reason: string
  /** The column, constraint or index at fault, if the engine names it. */
  readonly place: string | undefined

  constructor(reason: string, options?: ErrorOptions & { readonly place?: string | undefined }) {
    super(`The database refused a value: ${reason}.`, options)
    this.reason = reason
    this.place = options?.place
  }
}

/** The database does not exist, and a read-only command does not create it. */
export class DatabaseMissingError extends DatabaseError {
  constructor(where: string) {
    super(
      `There is no database at ${where}. Check DATABASE_URL, and the folder that the command is run in. A new one is created by serve, demo, and brands add.`,
    )
  }
}

/** The failure of an error; null if it is not an error of the database. */
export const databaseFailureOf = (error: unknown): DatabaseFailure | null =>
  error instanceof DatabaseError ? error.failure : null

/**
 * The meaning of an error code. `outage` is `unavailable` for every request. `unreachable` is an
 * outage of the connection: another server, or the same one after a reconnect, may respond.
 */
type Meaning = 'unavailable' | 'outage' | 'unreachable' | 'busy' | 'timedOut' | Refusal

interface Refusal {
  /** Why a value is refused, in plain words. */
  readonly refused: string
}

const refused = (reason: string): Refusal => ({ refused: reason })

const tooLarge = refused('a value is too large for the database')
const unsuitable = refused('a value does not suit its column')
const missing = refused('a required value is missing')
const repeated = refused('another record has the same value, which must be unique')
const unmet = refused('a value breaks a check of its table')
const unlinked = refused('it refers to a row that does not exist')
const constrained = refused('it breaks a constraint of its table')
const triggered = refused('a trigger of its table refuses it')

/**
 * SQLSTATE codes of PostgreSQL, and classes of codes: their first two characters. A code comes
 * before its class. Every other code is `unavailable`: internal errors (XX), missing rights, tables
 * or settings (42), memory that a statement needs (53200), a limit that an operator has set (53400),
 * and codes of later versions. No record is refused because of these, and nothing is retried for
 * ever: retries have an end.
 */
const sqlStates: Readonly<Record<string, Meaning>> = {
  '08': 'unreachable',
  '09': triggered,
  '21': refused('two rows have the same identity'),
  '22': unsuitable,
  '22001': refused('a text is too long for its column'),
  '22003': refused('a number is out of range'),
  '22007': refused('a date or time is out of range'),
  '22008': refused('a date or time is out of range'),
  '22021': refused('a text has a character that the database cannot store'),
  '22P05': refused('a text has a character that the database cannot store'),
  '23': constrained,
  '23502': missing,
  '23503': unlinked,
  '23505': repeated,
  '23514': unmet,
  '25006': 'outage',
  '25P04': 'timedOut',
  '27': triggered,
  '28': 'outage',
  '3D': 'outage',
  '40': 'busy',
  '40002': constrained,
  '40003': 'unavailable',
  '44': unmet,
  '53': 'outage',
  '53200': 'unavailable',
  '53300': 'unreachable',
  '53400': 'unavailable',
  '54': tooLarge,
  '55006': 'busy',
  '55P03': 'busy',
  '57014': 'timedOut',
  '57P': 'unreachable',
  '58': 'outage',
  P0: triggered,
  XX001: 'outage',
  XX002: 'outage',
}

/**
 * Result codes of SQLite. A primary code is the lowest byte of its extended ones, which come first.
 * Every other code is `unavailable`: errors of statements (1, 21), memory that one needs (7), and codes of later versions.
 */
const sqliteCodes: Readonly<Record<number, Meaning>> = {
  /* SQLITE_BUSY */ 5: 'busy',
  /* SQLITE_LOCKED */ 6: 'busy',
  /* SQLITE_READONLY */ 8: 'outage',
  /* SQLITE_INTERRUPT */ 9: 'timedOut',
  /* SQLITE_IOERR */ 10: 'outage',
  /* SQLITE_CORRUPT */ 11: 'outage',
  /* SQLITE_FULL */ 13: 'outage',
  /* SQLITE_CANTOPEN */ 14: 'outage',
  /* SQLITE_PROTOCOL */ 15: 'busy',
  /* SQLITE_SCHEMA */ 17: 'busy',
  /* SQLITE_TOOBIG */ 18: tooLarge,
  /* SQLITE_CONSTRAINT */ 19: constrained,
  /* SQLITE_MISMATCH */ 20: unsuitable,
  /* SQLITE_RANGE */ 25: unsuitable,
  /* SQLITE_NOTADB */ 26: 'outage',
  /* SQLITE_CONSTRAINT_CHECK */ 275: unmet,
  /* SQLITE_ERROR_RETRY */ 513: 'busy',
  /* SQLITE_ERROR_SNAPSHOT */ 769: 'busy',
  /* SQLITE_CONSTRAINT_FOREIGNKEY */ 787: unlinked,
  /* SQLITE_CONSTRAINT_NOTNULL */ 1299: missing,
  /* SQLITE_CONSTRAINT_PRIMARYKEY */ 1555: repeated,
  /* SQLITE_CONSTRAINT_TRIGGER */ 1811: triggered,
  /* SQLITE_CONSTRAINT_UNIQUE */ 2067: repeated,
  /* SQLITE_CONSTRAINT_ROWID */ 2579: repeated,
  /* SQLITE_CONSTRAINT_DATATYPE */ 3091: unsuitable,
}

/** An error of an engine, before it is classified. */
export interface EngineError {
  /** What the engine says, in a few words. */
  readonly message: string
  /** The column, constraint or index that it names. */
  readonly place?: string | undefined
  readonly cause?: unknown
}

/** Classifies an error that PostgreSQL reported. */
export const postgresError = (sqlState: string, error: EngineError): DatabaseError =>
  errorOf(
    sqlStates[sqlState] ?? sqlStates[sqlState.slice(0, 3)] ?? sqlStates[sqlState.slice(0, 2)],
    error,
  )

/** Classifies an error that SQLite reported. */
export const sqliteError = (resultCode: number, error: EngineError): DatabaseError =>
  errorOf(sqliteCodes[resultCode] ?? sqliteCodes[resultCode & 0xff], error)

const errorOf = (
  meaning: Meaning = 'unavailable',
  { message, place, cause }: EngineError,
): DatabaseError => {
  const options = { cause }
  switch (meaning) {
    case 'unavailable':
      return new DatabaseError(`The database failed: ${message}.`, options)
    case 'outage':
      return new DatabaseOutageError(`The database failed: ${message}.`, options)
    case 'unreachable':
      return new DatabaseUnreachableError(`The database cannot be reached: ${message}.`, options)
    case 'busy':
      return new DatabaseBusyError(`The database is busy: ${message}.`, options)
    case 'timedOut':
      return new QueryTimeoutError(
        'The database is too slow: a query exceeded its time limit.',
        options,
      )
    default:
      return new DatabaseRefusedError(`${meaning.refused} (${message})`, { ...options, place })
  }
}
