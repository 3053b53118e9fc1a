import type { UseFigures } from './figures.ts'
import type { DatabaseHosts } from './hosts.ts'
import type { RowSecurity } from './row-security.ts'

/** The value of one cell. */
export type SqlValue = string | number | null | Uint8Array

export type Row = readonly SqlValue[]

/**
 * The kind of a lookup column: a whole text, the beginning of a text that may be long, an integer, or
 * a 16-byte identifier.
 */
export type LookupKind = 'text' | 'prefix' | 'integer' | 'uuid'

/**
 * The kind of a sort column: integers, dates as numbers such as 20260301, milliseconds since 1970,
 * decimals, or text folded for case and accents.
 */
export type SortKind = 'integer' | 'date' | 'timestamp' | 'decimal' | 'folded'

export type ColumnKind = LookupKind | SortKind

/** A statement with numbered parameters (`?1` in every dialect) and their values. */
export interface Query {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** The rows of several queries, in order. */
export type Results = readonly (readonly Row[])[]

/** The SQL that differs between engines. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** The type of a text column that compares bytewise. */
  readonly text: string
  readonly integer: string
  /** The type of a 16-byte identifier column. Identifiers sort like their text. */
  readonly identifier: string
  readonly blob: string
  /** The column type of each kind. Every engine sorts each kind the same way. */
  readonly types: Readonly<Record<ColumnKind, string>>
  /** Converts text such as `5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01` to an identifier. */
  readonly uuid: (text: string) => string
  /** Converts an identifier to its text. */
  readonly uuidText: (identifier: string) => string
  /** The minimum or maximum identifier of a group. */
  readonly aggregateUuid: (aggregate: 'min' | 'max', identifier: string) => string
  /** The bytes of a key column, an identifier's 16 or a text's, in the same sort order. */
  readonly keyBytes: (column: string, kind: LookupKind) => string
  /** Converts the result of `keyBytes` back to the key column's value. */
  readonly keyOfBytes: (bytes: string, kind: LookupKind) => string
  /** Storage options for a table of short rows, placed after its closing bracket. */
  readonly tableOptions: string
  /** A table in a `from` clause, read along this index. */
  readonly indexedBy: (table: string, alias: string, index: string) => string
  /** The primary key's index; undefined if the engine cannot name an index. */
  readonly primaryKeyIndex: (table: string) => string | undefined
  /** The text at a path inside a JSON text column. */
  readonly jsonText: (column: string, path: readonly string[]) => string
  /** Converts an amount such as `-12.50` to an exact, sortable number. 1.5 and 1.50 are equal. */
  readonly decimal: (text: string) => string
  /** The product of decimals as `decimal` has it; null if one of them is null. */
  readonly product: (factors: readonly string[]) => string
  /** Converts a decimal cell to its text without trailing zeros: `1.5`. */
  readonly decimalText: (cell: string | number | Uint8Array) => string
  /**
   * An exact sum of decimals, or of products of decimals, as text. Skips rows with a null factor and
   * rows that do not match `where`; null if no row remains.
   */
  readonly sum: (factors: readonly string[], where?: string) => string
  /** Like `sum` for integers, and cheaper. */
  readonly sumIntegers: (value: string) => string
  /** The minimum or maximum of decimals, as text. */
  readonly extreme: (aggregate: 'min' | 'max', text: string) => string
  /**
   * The `count` smallest values of the rows that match `where`, each with a key that breaks ties:
   * `20260301 key,20260302 key`. No value may be null. Null if no row matches.
   */
  readonly least: (value: string, key: string, count: number, where: string) => string
  /** Ends a subquery in a `from` clause, so that the engine computes its columns once per row. */
  readonly onceForEachRow: string
  /** An identifier as hexadecimal text, in the same sort order. */
  readonly uuidHex: (identifier: string) => string
  /** The date of a timestamp shifted by a number of seconds: `2026-11-16`. */
  readonly shiftedDay: (timestamp: string, seconds: string) => string
  /** The Monday of a date's week. */
  readonly mondayOf: (day: string) => string
  /** The texts of a bound JSON array, as a table with a column `value`. */
  readonly textsIn: (parameter: string, alias: string) => string
  /** The condition that a text contains another. */
  readonly contains: (text: string, part: string) => string
  /** A text as UTF-8 bytes: the cell is a `Uint8Array` and never becomes a JavaScript string. */
  readonly bytes: (text: string) => string
  /** The texts of one column, joined by commas in the order of another. */
  readonly concat: (column: string, order: string) => string
  /** The `order by` of a sorted, materialized select; empty if the engine keeps its order. */
  readonly keptOrder: (order: string) => string
  /** A bound number as a page size. */
  readonly limit: (parameter: string) => string
  /**
   * Limits a select that is ordered by its first column to a bound number of rows, at most `most`.
   * The engine reuses one plan for all numbers.
   */
  readonly firstRows: (ordered: string, parameter: string, most: number) => string
  /**
   * Whether a page and its total are separate statements, each with its own time limit. One
   * combined statement is cheaper.
   */
  readonly countsApart: boolean
  /** Whether the engine joins in the written order, so that a link table can drive a query. */
  readonly joinsInOrder: boolean
  /**
   * Whether to select a row as the first one at or after a key, in a lateral join. Otherwise a
   * planner without statistics may choose any index that contains the key.
   */
  readonly joinsLaterally: boolean
  /** Whether a large insert is faster if indexes are rebuilt after it, without blocking readers. */
  readonly rebuildsIndexes: boolean
  /** Whether an update rewrites the index entry of an unchanged column. */
  readonly rewritesIndexEntries: boolean
  /** The database clock as a UTC timestamp: `2026-11-16T06:12:00.000Z`. */
  readonly now: string
  /** A random integer below one million. */
  readonly randomInt: string
  /** A sort column for which the engine must not follow an index. */
  readonly orderKey: (column: string) => string
  /** The name of a temporary table's index, as `create index` needs it. */
  readonly temporaryIndex: (name: string) => string
  /** Statements before one that needs a lock: it then fails if the lock is held for this long. */
  readonly lockTimeout: (ms: number) => readonly string[]
  /** Whether a table can be dropped while others read it. */
  readonly dropsBesideReaders: boolean
  /** Statements that make a transaction read ordered ranges along the index of that order. */
  readonly followIndexes: readonly string[]
  /**
   * Statements that make joins look up rows one by one along an index, and statements that end
   * this. Engines know too little about a temporary table to choose this plan themselves.
   */
  readonly joinsByLookup: { readonly begin: readonly string[]; readonly end: readonly string[] }
  /** Statements that gather a table's planner statistics. */
  readonly gatherStatistics: (table: string) => readonly string[]
  /**
   * Statements that precede one with very many branches, in the same read. The connection then
   * plans it once; otherwise an engine may plan it for every request, which takes longer than
   * running it.
   */
  readonly reusePlan: readonly Query[]
  /** Conditions for a statement that scans many rows: it fails once its time is over. */
  readonly inTime: readonly string[]
  /** How the engine hides the rows of other brands; null if it cannot. */
  readonly rowLevelSecurity: RowSecurity | null
}

