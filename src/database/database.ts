import type { RowSecurity } from './row-security.ts'

/** What a cell of a row can hold. */
export type SqlValue = string | number | null | Uint8Array

export type Row = readonly SqlValue[]

/** What a column holds that rows are looked up by: texts, whole numbers, or identifiers of 16 bytes. */
export type LookupKind = 'text' | 'integer' | 'uuid'

/**
 * What a column holds that rows are sorted by: whole numbers; days as numbers such as 20260301;
 * milliseconds since 1970; decimal numbers; texts without regard to case and accents.
 */
export type SortKind = 'integer' | 'date' | 'timestamp' | 'decimal' | 'folded'

export type ColumnKind = LookupKind | SortKind

/** A statement ready to run: numbered parameters (`?1` in every dialect) and their values. */
export interface Query {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** The rows of each of several queries. */
export type Results = readonly (readonly Row[])[]

/** What differs between engines in the text of statements. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** The type of a text column that compares byte by byte. */
  readonly text: string
  readonly integer: string
  /** The type of a column with the 16 bytes of an identifier. They sort like its text. */
  readonly identifier: string
  /** The type of a column with bytes. */
  readonly blob: string
  /** The type of a column of each kind. Columns of all kinds sort alike on every engine. */
  readonly types: Readonly<Record<ColumnKind, string>>
  /** The identifier that a text such as `5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01` stands for. */
  readonly uuid: (text: string) => string
  /** The text of an identifier. */
  readonly uuidText: (identifier: string) => string
  /** The first or the last identifier of a group. */
  readonly aggregateUuid: (aggregate: 'min' | 'max', identifier: string) => string
  /** The bytes of a key column: the 16 of an identifier, or those of a text. They sort alike. */
  readonly keyBytes: (column: string, kind: LookupKind) => string
  /** A key column's value out of such bytes. */
  readonly keyOfBytes: (bytes: string, kind: LookupKind) => string
  /** What follows the closing bracket of a table of short rows: how they are stored. */
  readonly tableOptions: string
  /** A table in a `from`, read along this index. */
  readonly indexedBy: (table: string, alias: string, index: string) => string
  /** The index of a table's primary key; undefined where an index cannot be named. */
  readonly primaryKeyIndex: (table: string) => string | undefined
  /** The text at a path of names inside a JSON text column. */
  readonly jsonText: (column: string, path: readonly string[]) => string
  /**
   * The number of an amount's text, such as `-12.50`: exact, and in the order of numbers. 1.5 and 1.50
   * are the same.
   */
  readonly decimal: (text: string) => string
  /** The amount of such a number that was read, without zeros that mean nothing: `1.5`. */
  readonly decimalText: (cell: string | number | Uint8Array) => string
  /**
   * An exact sum of decimal numbers, or of products of them, as a text; null where there is none. The
   * texts of a row that has a null are not added.
   */
  readonly sum: (...factors: readonly string[]) => string
  /** The same for whole numbers, which costs less. */
  readonly sumIntegers: (value: string) => string
  /** The least or the greatest of decimal numbers, as a text. */
  readonly extreme: (aggregate: 'min' | 'max', text: string) => string
  /**
   * The least of some values, at most so many, each with a key that decides between equal ones:
   * `20260301 key,20260302 key`. Of rows that fulfil a condition, in which no value is null; null where
   * there is none.
   */
  readonly least: (value: string, key: string, count: number, where: string) => string
  /** What ends a select in a `from` so that its columns are worked out once for each row. */
  readonly onceForEachRow: string
  /** The bytes of an identifier as a text in their order. */
  readonly uuidHex: (identifier: string) => string
  /** The day of a timestamp, so many seconds later: `2026-11-16`. */
  readonly shiftedDay: (timestamp: string, seconds: string) => string
  /** The Monday of the week of a day. */
  readonly mondayOf: (day: string) => string
  /** The texts of a bound JSON array, as a table with a column `value`. */
  readonly textsIn: (parameter: string, alias: string) => string
  /** The condition that a text contains another. */
  readonly contains: (text: string, part: string) => string
  /** A text as its bytes in UTF-8: its cell is a `Uint8Array`, and never was a JavaScript string. */
  readonly bytes: (text: string) => string
  /** The texts of a column, joined by commas in the order of another. */
  readonly concat: (column: string, order: string) => string
  /** An order by which a materialized select has its rows already: nothing where they stay in it. */
  readonly keptOrder: (order: string) => string
  /** A bound number as the size of a page. */
  readonly limit: (parameter: string) => string
  /**
   * The first rows of a select that is ordered by its first column: a bound number, and never more than
   * `most`. It is planned once for all numbers.
   */
  readonly firstRows: (ordered: string, parameter: string, most: number) => string
  /**
   * Whether a page and its total are separate statements, so that each has a time limit of its own.
   * Otherwise they are one, which costs less.
   */
  readonly countsApart: boolean
  /** Whether joins run in the order they are written, so that a link table can drive a query. */
  readonly joinsInOrder: boolean
  /**
   * Whether a row has to be selected as the first one from a key on, in a lateral join. Without
   * statistics a planner may otherwise take any index that holds the key for as good as the key.
   */
  readonly joinsLaterally: boolean
  /** Whether a large insert is faster if indexes are created again after it, and blocks no reader. */
  readonly rebuildsIndexes: boolean
  /** Whether setting a column writes its index entry again where its value stays the same. */
  readonly rewritesIndexEntries: boolean
  /** The time of the database's clock as a timestamp in UTC: `2026-11-16T06:12:00.000Z`. */
  readonly now: string
  /** A random whole number below a million. */
  readonly randomInt: string
  /** A column to order by, without an index being followed for it. */
  readonly orderKey: (column: string) => string
  /** The name of an index on a temporary table, as it is written when the index is created. */
  readonly temporaryIndex: (name: string) => string
  /** Statements before one that needs a table lock: it fails soon where the lock is held. */
  readonly lockTimeout: readonly string[]
  /** Whether a table can be dropped while others read it. */
  readonly dropsBesideReaders: boolean
  /** Statements after which a transaction reads ordered ranges along the index of that order. */
  readonly followIndexes: readonly string[]
  /**
   * Statements after which joins look rows up one by one along an index, and those that end this. An
   * engine knows too little of a temporary table to see that this is the least work.
   */
  readonly joinsByLookup: { readonly begin: readonly string[]; readonly end: readonly string[] }
  /** Statements that gather what an engine wants to know of a table's rows before it plans queries. */
  readonly gatherStatistics: (table: string) => readonly string[]
  /**
   * Statements that come before one with very many branches, in the same read: its plan is made once
   * for each connection. Otherwise an engine may plan it for every request, which takes longer than
   * running it.
   */
  readonly reusePlan: readonly Query[]
  /** Conditions of a statement that looks through many rows: it fails once its time is over. */
  readonly inTime: readonly string[]
  /** How the engine itself hides the rows of other brands; null where it cannot. */
  readonly rowLevelSecurity: RowSecurity | null
}

