import type { Cell, ForeignKey } from '#mapping'
import type { Snapshot, SourceDialect } from './source-database.ts'

/** The queries of an engine that tell its tables. */
export interface SchemaQueries {
  /**
   * For each table that can be read: what the other queries call it, its schema, its name, its name
   * in a query, whether it is found without its schema, whether it is a view, and about how many
   * rows it has, or null.
   */
  readonly tables: (tablesMax: number) => string
  /** For each column of tables: the table, its name, its whole type, whether it is never null, and whether every change sets it. */
  readonly columns: (tables: string) => string
  /** For each column of a foreign key: the table, the key's name, the column, and what it refers to. */
  readonly foreignKeys: (tables: string) => string
  /** For each column of a unique key: the table, the key's name, the column, and whether it is the primary key. */
  readonly uniqueKeys: (tables: string) => string
  /** The beginning of a long text. */
  readonly beginning: (column: string, length: number) => string
}

/** A table of a source database. */
export interface SchemaTable extends NamedTable {
  /** As a query names it. */
  readonly sqlName: string
  readonly isView: boolean
  /** About how many rows it has, if the database knows. */
  readonly rowCount: number | null
  readonly columns: readonly SchemaColumn[]
  readonly primaryKey: readonly string[]
  /** Other unique keys. */
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly foreignKeys: readonly ForeignKey[]
}

/** A table by its names. */
export interface NamedTable {
  /** With the schema, unless it is found without. */
  readonly name: string
  readonly schema: string
  /** The name without the schema. */
  readonly title: string
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

/**
 * The tables of a database that are wanted, up to a maximum number. A view repeats rows of tables:
 * `choose` decides which ones are read.
 */
export const readSchema = async (
  snapshot: Snapshot,
  { schema, literal }: SourceDialect,
  { choose, tablesMax }: { choose: ChooseTables; tablesMax: number },
): Promise<Schema> => {
  const all = async (sql: string) => {
    const rows: (readonly Cell[])[] = []
    for await (const batch of (await snapshot.query(sql)).batches) rows.push(...batch)
    return rows
  }
  const listed = (await all(schema.tables(namesMax))).map(listedTable)
  const wanted = choose(listed)
  const chosen = wanted.slice(0, tablesMax)
  if (chosen.length === 0) return { tables: [], leftOut: 0 }
  const ids = chosen.map(({ id }) => literal(id)).join(', ')
  const byTable = async (sql: string) => Map.groupBy(await all(sql), ([table]) => String(table))
  const columns = await byTable(schema.columns(ids))
  const unique = await byTable(schema.uniqueKeys(ids))
  const foreign = await byTable(schema.foreignKeys(ids))
  const nameOf = new Map(listed.map(({ id, name }) => [id, name]))
  return {
    leftOut: wanted.length - chosen.length,
    tables: chosen.map(({ id, ...table }) => {
      const keys = constraintsOf(unique.get(id) ?? [])
      const isPrimary = ([first]: readonly (readonly Cell[])[]) => Boolean(first?.[3])
      return {
        ...table,
        columns: (columns.get(id) ?? []).map(([, column, type, isRequired, isTouched]) => ({
          name: String(column),
          type: String(type).toLowerCase(),
          isNullable: !isRequired,
          isTouched: Boolean(isTouched),
        })),
        primaryKey: ownColumns(keys.find(isPrimary) ?? []),
        uniqueKeys: keys.filter((rows) => !isPrimary(rows)).map(ownColumns),
        foreignKeys: constraintsOf(foreign.get(id) ?? []).map((rows) => ({
          columns: ownColumns(rows),
          table: nameOf.get(String(rows[0]?.[3])) ?? '',
          to: rows.map((row) => String(row[4])),
        })),
      }
    }),
  }
}

type ListedTable = Pick<SchemaTable, 'sqlName' | 'isView' | 'rowCount'> &
  NamedTable & { readonly id: string }

/** The tables of a list that are read, in its order. */
export type ChooseTables = <Table extends NamedTable & { readonly isView: boolean }>(
  tables: readonly Table[],
) => readonly Table[]

const listedTable = (row: readonly Cell[]): ListedTable => {
  const [id, schema, title, sqlName] = row.map(String) as [string, string, string, string]
  const [, , , , isVisible, isView, rows] = row
  return {
    ...{ id, schema, title, sqlName },
    name: isVisible ? title : `${schema}.${title}`,
    isView: Boolean(isView),
    rowCount: rows === null || rows === undefined || Number(rows) < 0 ? null : Number(rows),
  }
}

/** The rows of each key, in the order of its columns. */
const constraintsOf = (rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[][] => [
  ...Map.groupBy(rows, ([, constraint]) => String(constraint)).values(),
]

const ownColumns = (rows: readonly (readonly Cell[])[]): readonly string[] =>
  rows.map((row) => String(row[2]))
