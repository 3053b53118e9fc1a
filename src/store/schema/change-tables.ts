import { type Dialect, type Query, quote, type Session } from '#database'
import type { StoreTable } from './collection-stats.ts'
import type { Table } from './tables.ts'

/**
 * The change log: for each record, also a removed one, the number of its last change; and every
 * number that was given to a change. A record has one row however often it changes. Rows are written
 * in the transaction that changes the records, and only in a database that records changes: one in
 * which the first number has been stored.
 *
 * A transaction takes its number before its first row, since every row has it. Transactions of
 * different brands run at the same time, so a lower number may be committed after a higher one. The
 * feed of a brand consists of its own changes and the shared ones, and their writers exclude each
 * other (`WriteLock`) from before the number is taken until it is committed. So in each feed the order
 * of the numbers is the order of the commits, and a reader never passes a change that is still to
 * come. The numbers themselves are stored at once, in order: a number below the newest that is not
 * stored belongs to a history that was lost with a restore, also on a replica that lags behind.
 */
export const changesTable = 'selvedge_changes'
export const numbersTable = 'selvedge_change_numbers'

/** An identity as it is stored here, whatever its collection: parts that it lacks are empty. */
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

/** Find the changes after a position, of all collections and of one. */
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
 * A row among the record fields of a database that records changes. A program from before the change
 * feed would change records without recording that; it finds a row that it does not know, and
 * refuses the database.
 */
export const recordingMark = 'changes'

/** Whether a database records changes. */
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

/** Records that every record of a collection, of every owner, was rewritten. */
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

/** The bytes of an identity, padded with empty ones. */
export const identityOf = ({ resource, key: columns }: Table, dialect: Dialect): string => {
  if (columns.length > identityColumns.length) {
    throw new RangeError(
      `${resource.path} is identified by more fields than the change log has columns for.`,
    )
  }
  return identityColumns
    .map((_, index) => {
      const column = columns[index]
      return column
        ? dialect.keyBytes(quote(column.name), column.kind)
        : dialect.keyBytes("''", 'text')
    })
    .join(', ')
}
