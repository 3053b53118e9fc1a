import {
  type Catalog,
  type Field,
  type Filter,
  fieldAt,
  type Resource,
  type SortableKind,
  type Through,
} from '#contract'
import { type Dialect, type LookupKind, type Part, quote, type SortKind } from '#database'
import { prefixLength } from './comparable.ts'

/** A column with a value of the record, for lookups. */
export interface Column extends Part {
  /** The path of the value in the record. */
  readonly path: readonly string[]
  readonly kind: LookupKind
}

/** A column with a value of the record in a sortable form. */
export interface SortColumn extends Part {
  readonly path: readonly string[]
  readonly kind: SortKind
}

/** An index. Each begins with the owner and ends with the identity. */
export interface Index {
  readonly name: string
  readonly columns: readonly string[]
}

/**
 * A collection's table: the owner, the identity, the filter columns, and the record's JSON text,
 * ready to send.
 */
export interface Table {
  readonly name: string
  readonly resource: Resource
  readonly key: readonly Column[]
  /** The columns that filters use, without the identity, in order. */
  readonly lookups: readonly Column[]
  /** The columns for sorting and ranges, in order. */
  readonly sorts: readonly SortColumn[]
  readonly indexes: readonly Index[]
}

/** The values of a record's identity, in the order of its key. */
export type Key = readonly string[]

/** Deriving them takes milliseconds, and a process opens the store several times. */
const tablesByCatalog = new WeakMap<Catalog, ReadonlyMap<string, Table>>()

/** Every table of a catalog, by collection. */
export const tablesOf = (catalog: Catalog): ReadonlyMap<string, Table> => {
  const existing = tablesByCatalog.get(catalog)
  if (existing) return existing
  const tables = new Map(
    catalog.resources.map((resource) => [resource.path, tableOf(catalog, resource)]),
  )
  tablesByCatalog.set(catalog, tables)
  return tables
}

/** The names of a catalog's tables. */
export const tableNamesOf = (catalog: Catalog): ReadonlySet<string> =>
  new Set([...tablesOf(catalog).values()].map(({ name }) => name))

export const tableAt = (tables: ReadonlyMap<string, Table>, path: string): Table => {
  const table = tables.get(path)
  if (!table) throw new RangeError(`There is no table for ${path}.`)
  return table
}

export const tableOf = (catalog: Catalog, resource: Resource): Table => {
  const name = resource.path.replaceAll('-', '_')
  if (reservedGroups.includes(resource.path) || name.startsWith('selvedge_')) {
    throw new RangeError(
      `No group can be called ${resource.path}: the store uses that name itself.`,
    )
  }
  const key = resource.key.map((field) => keyColumnAt(resource, field))
  const own = resource.filters.flatMap((filter) =>
    filter.field === undefined ? [] : [columnAt(resource, filter.name, filter.field)],
  )
  const links = throughFiltersOver(catalog, resource)
  const ends = [
    ...links.flatMap(({ match, where }) => [match, where]),
    ...resource.filters.flatMap(({ through }) => (through ? [through.local] : [])),
  ].map((field) => columnAt(resource, field, field))
  const names = new Set(key.map((column) => column.name))
  const lookups = [...own, ...ends].filter((column) => {
    const isNew = !names.has(column.name)
    names.add(column.name)
    return isNew
  })
  const sorts = resource.sortable.map((field) => sortColumnAt(resource, field))
  refuseReserved(resource, [...key, ...lookups, ...sorts])
  const identity = key.map((column) => column.name)
  const index = (label: string, leading: readonly string[]): Index => ({
    name: `${name}__${label}`,
    columns: [...leading, ...identity.filter((column) => !leading.includes(column))],
  })
  return {
    name,
    resource,
    key,
    lookups,
    sorts,
    indexes: [
      ...own
        .filter((column) => column.name !== identity[0])
        .map((column) => index(column.name, [column.name])),
      ...links
        .filter(({ match, where }) => !startsLikeAnother(identity, own, where, match))
        .map(({ match, where }) => index(`${where}__${match}`, [where, match])),
      ...sorts.map((column) => index(column.name, [column.name])),
    ],
  }
}

/** Columns of the store itself; all others take their names from the contract. */
const reservedColumns = ['owner', 'body', 'staged_row', 'staged_source', 'staged_line']

/** Compares in lower case, because engines may ignore the case of names. */
const refuseReserved = ({ path }: Resource, columns: readonly Part[]): void => {
  const used = new Set(reservedColumns)
  for (const { name } of columns) {
    if (used.has(name.toLowerCase())) {
      throw new RangeError(
        `${path} cannot have a filter or an identity named ${name}: the store has a column of that name. Call the filter something else.`,
      )
    }
    used.add(name.toLowerCase())
  }
}

/** Names with another meaning among the record fields: see `recordingMark` and `searchMark`. */
const reservedGroups = ['changes', 'search']

/** The filters of other collections that look through this one. */
const throughFiltersOver = (catalog: Catalog, resource: Resource): readonly Through[] =>
  catalog.resources
    .flatMap(({ filters }) => filters.flatMap(({ through }) => (through ? [through] : [])))
    .filter(({ collection }) => collection === resource.path)

/** Whether another index already finds `match` by `where`, in order. */
const startsLikeAnother = (
  identity: readonly string[],
  own: readonly Column[],
  where: string,
  match: string,
): boolean =>
  (identity[0] === where && identity[1] === match) ||
  (own.some(({ name }) => name === where) && identity[0] === match)

