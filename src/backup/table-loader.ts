import {
  type Database,
  type Dialect,
  type Part,
  quote,
  type Row,
  type Session,
  typedTables,
} from '#database'
import { BackupError } from './backup-error.ts'
import { type ColumnType, cellReaders } from './copy-text.ts'
import { isBackedUp } from './postgres-source.ts'

/** A database with the tables of this version, in a transaction. */
export interface LoadedDatabase {
  readonly database: Database
  readonly session: Session
}

/** A table of a backup: its columns, with their types on PostgreSQL. */
export interface LoadedTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** Replaces the rows of all tables by those of a backup. */
export interface TableLoader {
  /**
   * Empties all tables. Removes tables and columns that the backup does not have, and adds tables that
   * only the backup has: a migration completes the ones and converts the others. Throws `BackupError`
   * if the backup has columns that this version does not know.
   */
  begin(tables: readonly LoadedTable[]): Promise<void>
  /** Adds rows, with identifiers and decimals as texts. */
  insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void>
  /** Adds rows whose cells are texts. */
  insertText(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly (string | null)[]>,
  ): Promise<void>
  /** Creates the indexes, which take less time after the rows than with them. */
  finish(): Promise<void>
}

/** The databases of an installation. On PostgreSQL they are one. */
export interface LoadedDatabases {
  readonly records: LoadedDatabase
  readonly keys: LoadedDatabase
  readonly queue: LoadedDatabase
}

/** Several files of SQLite have an outbox of the audit log. All rows go to that of the keys. */
export const createTableLoader = async (databases: LoadedDatabases): Promise<TableLoader> => {
  const places = new Map<string, LoadedDatabase>()
  const present = new Map<string, readonly string[]>()
  for (const place of [databases.keys, databases.queue, databases.records]) {
    for (const [name, columns] of await place.database.tables()) {
      if (!isBackedUp(name) || places.has(name)) continue
      places.set(name, place)
      present.set(name, columns)
    }
  }
  const types = new Map<string, ReadonlyMap<string, ColumnType>>()
  const indexes: { readonly place: LoadedDatabase; readonly ddl: string }[] = []
  const run = ({ session }: LoadedDatabase, text: string) => session.run({ text, values: [] })
  const placeOf = (table: string) => places.get(table) as LoadedDatabase
  const typeOf = (table: string, column: string) => types.get(table)?.get(column) as ColumnType

  const refuseNewer = (tables: readonly LoadedTable[]) => {
    if (
      tables.some(
        ({ name, columns }) => name === 'selvedge_collections' && columns[0]?.name === 'brand',
      )
    ) {
      throw new BackupError(
        'The backup has an earlier storage layout. Nothing was restored. Start this version once with the database that it was made of, which converts it, and make another backup.',
      )
    }
    const additions = tables.flatMap(({ name, columns }) => {
      const own = present.get(name)
      return columns
        .filter((column) => own?.includes(column.name) === false || !(column.type in cellReaders))
        .map((column) => `${name}.${column.name}`)
    })
    if (additions.length === 0) return
    const more = additions.length > 3 ? ` and ${additions.length - 3} more` : ''
    throw new BackupError(
      `The backup was made by a newer version of Selvedge, which has ${additions.slice(0, 3).join(', ')}${more}. Nothing was restored. Upgrade this program, then try again.`,
    )
  }

  return {
    begin: async (tables) => {
      refuseNewer(tables)
      const wanted = new Map(tables.map((table) => [table.name, table]))
      for (const table of tables.filter(({ name }) => !present.has(name))) {
        const place = table.name.startsWith('selvedge_queue') ? databases.queue : databases.records
        await run(place, createText(table, place.database.dialect))
        places.set(table.name, place)
        types.set(table.name, typesOf(table))
      }
      for (const [name, columns] of present) {
        const place = placeOf(name)
        const table = wanted.get(name)
        if (!table) {
          await run(place, `drop table ${quote(name)}`)
          continue
        }
        types.set(name, typesOf(table))
        const missing = columns.filter((each) => !types.get(name)?.has(each))
        for (const { ddl, name: index } of await readIndexes(place, name)) {
          await run(place, `drop index ${quote(index)}`)
          // The migration that adds a column also creates its indexes.
          if (!missing.some((column) => isIndexed(ddl, column))) indexes.push({ place, ddl })
        }
        await empty(place, name)
        for (const column of missing) {
          await run(place, `alter table ${quote(name)} drop column ${quote(column)}`)
        }
      }
    },
    insert: (table, columns, rows) =>
      placeOf(table).session.bulkInsert(
        table,
        columns.map((name) => partOf(name, typeOf(table, name))),
        rows,
      ),
    insertText: (table, columns, rows) => {
      const readers = columns.map((name) => cellReaders[typeOf(table, name)])
      const read = function* () {
        for (const row of rows) {
          yield row.map((cell, index) => (cell === null ? null : (readers[index]?.(cell) ?? null)))
        }
      }
      const parts = columns.map((name) => partOf(name, typeOf(table, name)))
      return placeOf(table).session.bulkInsert(table, parts, read())
    },
    finish: async () => {
      for (const { place, ddl } of indexes) await run(place, ddl)
      for (const [name, place] of places) {
        if (!types.has(name)) continue
        for (const text of place.database.dialect.gatherStatistics(name)) await run(place, text)
      }
    },
  }
}

