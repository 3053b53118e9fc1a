import { type Dialect, type Query, quote, type Session } from '#database'
import type { StoreTable } from './collection-stats.ts'
import type { Table } from './tables.ts'

/**
 * The change log: for each record, including removed ones, the number of its last change, and every
 * number ever given to a change. A record has one row however often it changes. The transaction
 * that changes the records writes the rows, and only in a database that records changes: one with
 * at least one stored number.
 *
 * A transaction takes its number before its first row, because every row contains it. Transactions
 * of different brands run concurrently, so a lower number may be committed after a higher one. The
 * feed of a brand consists of its changes and the shared ones. Their writers exclude each other
 * (`WriteLock`) from before a number is taken until it is committed. So within each feed, numbers
 * are in commit order, and a reader never skips a pending change. The numbers themselves are stored
 * at once, in order. A number below the newest that is not stored belongs to a history that a
 * restore has discarded, even on a lagging replica.
 *
 * Rows of a negated owner do not count as changes, and feeds do not read them: they name records that
 * a later write left as they were, for units that may be retried (`holdRewrites`).
 */
export const changesTable = 'selvedge_changes'
export const numbersTable = 'selvedge_change_numbers'

/** The columns of an identity, the same for every collection. Missing parts are empty. */
export const identityColumns = ['key1', 'key2', 'key3'] as const

/** The columns of an identity, as a list in a statement. */
export const identityList = identityColumns.map(quote).join(', ')

export const changeTables = (dialect: Dialect): readonly StoreTable[] => {
  const { text, integer, blob, tableOptions } = dialect
  return [
    {
      name: changesTable,
      rows: 'owner',
      ddl: `create table "${changesTable}" (
  "owner" ${integer} not null,
  "collection" ${text} not null,
  ${identityColumns.map((name) => `"${name}" ${blob} not null,`).join('\n  ')}
  "change" ${integer} not null,
  "removed" ${integer} not null,
  primary key ("owner", "collection", ${identityList})
)${tableOptions}`,
    },
    {
      name: numbersTable,
      rows: 'all',
      ddl: `create table "${numbersTable}" ("change" ${integer} primary key)`,
    },
  ]
}

/** Find the changes after a position, of all collections or of one. */
export const changeIndexes = {
  all: {
    name: `${changesTable}__all`,
    ddl: [
      `create index "${changesTable}__all"`,
      `on "${changesTable}" ("owner", "change", "collection", ${identityList}, "removed")`,
    ].join('\n'),
  },
  collection: {
    name: `${changesTable}__collection`,
    ddl: [
      `create index "${changesTable}__collection"`,
      `on "${changesTable}" ("owner", "collection", "change", ${identityList}, "removed")`,
    ].join('\n'),
  },
} as const

/** The newest number; null in a database that does not record changes. */
export const newestNumber: Query = {
  text: `select max("change") from "${numbersTable}"`,
  values: [],
}

/**
 * A row among the record fields of a database that records changes. A program older than the change
 * feed would change records without recording it. It finds this unknown row and rejects the
 * database.
 */
export const recordingMark = 'changes'

export const isRecording = async (
  all: (query: Query) => Promise<readonly (readonly unknown[])[]>,
): Promise<boolean> => {
  const [row] = await all(newestNumber)
  return (row?.[0] ?? null) !== null
}

/** Stores a number that was given to a change. */
export const storeNumber = (number: number): Query => ({
  text: `insert into "${numbersTable}" ("change") values (?1) on conflict do nothing`,
  values: [number],
})

/** Records that every record of a collection was rewritten, for every owner. */
export const recordRewritten = async (
  session: Session,
  collection: string,
  number: number,
): Promise<void> => {
  if (!(await isRecording((query) => session.all(query)))) return
  await session.run(storeNumber(number))
  await session.run({
    text: [
      `update "${changesTable}"`,
      'set "change" = ?2',
      'where "collection" = ?1 and "removed" = 0',
    ].join('\n'),
    values: [collection, number],
  })
}

/** Stands for all identities of a collection that was replaced: no record has an empty one. */
export const everyIdentity = (dialect: Dialect): string =>
  identityColumns.map(() => dialect.keyBytes("''", 'text')).join(', ')

/** The bytes of an identity, padded with empty parts. */
export const identityOf = (
  { resource, key: columns }: Table,
  dialect: Dialect,
  alias?: string,
): string => {
  const prefix = alias === undefined ? '' : `${alias}.`
  if (columns.length > identityColumns.length) {
    throw new RangeError(
      `${resource.path} is identified by more fields than the change log has columns for.`,
    )
  }
  return identityColumns
    .map((_, index) => {
      const column = columns[index]
      return column
        ? dialect.keyBytes(prefix + quote(column.name), column.kind)
        : dialect.keyBytes("''", 'text')
    })
    .join(', ')
}