/**
 * The operations of a writer in its transaction. Statements run in call order. Callers can issue
 * independent statements together to save round trips.
 */
export interface Session {
  all(query: Query): Promise<readonly Row[]>
  /** Runs a statement and returns the number of changed rows. */
  run(query: Query): Promise<number>
  /** Runs statements without parameters in order, in one round trip. */
  runAll(texts: readonly string[]): Promise<void>
  /**
   * Inserts rows as fast as the engine can. Consumes each row before it requests the next. Rows
   * hold identifiers and decimals as text; columns given only by name contain neither.
   */
  bulkInsert(table: string, columns: readonly (string | Part)[], rows: Iterable<Row>): Promise<void>
  /** Like `bulkInsert`, for rows that are slices of a buffer. */
  bulkInsertSlices(table: string, rows: RowSlices): Promise<void>
  /**
   * Runs work in a separate transaction that commits immediately and survives a rollback of the
   * outer one. It must not touch rows that the outer transaction changed: waiting for them ends with
   * `DatabaseBusyError`. On an engine with a single writer, it is part of the outer transaction.
   */
  autonomous<T>(work: (session: Session) => Promise<T>): Promise<T>
}

/** Rows in a buffer. One column stores the whole row; others store parts of it. */
export interface RowSlices {
  readonly bytes: Uint8Array
  /** For each row: its start and end, then the start and end of each part; -1 twice for null. */
  readonly offsets: Int32Array
  readonly parts: readonly SlicePart[]
  /** The column that stores the whole row. */
  readonly whole: string
  /** Number columns whose values are not in the buffer, and the numbers of each row. */
  readonly numbered: readonly string[]
  readonly numbersOf: (row: number) => readonly number[]
}

/** A column to insert values into. */
export interface Part {
  readonly name: string
  readonly kind: ColumnKind
}

/** A column whose values are slices. */
export interface SlicePart extends Part {
  /** Computes the value of a slice; absent if the slice is the value. */
  readonly read?: (bytes: Buffer, from: number, to: number) => string | number
}

export interface ReadOptions {
  /**
   * Whether a slow query fails with `QueryTimeoutError`, because the caller can read the same data
   * in steps. Otherwise a slow query may use the whole time of the request.
   */
  readonly isBrief?: boolean
}

/** The queries of one long read, run in order. */
export interface Steps {
  /**
   * Runs one query; other work runs between queries. Fails with `QueryTimeoutError` once the read
   * exceeds its time limit, and with `ReadCancelledError` once it is cancelled.
   */
  all(query: Query): Promise<readonly Row[]>
  /** Target duration of one query: longer ones delay others, shorter ones add overhead. */
  readonly stepMs: number
  /** Duration of the last query. */
  readonly tookMs: number
}