/**
 * What a writer may do inside its transaction. Statements run in the order of the calls. Those whose
 * results are not needed for the next one can be called together, which saves round trips.
 */
export interface Session {
  all(query: Query): Promise<readonly Row[]>
  /** Runs a statement and says how many rows it changed. */
  run(query: Query): Promise<number>
  /** Runs statements without values one after the other, in one round trip. */
  runAll(texts: readonly string[]): Promise<void>
  /**
   * Inserts rows as fast as the engine can. Each is consumed before the next one is requested.
   * Identifiers and decimal numbers are texts in them; a column that is given by its name has none.
   */
  bulkInsert(table: string, columns: readonly (string | Part)[], rows: Iterable<Row>): Promise<void>
  /** The same for rows that are slices of a buffer. */
  bulkInsertSlices(table: string, rows: RowSlices): Promise<void>
  /**
   * Runs a piece of work in a transaction of its own, which is committed at once and stays committed
   * whatever becomes of the outer one. It must not touch a row that the outer one has changed: it
   * would wait for it forever. On an engine with a single writer, it is part of the outer one.
   */
  autonomous<T>(work: (session: Session) => Promise<T>): Promise<T>
}

/** Rows in a buffer: each is stored whole, and parts of it in columns of their own. */
export interface RowSlices {
  readonly bytes: Uint8Array
  /** For each row where it begins and ends, and then each of its parts; -1 twice for null. */
  readonly offsets: Int32Array
  readonly parts: readonly SlicePart[]
  /** The column of the whole row. */
  readonly whole: string
  /** Columns of numbers that are not in the buffer, and each row's numbers. */
  readonly numbered: readonly string[]
  readonly numbersOf: (row: number) => readonly number[]
}

/** A column that values are inserted into. */
export interface Part {
  readonly name: string
  readonly kind: ColumnKind
}

/** A column whose values are slices. */
export interface SlicePart extends Part {
  /** The value of a slice, where it is not what the slice says. */
  readonly read?: (bytes: Buffer, from: number, to: number) => string | number
}

export interface ReadOptions {
  /**
   * Whether the read fails with `QueryTimeoutError` when a query turns out to be slow: what it reads can
   * also be read in steps. Otherwise such a query has the whole time of a request.
   */
  readonly isBrief?: boolean
}

/** The queries of one long read, run one after the other. */
export interface Steps {
  /**
   * Runs one query. Other work has its turn after each. Fails with `QueryTimeoutError` once the read
   * has taken longer than a query may, and with `ReadCancelledError` once it is cancelled.
   */
  all(query: Query): Promise<readonly Row[]>
  /** How long one query should take: longer ones delay others, shorter ones cost too much each. */
  readonly stepMs: number
  /** How long the last query took. */
  readonly tookMs: number
}

