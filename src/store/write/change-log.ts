import { type Database, type Dialect, type Query, quote, type Session } from '#database'
import { asInteger, fieldsTable, nextChange, type StoreTable } from '../schema/collection-stats.ts'
import type { Table } from '../schema/tables.ts'
import { removalsName, stagedName } from './staging.ts'

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

const key = identityColumns.map(quote).join(', ')

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
  primary key ("owner", "collection", ${key})
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
      `on "${changesTable}" ("owner", "change", "collection", ${key}, "removed")`,
    ].join('\n'),
  },
  collection: {
    name: `${changesTable}__collection`,
    ddl: [
      `create index "${changesTable}__collection"`,
      `on "${changesTable}" ("owner", "collection", "change", ${key}, "removed")`,
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

/** Records which records a transaction changes. */
export interface Recorder {
  /**
   * Everything that is staged has been stored, and everything in the removals has been deleted. Where
   * rows were stored without being staged, `added` selects them: a table with conditions, in which ?1
   * is the owner.
   */
  record(table: Table, owner: number, added?: string): Promise<void>
}

export const createRecorder = (session: Session, dialect: Dialect): Recorder => {
  /** The number that changes are recorded under; null where nothing is recorded. */
  let number: Promise<number | null> | undefined

  const begin = async (): Promise<number | null> => {
    if (!(await isRecording((query) => session.all(query)))) return null
    // Committed at once, so that the writers of other owners do not wait for the end of this one.
    return session.autonomous(async (autonomous) => {
      const own = await nextChange(autonomous, dialect)
      await autonomous.run(storeNumber(own))
      return own
    })
  }

  return {
    record: async (table, owner, added = `${quote(stagedName(table))}\nwhere true`) => {
      number ??= begin()
      const own = await number
      if (own === null) return
      for (const [source, removed] of [
        [added, 0],
        [`${quote(removalsName(table))}\nwhere true`, 1],
      ] as const) {
        await session.run({
          text: [
            insertInto,
            `select ${asInteger('?1', dialect)}, ?2, ${identityOf(table, dialect)},`,
            `${asInteger('?3', dialect)}, ${removed}`,
            `from ${source}`,
            `order by ${table.key.map(({ name }) => dialect.orderKey(quote(name))).join(', ')}`,
            `on conflict ("owner", "collection", ${key}) do update`,
            'set "change" = excluded."change", "removed" = excluded."removed"',
          ].join('\n'),
          values: [owner, table.resource.path, own],
        })
      }
    },
  }
}

/** Makes a database record changes, beginning with every stored record. Has no effect the second time. */
export const beginRecording = async (
  database: Database,
  tables: ReadonlyMap<string, Table>,
  log: (sentence: string) => void,
): Promise<void> => {
  const { dialect } = database
  if (await isRecording(async (query) => (await database.read([query]))[0] ?? [])) return
  await database.write(async (session) => {
    // Another process may have begun while this one waited for the write lock.
    if (await isRecording((query) => session.all(query))) return
    log('The change feed is being created: every record is added to it once.')
    const run = (text: string) => session.run({ text, values: [] })
    const number = await nextChange(session, dialect)
    await session.run(storeNumber(number))
    // Nothing reads the log yet, and an index over existing rows is created faster.
    for (const { name } of Object.values(changeIndexes)) await run(`drop index ${quote(name)}`)
    let records = 0
    for (const table of tables.values()) {
      records += await session.run({
        text: [
          insertInto,
          `select "owner", ?1, ${identityOf(table, dialect)}, ${asInteger('?2', dialect)}, 0`,
          `from ${quote(table.name)}`,
        ].join('\n'),
        values: [table.resource.path, number],
      })
    }
    for (const { ddl } of Object.values(changeIndexes)) await run(ddl)
    await session.run({
      text: [
        `insert into "${fieldsTable}" ("collection", "fields")`,
        'values (?1, ?2)',
        'on conflict do nothing',
      ].join('\n'),
      values: [recordingMark, '[]'],
    })
    log(`The change feed has begun with ${records.toLocaleString('en')} records.`)
  })
}

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

const insertInto = `insert into "${changesTable}" ("owner", "collection", ${key}, "change", "removed")`

const isRecording = async (
  all: (query: Query) => Promise<readonly (readonly unknown[])[]>,
): Promise<boolean> => {
  const [row] = await all(newestNumber)
  return (row?.[0] ?? null) !== null
}

const storeNumber = (number: number): Query => ({
  text: `insert into "${numbersTable}" ("change") values (?1) on conflict do nothing`,
  values: [number],
})

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