export interface StepsOptions {
  /**
   * Time limit of the whole read, instead of the query time limit. A read holds a snapshot, and
   * with it the space of rows replaced since.
   */
  readonly timeMs?: number
  /** Whether the caller limits the number of such reads; otherwise they wait for a slot. */
  readonly hasRoom?: boolean
  /**
   * Called when the database ends the read, because its snapshot keeps too much space from being
   * reused. The next query fails with `SnapshotLimitError`. Only for reads with their own time limit.
   */
  readonly onEnded?: (() => void) | undefined
}

/** A condition that some states of the database meet, and all later ones. */
export interface StateCheck {
  readonly query: Query
  readonly owner: number
  /** Whether the state meets it, by the first row of the query. */
  readonly isMet: (row: Row | undefined) => boolean
}

/** Whether the caller no longer wants the result, for example because the client disconnected. */
export type IsCancelled = () => boolean

/** Detects commits of this and other processes. */
export interface CommitListener {
  /**
   * Whether `onCommit` has finished for every commit. If not, calls it immediately. Returns false
   * until it is done, and whenever the listener cannot know.
   */
  isCurrent(): boolean
  close(): Promise<void>
}

/**
 * What a write lock excludes, on an engine with several writers:
 * - `records`: all other record writers; for migrations, settings, and records shared by all
 *   owners;
 * - `owner`: writers of the same owner; other owners can write meanwhile. It and a writer of
 *   `records` wait for each other;
 * - `keys`: writers of keys, so that a key can be revoked during an import;
 * - `queue`: writers of the batch queue, so that a batch can be accepted during an import;
 * - `states`: only the written rows; source states change during an import.
 */
export type WriteLock = 'records' | 'keys' | 'queue' | 'states' | { readonly owner: string }

/**
 * One database. Both engines keep these promises, and the conformance suite tests them:
 * - `read` runs all its queries against one committed state;
 * - `write` is atomic, even if the process dies, and a lock has one writer at a time;
 * - readers never wait for a writer, and see its changes only after the commit;
 * - a listener is notified of every commit of records before it is current again;
 * - a read has a time limit; a read in steps delays no other read, and a cancelled one ends at the
 *   next step;
 * - texts compare and sort by their bytes;
 * - a failure to do any of this is thrown as `DatabaseError`.
 */
export interface Database {
  readonly dialect: Dialect
  /** Time limit of a read in steps: processor time if the engine runs in this process. */
  readonly queryMs: number
  /**
   * Runs queries. With an owner, an engine that supports it hides the rows of all other owners,
   * except shared rows. Without one, the queries do not belong to a request and see everything.
   */
  read(queries: readonly Query[], owner?: number, options?: ReadOptions): Promise<Results>
  /**
   * Reads in several steps from one snapshot, for long reads: the queries depend on each other, or
   * each covers a part. The same rows are visible as with `read`.
   */
  readInSteps<T>(
    owner: number,
    isCancelled: IsCancelled | undefined,
    work: (steps: Steps) => Promise<T>,
    options?: StepsOptions,
  ): Promise<T>
  /**
   * Runs work whose reads all see states that meet a condition, on a replica that has reached one or
   * on the primary. Returns null without running it if the newest state does not meet the condition.
   * Fails with `DatabaseUnreachableError` if that is not known within `reachMs`.
   */
  readAfter<T>(check: StateCheck, work: () => Promise<T>): Promise<{ readonly result: T } | null>
  write<T>(work: (session: Session) => Promise<T>, lock?: WriteLock): Promise<T>
  /** Lets long work read from one snapshot, for any length of time. */
  snapshot<T>(work: (all: (query: Query) => Promise<readonly Row[]>) => Promise<T>): Promise<T>
  /** Calls `onCommit` once at first, then whenever records may have been committed. */
  listen(onCommit: () => Promise<void>): Promise<CommitListener>
  /** All tables, with their columns in order. */
  tables(): Promise<ReadonlyMap<string, readonly string[]>>
  /** The names of all indexes. */
  indexes(): Promise<ReadonlySet<string>>
  /**
   * Returns unused space to the file system, if the engine does not do so itself. May take as much
   * time and space as rewriting everything. Does not block readers.
   */
  reclaimSpace(): Promise<void>
  /**
   * Rebuilds the indexes of a table after many inserts, if the engine leaves free space in them.
   * Fails with `DatabaseBusyError` and keeps the old indexes if others use the table. Readers wait
   * only for a moment.
   */
  compactIndexes(table: string): Promise<void>
  /** The engine's query plan. */
  explain(query: Query): Promise<readonly string[]>
  /** Throws `DatabaseError` with the reason if this database cannot serve requests. */
  checkServing(): Promise<void>
  /** The servers of the database; null if the engine has none. */
  readonly hosts: DatabaseHosts | null
  /** What this process uses at the moment. */
  figures(): UseFigures
  close(): Promise<void>
}

/** How long a change of a table waits for its lock. Meanwhile, all others wait behind it. */
export const tableLockMs = 100

/** How long `readAfter` waits for a state that meets its condition. */
export const reachMs = 2_000

/** Quotes an identifier for any dialect. Names come from the contract, never from a request. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Quotes a text for any dialect. Texts come from the contract, never from a request. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
