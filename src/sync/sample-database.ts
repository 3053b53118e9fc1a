import { type Cell, proposeCursor, quoted, type SampleTable } from '#mapping'
import { declaredType } from './declared-type.ts'
import {
  type ColumnKind,
  type Snapshot,
  type SourceDatabase,
  SourceDatabaseError,
} from './source-database.ts'
import { type ChooseTables, readSchema, type SchemaTable } from './source-schema.ts'

export interface SampleOptions {
  /** Which tables are looked at. */
  readonly choose: ChooseTables
  readonly tablesMax: number
  /** Maximum number of rows that are read of each table. */
  readonly rowsMax: number
}

export interface DatabaseSample {
  readonly tables: readonly SampleTable[]
  /** How many tables were not looked at because there are too many. */
  readonly leftOut: number
  /** Tables whose rows could not be read, and why. */
  readonly unreadable: readonly { readonly table: string; readonly reason: string }[]
}

/** If this many tables cannot be read, the cause is the database. */
const unreadableMax = 3

/** The tables of a database with their keys and some of their rows, for a proposal. */
export const sampleDatabase = async (
  database: SourceDatabase,
  options: SampleOptions,
): Promise<DatabaseSample> => {
  const { tables, leftOut } = await database.snapshot((snapshot) =>
    readSchema(snapshot, database.dialect, options),
  )
  const samples: SampleTable[] = []
  const unreadable: DatabaseSample['unreadable'][number][] = []
  // A statement that fails ends its transaction: the tables after it are read in another one.
  for (let next = 0; next < tables.length; ) {
    try {
      await database.snapshot(async (snapshot) => {
        for (; next < tables.length; next += 1) {
          const table = tables[next] as SchemaTable
          samples.push(await sampleTable(snapshot, database, table, options.rowsMax))
        }
      })
    } catch (error) {
      if (!(error instanceof SourceDatabaseError) || unreadable.length >= unreadableMax) throw error
      unreadable.push({ table: tables[next]?.name ?? '', reason: error.message })
      next += 1
    }
  }
  return { tables: samples, leftOut, unreadable }
}

/** Long texts are cut, and bytes are left out: neither tells what a column means. */
const textLength = 1_000
const longTypes = /text|json|xml|character varying|varchar|\[\]$/
const binaryTypes = /^(bytea|\w*blob|(var)?binary|bit(?!\(1\)$)|geometry|tsvector|vector)/

const sampleTable = async (
  snapshot: Snapshot,
  { dialect }: SourceDatabase,
  table: SchemaTable,
  rowsMax: number,
): Promise<SampleTable> => {
  const columns = table.columns.filter(({ type }) => !binaryTypes.test(type))
  const expressions = columns.map(({ name, type }) => {
    const column = dialect.quote(name)
    return longTypes.test(type)
      ? `${dialect.schema.beginning(column, textLength)} as ${column}`
      : column
  })
  const rows: (readonly Cell[])[] = []
  let kinds: readonly ColumnKind[] = []
  if (columns.length > 0) {
    const sampled = await snapshot.query(
      [`select ${expressions.join(', ')}`, `from ${table.sqlName}`, `limit ${rowsMax}`].join('\n'),
    )
    kinds = sampled.columns.map(({ kind }) => kind)
    for await (const batch of sampled.batches) rows.push(...batch)
  }
  const cursor = proposeCursor(
    columns.map((column, index) => ({ ...column, kind: kinds[index] ?? 'text' })),
  )
  const settings = [
    `sql: ${quoted(`select * from ${table.sqlName}`)}`,
    ...(cursor ? [`cursor: ${quoted(cursor.column)}`] : []),
    ...(cursor?.isTime ? ['overlap: 10m'] : []),
  ]
  return {
    name: table.name,
    title: table.title,
    from: `{ ${settings.join(', ')} }`,
    joinFrom: `{ ${settings[0]} }`,
    fromNote: cursor ?? {
      certainty: 'open',
      note: 'no column grows with every change, so that all rows are read every time',
    },
    columns: columns.map(({ name }) => name),
    types: columns.map(declaredType),
    rows,
    // An estimate can be below what was read.
    rowCount:
      rows.length < rowsMax ? rows.length : table.rowCount && Math.max(table.rowCount, rowsMax),
    isView: table.isView,
    primaryKey: table.primaryKey,
    uniqueKeys: table.uniqueKeys,
    foreignKeys: table.foreignKeys,
  }
}
