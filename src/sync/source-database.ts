import type { Cell } from '#mapping'
import type { SqlLexicon } from './cursor-placeholder.ts'
import type { SchemaQueries } from './source-schema.ts'

/** A database that records are read from. Nothing is ever written to it. */
export interface SourceDatabase {
  readonly dialect: SourceDialect
  /**
   * Reads one and the same state of the database, in a transaction that cannot write, on a connection
   * of its own. Throws a `SourceDatabaseError` for whatever the database or the network does. The signal
   * ends it at once, also in the middle of a statement.
   */
  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** One state of the database. */
export interface Snapshot {
  /** Begins to read the rows of a query. They have to be read to their end before the next query. */
  query(sql: string): Promise<SourceTable>
}

/** The rows of a query. */
export interface SourceTable {
  readonly columns: readonly SourceColumn[]
  /** In batches. The database is asked for the next one when it is wanted. */
  readonly batches: AsyncIterable<readonly (readonly Cell[])[]>
}

export interface SourceColumn {
  readonly name: string
  readonly kind: ColumnKind
}

/** What a column holds. `civil` times have no time zone. */
export type ColumnKind = 'instant' | 'civil' | 'number' | 'flag' | 'json' | 'text'

/** What differs between engines in the text of queries. */
export interface SourceDialect {
  readonly quote: (name: string) => string
  readonly literal: (text: string) => string
  /** A value as a text with all of its digits. */
  readonly asText: (value: string) => string
  /** Rows without a value come first. */
  readonly ascending: (value: string) => string
  readonly schema: SchemaQueries
  readonly lexicon: SqlLexicon
}

/** Number of rows in a batch. A batch of large rows has fewer. */
export const batchRows = 500
export const batchBytes = 4 * 1_024 * 1_024

/** Limits of what a source may send. The limit of a row is that of imported files. */
export const rowBytesMax = 16 * 1_024 * 1_024 - 2
export const snapshotBytesMax = 8 * 1_024 * 1_024 * 1_024

export interface SourceDatabaseOptions {
  /** How long a statement, or a batch of its rows, may take. */
  readonly timeoutMs: number
  /** How many bytes one snapshot may read; `snapshotBytesMax` by default. */
  readonly bytesMax?: number
}

/** How long connecting with the login may take. A server that does not answer by then is away. */
export const connectMs = 10_000

/** The source ends a statement first, and says why. */
export const answerMs = ({ timeoutMs }: SourceDatabaseOptions): number => timeoutMs + 1_000

/** How long a snapshot may be read, in times of the limit for a statement. */
const roundTimeouts = 24
export const roundMs = ({ timeoutMs }: SourceDatabaseOptions): number => timeoutMs * roundTimeouts

/** The source cannot be read. The message has no secret in it. */
export class SourceDatabaseError extends Error {
  /** Whether it may work when it is tried again, although nothing was changed. */
  readonly isTransient: boolean

  constructor(message: string, isTransient: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isTransient = isTransient
  }
}

/** What drivers tell apart errors by. */
interface DriverError {
  readonly code?: string
  readonly errno?: number | string
}

/** Errors of the network, by which no program can tell whether they will pass. */
const networkCodes =
  /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|PROTOCOL_\w+)$/

/** What is wrong with the certificate of a server. */
const certificateCodes =
  /^(\w*SELF_SIGNED\w*|UNABLE_TO_(GET_ISSUER|VERIFY)\w*|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** An error of a driver as a sentence, without the password that it may repeat. */
export const toSourceError = (
  error: unknown,
  password: string | undefined,
  transientCodes: RegExp,
): SourceDatabaseError => {
  if (error instanceof SourceDatabaseError) return error
  const { errno = '' } = error as DriverError
  const code = String((error as DriverError).code ?? errno)
  const text = messageOf(error)
  const plain = password ? text.replaceAll(password, '…') : text
  // The driver of MySQL replaces the code of whatever TLS refuses.
  const isHandshake = code === 'HANDSHAKE_SSL_ERROR' && /certificate|altnames/i.test(text)
  if (certificateCodes.test(code) || isHandshake) {
    return new SourceDatabaseError(
      `The certificate of the source database is not trusted: ${plain}. Name a file with the certificate of its authority in the address: sslrootcert=…`,
      false,
      { cause: error },
    )
  }
  const isLost = /terminated|closed state|timeout|socket disconnected/i.test(text) && code === ''
  const isTransient = networkCodes.test(code) || transientCodes.test(code) || isLost
  return new SourceDatabaseError(`The source database: ${plain}`, isTransient, {
    cause: error,
  })
}

/** Of the addresses of a name, each can fail; such an error has no message of its own. */
const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