const typesOf = ({ columns }: LoadedTable): ReadonlyMap<string, ColumnType> =>
  new Map(columns.map(({ name, type }) => [name, type as ColumnType]))

/** A table of an earlier version. The migration that reads it needs no index. */
const createText = ({ name, columns }: LoadedTable, { name: engine, types }: Dialect): string => {
  const typeOf = (type: string) =>
    engine === 'postgres' ? type : { uuid: types.uuid, numeric: types.decimal, bytea: 'blob' }[type]
  return `create table ${quote(name)} (${columns
    .map((column) => `${quote(column.name)} ${typeOf(column.type) ?? column.type}`)
    .join(', ')})`
}

export const partOf = (name: string, type: string): string | Part => {
  if (type === 'uuid') return { name, kind: 'uuid' }
  return type === 'numeric' ? { name, kind: 'decimal' } : name
}

/** The audit log refuses every deletion, and is empty. */
const empty = async ({ session }: LoadedDatabase, table: string): Promise<void> => {
  const [row] = await session.all({ text: `select 1 from ${quote(table)} limit 1`, values: [] })
  if (row) await session.run({ text: `delete from ${quote(table)}`, values: [] })
}

const isIndexed = (ddl: string, column: string): boolean =>
  ddl.slice(ddl.indexOf('(')).match(/\w+/g)?.includes(column) ?? false

/** The indexes of a table other than those of its constraints. */
const readIndexes = async (
  { database, session }: LoadedDatabase,
  table: string,
): Promise<readonly { readonly name: string; readonly ddl: string }[]> => {
  const rows = await session.all({
    text:
      database.dialect.name === 'sqlite'
        ? `select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name = ?1`
        : [
            'select c.relname, pg_get_indexdef(i.indexrelid)',
            'from pg_index as i join pg_class as c on c.oid = i.indexrelid',
            "where i.indrelid = to_regclass('public.' || quote_ident(?1))",
            'and not exists (select from pg_constraint as k where k.conindid = i.indexrelid)',
          ].join('\n'),
    values: [table],
  })
  return rows.map(([name, ddl]) => ({ name: String(name), ddl: String(ddl) }))
}

/** The tables of a PostgreSQL database in a transaction, of those that a backup can have. */
export const postgresTables = async ({
  session,
}: LoadedDatabase): Promise<ReadonlyMap<string, LoadedTable>> =>
  new Map(
    (await typedTables(session))
      .filter(({ name }) => isBackedUp(name))
      .map((table) => [table.name, table]),
  )