/** An identity is stored whole, because the beginnings of two may be the same. */
const keyColumnAt = ({ fields }: Resource, name: string): Column => ({
  name,
  path: [name],
  kind: kindOf(fieldAt(fields, name)),
})

const columnAt = ({ fields }: Resource, name: string, path: string): Column => {
  const field = fieldAt(fields, path)
  return {
    name,
    path: path.split('.'),
    kind: field?.kind === 'text' ? 'prefix' : kindOf(field),
  }
}

/** Identities and references are UUIDs (specification §Identifiers), stored as 16 bytes. */
export const kindOf = (field: Field | undefined): LookupKind => {
  if (field?.kind === 'integer') return 'integer'
  return field?.kind === 'id' || field?.kind === 'ref' || field?.kind === 'person' ? 'uuid' : 'text'
}

/** The suffix of sort columns. */
const sortSuffix = '__sort'

/** The column that sorts by a field. */
export const sortColumnName = (field: string): string => `${field}${sortSuffix}`

const sortColumnAt = (resource: Resource, field: string): SortColumn => ({
  name: sortColumnName(field),
  path: [field],
  kind: sortKinds[resource.fields[field]?.kind as SortableKind],
})

const sortKinds: Record<SortableKind, SortKind> = {
  text: 'folded',
  integer: 'integer',
  amount: 'decimal',
  date: 'date',
  timestamp: 'timestamp',
}

/** The field that a sort column sorts by; undefined for other columns. */
export const sortedField = (column: string): string | undefined =>
  column.endsWith(sortSuffix) ? column.slice(0, -sortSuffix.length) : undefined

/** The index of a filter on this column; undefined if the primary key serves it. */
export const indexFor = (table: Table, column: string): string | undefined =>
  table.indexes.find(({ columns }) => columns[0] === column)?.name

/** The index that finds `match` by `where`; undefined if the primary key does. */
export const linkIndexFor = (table: Table, where: string, match: string): string | undefined =>
  table.indexes.find(({ columns }) => columns[0] === where && columns[1] === match)?.name

/** The filters on columns of the collection's own table. */
export const ownFilters = (resource: Resource): readonly Filter[] =>
  resource.filters.filter(({ field }) => field !== undefined)

/**
 * The statements that create a table and its indexes. Rows are long because they hold the records'
 * texts. SQLite stores them in insertion order, which is identity order within an import, and finds
 * them by an index. Storing rows in the primary-key tree would make it deep: a page of a filtered
 * list would take half as long again.
 */
export const createTable = (table: Table, dialect: Dialect): readonly string[] => [
  [
    `create table ${quote(table.name)} (`,
    [
      `  "owner" ${dialect.integer} not null`,
      ...table.key.map((column) => `  ${columnDdl(column, dialect)} not null`),
      ...[...table.lookups, ...table.sorts].map((column) => `  ${columnDdl(column, dialect)}`),
      '  "body" text not null',
      `  primary key ("owner", ${table.key.map(({ name }) => quote(name)).join(', ')})`,
    ].join(',\n'),
    ')',
  ].join('\n'),
  ...table.indexes.map((index) => createIndex(table, index)),
]

/**
 * Records without a value are left out of lookup indexes, because no filter finds them. Indexes of
 * sort columns contain them, because sorted lists end with them.
 */
export const createIndex = (table: Table, index: Index): string => {
  const columns = ['owner', ...index.columns].map(quote).join(', ')
  const on = `create index ${quote(index.name)} on ${quote(table.name)} (${columns})`
  const [leading = ''] = index.columns
  return table.lookups.some(({ name }) => name === leading)
    ? `${on}\nwhere ${quote(leading)} is not null`
    : on
}

export const columnDdl = ({ name, kind }: Part, dialect: Dialect): string =>
  `${quote(name)} ${dialect.types[kind]}`

export const columnOf = (table: Table, name: string): Column => {
  const column = [...table.key, ...table.lookups].find((each) => each.name === name)
  if (!column) throw new RangeError(`${table.name} has no column ${name}.`)
  return column
}

/** All columns besides the owner and the record's text, in order. */
export const columnsOf = ({ key, lookups, sorts }: Table): readonly (Column | SortColumn)[] => [
  ...key,
  ...lookups,
  ...sorts,
]

/** The beginning of a text, as a lookup column stores it. */
export const prefixText = (text: string): string => `substr(${text}, 1, ${prefixLength})`

/** The whole text of a column that may have only its beginning. Few texts are so long. */
export const wholeText = (
  { name, path, kind }: Column | SortColumn,
  alias: string,
  dialect: Dialect,
): string => {
  const column = `${alias}.${quote(name)}`
  if (kind !== 'prefix') return column
  const inBody = dialect.jsonText(`${alias}."body"`, path)
  return `case when octet_length(${column}) >= ${prefixLength} then ${inBody} else ${column} end`
}

/** SQL that converts a value, such as a parameter, to a column's stored form. See `comparable`. */
export const storedValue = (
  { kind }: Pick<Part, 'kind'>,
  value: string,
  dialect: Dialect,
): string => {
  if (kind === 'uuid') return dialect.uuid(value)
  return kind === 'decimal' ? dialect.decimal(value) : value
}
