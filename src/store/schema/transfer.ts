import { type Dialect, literal, quote } from '#database'
import { changeIndexes, changesTable, changeTables, identityColumns } from './change-tables.ts'
import { statsTables, versionIndex } from './collection-stats.ts'
import { slugColumn } from './layout.ts'
import { valueInBody } from './migrate.ts'
import {
  type Column,
  createIndex,
  createTable,
  prefixText,
  storedValue,
  type Table,
} from './tables.ts'

/** How a table of storage layout 1 becomes the table of the same name in layout 2. */
export interface Transfer {
  readonly name: string
  /** For the log: the collection, or the other content of the table. */
  readonly label: string
  /** The primary key in layout 1. All its columns are texts. */
  readonly key: readonly string[]
  /** Creates the table in layout 2. */
  readonly ddl: string
  readonly indexes: readonly { readonly name: string; readonly ddl: string }[]
  /** Columns of the new table, and their values for a row `t` of the old one. Others stay null. */
  readonly values: readonly ColumnValue[]
}

type ColumnValue = readonly [column: string, value: string]

/** The columns of a database in layout 1. */
export interface Layout1 {
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** Columns such as `orders.status` that a migration has added but not filled yet. */
  readonly unfilled: ReadonlySet<string>
}

/** The existing tables with rows of owners, which must be converted. */
export const transfersOf = (
  layout1: Layout1,
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
): readonly Transfer[] =>
  [
    ...storeTransfers(tables, dialect),
    ...[...tables.values()].map((table) => recordTransfer(table, layout1, dialect)),
  ].filter(({ name }) => layout1.columns.has(name))

/** Columns that layout 1 lacks or has not filled. They are filled from the records. */
export const newLookups = ({ columns, unfilled }: Layout1, table: Table): readonly Column[] =>
  table.lookups.filter(
    ({ name }) => !columns.get(table.name)?.includes(name) || unfilled.has(`${table.name}.${name}`),
  )

const recordTransfer = (table: Table, layout1: Layout1, dialect: Dialect): Transfer => {
  const [ddl = ''] = createTable(table, dialect)
  const filled = newLookups(layout1, table)
  const converted = (column: Column): ColumnValue => {
    const stored = `t.${quote(column.name)}`
    const value = column.kind === 'prefix' ? prefixText(stored) : stored
    return [
      column.name,
      filled.includes(column) ? valueInBody(column, dialect) : storedValue(column, value, dialect),
    ]
  }
  return {
    name: table.name,
    label: table.resource.path,
    key: [slugColumn, ...table.key.map(({ name }) => name)],
    ddl,
    indexes: table.indexes
      .filter(({ columns: [leading] }) => !table.sorts.some(({ name }) => name === leading))
      .map((index) => ({ name: index.name, ddl: createIndex(table, index) })),
    values: [ownerValue, ...[...table.key, ...table.lookups].map(converted), same('body')],
  }
}

const storeTransfers = (
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
): readonly Transfer[] => {
  const definitions = [...statsTables(dialect), ...changeTables(dialect)]
  const ddlOf = (name: string) => definitions.find((each) => each.name === name)?.ddl ?? ''
  return [
    {
      name: 'selvedge_collections',
      label: 'the versions and totals of collections',
      key: [slugColumn, 'collection'],
      ddl: ddlOf('selvedge_collections'),
      indexes: [versionIndex],
      values: [ownerValue, ...['collection', 'version', 'total'].map(same)],
    },
    {
      name: 'selvedge_totals',
      label: 'the totals of filter values',
      key: [slugColumn, 'collection', 'filter', 'value'],
      ddl: ddlOf('selvedge_totals'),
      indexes: [],
      values: [ownerValue, ...['collection', 'filter', 'value', 'total'].map(same)],
    },
    {
      name: changesTable,
      label: 'the change log',
      key: [slugColumn, 'collection', ...identityColumns],
      ddl: ddlOf(changesTable),
      indexes: Object.values(changeIndexes),
      values: [
        ownerValue,
        same('collection'),
        ...identityColumns.map((_, part) => identityValue(part, tables, dialect)),
        ...['change', 'removed'].map(same),
      ],
    },
  ]
}

/** The owners table already names every owner. */
const ownerValue: ColumnValue = [
  'owner',
  `(select o."owner" from "selvedge_owners" as o where o."slug" = t.${quote(slugColumn)})`,
]

const same = (column: string): ColumnValue => [column, `t.${quote(column)}`]

/** A part of an identity in the change log: an identifier or a text, depending on the collection. */
const identityValue = (
  part: number,
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
): ColumnValue => {
  const name = identityColumns[part] ?? ''
  const text = `t.${quote(name)}`
  const ofText = dialect.keyBytes(text, 'text')
  const collections = [...tables.values()]
    .filter(({ key }) => key[part]?.kind === 'uuid')
    .map(({ resource }) => literal(resource.path))
  if (collections.length === 0) return [name, ofText]
  const isIdentifier = `t."collection" in (${collections.join(', ')})`
  const ofIdentifier = dialect.keyBytes(dialect.uuid(text), 'uuid')
  return [name, `case when ${isIdentifier} then ${ofIdentifier} else ${ofText} end`]
}