export interface StepsOptions {
  /**
   * How long the read may take in all, instead of the time of a query. Each read keeps a state, and
   * with it the room of what was replaced since.
   */
  readonly timeMs?: number
  /** Whether the caller limits how many such reads there are; otherwise they wait for room. */
  readonly hasRoom?: boolean
}

/** Whether what is read is no longer wanted, as when the client has closed its connection. */
export type IsCancelled = () => boolean

/** Notices commits, of this and of other processes. */
export interface CommitListener {
  /**
   * Whether `onCommit` has been called for everything committed. If not, it is called at once; until
   * it is done, and whenever that cannot be known, the result is false.
   */
  isCurrent(): boolean
  close(): Promise<void>
}

/**
 * What a writer keeps other writers away from, on an engine that allows several:
 * - all records: for migrations, settings, and the records that every owner may refer to;
 * - the records of one owner, while other owners' records may be written too. It waits for a writer
 *   of all records, and such a writer waits for it;
 * - keys, which have a lock of their own, so that a key can be revoked while an import runs;
 * - the queue of batches, so that one can be accepted while an import runs;
 * - nothing but the rows that are written, for states of sources: those change while an import runs.
 */
export type WriteLock = 'records' | 'keys' | 'queue' | 'states' | { readonly owner: string }

/**
 * One database. The promises that both engines keep, and the conformance suite tests:
 * - `read` runs all its queries against one and the same committed state;
 * - `write` is all or nothing, whatever happens to the process, and one writer of a lock at a time;
 * - readers never wait for a writer, and see its work only once it has been committed;
 * - a listener is notified of every commit of records before it is current again;
 * - a read has a time limit; a read in steps delays no other read, and ends at the next step once it
 *   is cancelled;
 * - texts compare and sort by their bytes;
 * - whatever prevents it from doing so is thrown as `DatabaseError`.
 */
export interface Database {
  readonly dialect: Dialect
  /**
   * Runs queries. With an owner, an engine that can hides the rows of every other owner, except the
   * shared ones. Without one, the queries are not those of a request, and see everything.
   */
  read(queries: readonly Query[], owner?: number, options?: ReadOptions): Promise<Results>
  /**
   * Reads in several steps from one state, for what may take long: the queries depend on each
   * other, or each covers a part of what is read. The same rows are visible as with `read`.
   */
  readInSteps<T>(
    owner: number,
    isCancelled: IsCancelled | undefined,
    work: (steps: Steps) => Promise<T>,
    options?: StepsOptions,
  ): Promise<T>
  write<T>(work: (session: Session) => Promise<T>, lock?: WriteLock): Promise<T>
  /** Lets a long piece of work read one and the same state, however long it takes. */
  snapshot<T>(work: (all: (query: Query) => Promise<readonly Row[]>) => Promise<T>): Promise<T>
  /** Calls `onCommit` once at first and then whenever records may have been committed. */
  listen(onCommit: () => Promise<void>): Promise<CommitListener>
  /** All tables, with their columns in order. */
  tables(): Promise<ReadonlyMap<string, readonly string[]>>
  /** The names of all indexes. */
  indexes(): Promise<ReadonlySet<string>>
  /**
   * Gives room that is not in use back to the file system, where the engine does not do so by itself.
   * This may take as long and as much room as writing everything again. Readers are not blocked.
   */
  reclaimSpace(): Promise<void>
  /**
   * Makes the indexes of a table dense again to which many rows were added, where the engine leaves
   * room in them. Fails with `DatabaseBusyError` where the table is in use by others, and leaves its
   * indexes as they are. Readers do not wait for longer than a moment.
   */
  compactIndexes(table: string): Promise<void>
  /** The engine's own words on how it would run a query. */
  explain(query: Query): Promise<readonly string[]>
  /** Throws `DatabaseError` with the reason if requests cannot be served from here. */
  checkServing(): Promise<void>
  close(): Promise<void>
}

/** The database cannot be reached, is too slow, or cannot do its work; the cause says why. */
export class DatabaseError extends Error {}

/** The database cannot be reached at the moment, or does not accept connections yet. */
export class DatabaseUnreachableError extends DatabaseError {}

/** A read has taken longer than it may. */
export class QueryTimeoutError extends DatabaseError {}

/** A read was ended because its result is no longer wanted. */
export class ReadCancelledError extends DatabaseError {}

/** A lock that a writer needs was held by others for longer than it waits. */
export class DatabaseBusyError extends DatabaseError {}

/** The database does not exist, and a command that only reads does not create it. */
export class DatabaseMissingError extends DatabaseError {
  constructor(where: string) {
    super(
      `There is no database at ${where}. Check DATABASE_URL, and the folder that the command is run in. A new one is created by serve, demo, and brands add.`,
    )
  }
}

/** An identifier in any dialect. Names come from the contract, never from a request. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text in any dialect. Texts come from the contract, never from a request. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
