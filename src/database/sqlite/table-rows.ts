import { DatabaseSync } from 'node:sqlite'
import { type ColumnKind, type Part, quote, type Row, type SqlValue } from '../database.ts'
import { nameOf } from '../row-slices.ts'
import { decodeDecimal } from './decimal-key.mjs'
import { guarded } from './errors.ts'

/** The tables of a SQLite file that nothing else uses. */
export interface SqliteTables {
  readonly tables: ReadonlyMap<string, readonly string[]>
  /**
   * All rows of a table, in any order. They hold identifiers and decimals as text, as
   * `Session.bulkInsert` takes them. Read one table after the other.
   */
  rows(table: string, columns: readonly (string | Part)[]): Iterable<Row>
  close(): void
}

export const openSqliteTables = (file: string): SqliteTables =>
  guarded(() => {
    const connection = new DatabaseSync(file, { readOnly: true })
    const names = connection
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .all()
    const columnsOf = connection.prepare('select name from pragma_table_info(?1) order by cid')
    return {
      tables: new Map(
        names.map(({ name }) => [
          String(name),
          columnsOf.all(String(name)).map((column) => String(column['name'])),
        ]),
      ),
      rows: (table, columns) => {
        const statement = connection.prepare(
          `select ${columns.map((column) => quote(nameOf(column))).join(', ')} from ${quote(table)}`,
        )
        statement.setReturnArrays(true)
        const readers = columns.map((column) =>
          typeof column === 'string' ? undefined : textReaders[column.kind],
        )
        const text = (cell: SqlValue, index: number) =>
          cell === null ? null : (readers[index]?.(cell as Uint8Array) ?? cell)
        return (statement.iterate() as unknown as IteratorObject<Row>).map((row) => row.map(text))
      },
      close: () => connection.close(),
    }
  })

const textReaders: { readonly [kind in ColumnKind]?: (bytes: Uint8Array) => string } = {
  decimal: decodeDecimal,
  uuid: (bytes) =>
    Buffer.from(bytes)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
}
