import type { Cell, ForeignKey } from '#mapping'
import type { Snapshot, SourceDialect } from './source-database.ts'

/** The queries of an engine that tell its tables. */
export interface SchemaQueries {
  /** For each table that can be read: what the other queries call it, its name, and its name in a query. */
  readonly tables: (tablesMax: number) => string
  /** For each column of tables: the table, its name, its type, whether it is never null, and whether every change sets it. */
  readonly columns: (tables: string) => string
  /** For each column of a primary or foreign key: the table, the key's name, the column, and what it refers to. */
  readonly keys: (tables: string) => string
  /** The beginning of a long text. */
  readonly beginning: (column: string, length: number) => string
}

/** A table of a source database. */
export interface SchemaTable {
  readonly name: string
  /** As a query names it. */
  readonly sqlName: string
  readonly columns: readonly SchemaColumn[]
  readonly primaryKey: readonly string[]
  readonly foreignKeys: readonly ForeignKey[]
}

export interface SchemaColumn {
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
  /** Whether the database sets it with every change of the row. */
  readonly isTouched: boolean
}

interface Schema {
  readonly tables: readonly SchemaTable[]
  /** Tables that were wanted, and are more than those. */
  readonly leftOut: number
}

/** Maximum number of table names that are compared. */
const namesMax = 20_000

/** The tables of a database with these names, up to a maximum number. */
export const readSchema = async (
  snapshot: Snapshot,
  { schema, literal }: SourceDialect,
  { isWanted, tablesMax }: { isWanted: (table: string) => boolean; tablesMax: number },
): Promise<Schema> => {
  const all = async (sql: string) => {
    const rows: (readonly Cell[])[] = []
    for await (const batch of (await snapshot.query(sql)).batches) rows.push(...batch)
    return rows
  }
  const names = (await all(schema.tables(namesMax))).map((row) => row.map(String))
  const wanted = names.filter(([, name = '']) => isWanted(name))
  const chosen = wanted.slice(0, tablesMax)
  if (chosen.length === 0) return { tables: [], leftOut: 0 }
  const ids = chosen.map(([id = '']) => literal(id)).join(', ')
  const columns = Map.groupBy(await all(schema.columns(ids)), ([table]) => String(table))
  const keys = Map.groupBy(await all(schema.keys(ids)), ([table]) => String(table))
  const nameOf = new Map(names.map(([id = '', name = '']) => [id, name]))
  return {
    leftOut: wanted.length - chosen.length,
    tables: chosen.map(([id = '', name = '', sqlName = '']) => {
      const constraints = [
        ...Map.groupBy(keys.get(id) ?? [], ([, constraint]) => String(constraint)).values(),
      ]
      const isForeign = ([first]: readonly (readonly Cell[])[]) => (first?.[4] ?? null) !== null
      const own = (rows: readonly (readonly Cell[])[]) => rows.map((row) => String(row[2]))
      return {
        name,
        sqlName,
        columns: (columns.get(id) ?? []).map(([, column, type, isRequired, isTouched]) => ({
          name: String(column),
          type: String(type).toLowerCase(),
          isNullable: !isRequired,
          isTouched: Boolean(isTouched),
        })),
        primaryKey: own(constraints.find((rows) => !isForeign(rows)) ?? []),
        foreignKeys: constraints.filter(isForeign).map((rows) => ({
          columns: own(rows),
          table: nameOf.get(String(rows[0]?.[3])) ?? '',
          to: rows.map((row) => String(row[4])),
        })),
      }
    }),
  }
}
