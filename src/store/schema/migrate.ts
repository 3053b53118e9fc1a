import type { Catalog, Resource } from '#contract'
import {
  type Database,
  type Dialect,
  type Part,
  type Query,
  quote,
  type Row,
  type Session,
  tableLockMs,
} from '#database'
import { recordRewritten } from './change-tables.ts'
import {
  asInteger,
  compileLargeTotals,
  fieldsTable,
  nextChange,
  type StoreTable,
} from './collection-stats.ts'
import { prefixLength } from './comparable.ts'
import { fillSorts } from './fill-sorts.ts'
import { readText } from './identifier.ts'
import { refuseOtherLayout, storeLayout } from './layout.ts'
import { refusal } from './migration-error.ts'
import { bodyOf, type StoredRecord } from './record-body.ts'
import { walkedKey, walkRows } from './row-walk.ts'
import {
  additionsOf,
  listed,
  markNewer,
  raiseGeneration,
  type Schema,
  searchMark,
} from './schema-version.ts'
import { readSetting } from './settings.ts'
import type { SearchIndex, StoreTables } from './store-tables.ts'
import {
  type Column,
  columnDdl,
  createIndex,
  createTable,
  ownFilters,
  prefixText,
  type SortColumn,
  storedValue,
  type Table,
} from './tables.ts'

type Log = (sentence: string) => void

/** The schema that the database should have. */
export interface WantedSchema {
  readonly catalog: Catalog
  /** The tables of the collections. */
  readonly tables: ReadonlyMap<string, Table>
  readonly storeTables: StoreTables
}

export interface MigrationParts extends WantedSchema {
  readonly database: Database
}

/** The changes that make the database fit the catalog. */
export interface Migration {
  /** Sentences for the log. */
  readonly steps: readonly string[]
  /** Whether the database has no tables of Selvedge yet. */
  readonly isNew: boolean
  /** Additions of a newer version. If there are any, this version may only read the database. */
  readonly additions: readonly string[]
  /** Whether columns must be added first. */
  readonly addsColumns: boolean
  /**
   * Adds the missing columns of one table, empty. This is quick, but its readers may have to wait.
   * Versions that do not know the columns continue to work.
   */
  addColumns(session: Session): Promise<void>
  /** Runs all other steps, which may take long and block no reader. Logs progress occasionally. */
  run(session: Session, log: Log): Promise<void>
}

/** Reads the schema of the database and plans the missing changes. */
export const planMigration = async (parts: MigrationParts): Promise<Migration> => {
  const { database } = parts
  const columns = await database.tables()
  await refuseOtherLayout(database, columns)
  return compareSchema(parts, database.dialect, await readSchema(parts, columns))
}

/** The schema that the database has. */
export interface StoredSchema extends Schema {
  readonly indexes: ReadonlySet<string>
  /** The rules that the search entries of each collection were built with. */
  readonly entrySources: ReadonlyMap<string, string>
  /** Whether lookup columns may have texts longer than `prefixLength`. */
  readonly mayHaveLongTexts: boolean
}

const readSchema = async (
  { database, storeTables: { searchIndex } }: MigrationParts,
  columns: StoredSchema['columns'],
): Promise<StoredSchema> => {
  const fields = columns.has(fieldsTable) ? await readFields(database) : new Map()
  return {
    columns,
    indexes: await database.indexes(),
    fields,
    unfilled: isEmpty(columns) ? new Set() : await readUnfilled(database),
    entrySources: isEmpty(columns) ? new Map() : await searchIndex.readEntrySources(database),
    // A database user restricted to what requests see reads no setting.
    mayHaveLongTexts:
      fields.size > 0 &&
      (await readSetting(database, 'layout')) !== undefined &&
      (await readSetting(database, shortTexts)) === undefined,
  }
}

const isEmpty = (columns: StoredSchema['columns']) => !columns.has('selvedge_settings')

/**
 * Compares the wanted schema with the stored one. Adds everything that needs no guess: tables,
 * columns, indexes, nullable fields. Reports additions of a newer version. Rejects anything else
 * with instructions.
 */
export const compareSchema = (
  { catalog, tables, storeTables }: WantedSchema,
  dialect: Dialect,
  schema: StoredSchema,
): Migration => {
  const isNew = isEmpty(schema.columns)
  const additions = [
    ...additionsOf(schema, catalog, tables),
    ...storeTables.searchIndex.entryAdditions(schema.entrySources, tables),
  ]
  const isOfNewer = additions.length > 0
  const steps = [
    ...planStoreTables(storeTables, schema, dialect),
    ...[...tables.values()].flatMap((table) => [
      ...planTable(table, schema, dialect),
      ...planFields(table, schema, dialect, isOfNewer),
    ]),
    ...planEntries(storeTables.searchIndex, tables, schema, dialect),
    ...(isNew || schema.mayHaveLongTexts ? [planShortTexts(tables, schema)] : []),
  ]
  if (isOfNewer && steps.length > 0) {
    throw refusal(
      `another version has added ${listed(additions)}, and this one would ${steps[0]?.description}`,
    )
  }
  const newColumns = [...tables.values()]
    .map((table) => missingColumns(table, schema).map((column) => ({ table, column })))
    .filter(({ length }) => length > 0)
  return {
    isNew,
    additions,
    steps: steps.filter(({ isMinor }) => !isMinor).map(({ description }) => description),
    addsColumns: newColumns.length > 0,
    addColumns: async (session) => {
      for (const text of dialect.lockTimeout(tableLockMs)) await session.run({ text, values: [] })
      for (const { table, column } of newColumns[0] ?? []) {
        for (const query of addColumn(table, column, dialect)) await session.run(query)
      }
      await session.run(raiseGeneration)
    },
    run: async (session, log) => {
      for (const step of steps) await step.run(session, log)
      if (isNew) await session.run(storeLayout)
      if (isNew || steps.some(({ fillsColumns }) => fillsColumns)) await session.run(markNewer)
      await session.run(raiseGeneration)
    },
  }
}

interface Step {
  readonly description: string
  /** Whether to leave it out of the log. */
  readonly isMinor?: boolean
  /** Whether programs older than schema generations must reject the database from now on. */
  readonly fillsColumns?: boolean
  readonly run: (session: Session, log: Log) => Promise<void>
}

/** A step of statements without values. */
const statements = (description: string, ...texts: readonly string[]): Step => ({
  description,
  run: async (session) => {
    for (const text of texts) await session.run({ text, values: [] })
  },
})

const planStoreTables = (
  storeTables: StoreTables,
  { columns, indexes }: StoredSchema,
  dialect: Dialect,
): readonly Step[] => [
  ...storeTables.tables
    .filter(({ name }) => !columns.has(name))
    .map((table) => planStoreTable(table, columns, dialect)),
  ...storeTables.indexes
    .filter(({ name }) => !indexes.has(name))
    .map(({ name, ddl }) => statements(`create ${name}`, ddl)),
]

const planStoreTable = (
  { name, ddl, fill, succeeds, mark }: StoreTable,
  columns: StoredSchema['columns'],
  dialect: Dialect,
): Step => {
  const create = statements(`create ${name}`, ddl, ...(fill ? [fill] : []))
  return {
    ...create,
    run: async (session, log) => {
      await create.run(session, log)
      if (succeeds && columns.has(succeeds.name)) await succeeds.transfer(session, dialect)
      if (mark) await session.run(storeFields(mark, []))
    },
  }
}

/** Creates the table of a collection, or adds what it lacks. */
const planTable = (table: Table, schema: StoredSchema, dialect: Dialect): readonly Step[] => {
  const columns = schema.columns.get(table.name)
  if (!columns) return [statements(`create ${table.name}`, ...createTable(table, dialect))]
  refuseOtherIdentity(table, columns)
  const isUnfilled = ({ name }: Part) =>
    !columns.includes(name) || schema.unfilled.has(`${table.name}.${name}`)
  const unsorted = table.sorts.filter(isUnfilled)
  return [
    ...table.lookups.filter(isUnfilled).map((column) => planLookup(table, column, dialect)),
    ...(unsorted.length > 0 ? [planSorts(table, unsorted, dialect)] : []),
    ...table.indexes
      .filter(({ name }) => !schema.indexes.has(name))
      .map((index) => ({
        ...statements(`create ${index.name}`, createIndex(table, index)),
        isMinor: unsorted.some(({ name }) => name === index.columns[0]),
      })),
  ]
}

/** The columns to add to an existing table. */
const missingColumns = (table: Table, { columns }: StoredSchema): readonly Part[] => {
  const present = columns.get(table.name)
  return [...table.lookups, ...table.sorts].filter(({ name }) => present?.includes(name) === false)
}

const planLookup = (table: Table, column: Column, dialect: Dialect): Step => ({
  description: `add ${column.name} to ${table.name}`,
  fillsColumns: true,
  run: async (session) => {
    await session.run(fillColumn(table, column, dialect))
    if (ownFilters(table.resource).some((filter) => filter.name === column.name)) {
      await session.run(compileLargeTotals(table, column.name, dialect))
    }
    await session.run(removeUnfilled(`${table.name}.${column.name}`))
  },
})

const planSorts = (table: Table, columns: readonly SortColumn[], dialect: Dialect): Step => ({
  description: `sort ${table.resource.path} by ${columns.map(({ path }) => path.join('.')).join(', ')}`,
  fillsColumns: true,
  run: async (session, log) => {
    await fillSorts({ session, table, columns, dialect, log })
    for (const { name } of columns) await session.run(removeUnfilled(`${table.name}.${name}`))
  },
})

/** Adds the fields that stored records lack. */
const planFields = (
  table: Table,
  { fields }: StoredSchema,
  dialect: Dialect,
  isOfNewer: boolean,
): readonly Step[] => {
  const { path } = table.resource
  const stored = fields.get(path)
  const wanted = Object.keys(table.resource.fields)
  if (stored?.join() === wanted.join()) return []
  // If a newer version stored all wanted fields and more, none is missing.
  if (isOfNewer && wanted.every((name) => stored?.includes(name))) return []
  if (stored) refuseRequiredFields(table.resource, stored)
  const rewrite: Step = {
    description: `add fields to the records of ${path}`,
    run: (session) => rewriteBodies(session, table, dialect),
  }
  const store: Step = {
    description: `store the fields of ${path}`,
    isMinor: true,
    run: async (session) => {
      await session.run(storeFields(path, wanted))
    },
  }
  return stored ? [rewrite, store] : [store]
}

/** Builds search entries that are missing or outdated. */
const planEntries = (
  { searchTable, outdatedEntries, fillEntries, storeEntryRules }: SearchIndex,
  tables: ReadonlyMap<string, Table>,
  { columns, entrySources }: StoredSchema,
  dialect: Dialect,
): readonly Step[] => {
  // A database user restricted to what requests see cannot read the rules of the entries.
  const hasEntries = columns.has(searchTable)
  const isUnreadable = hasEntries && entrySources.size === 0
  const outdated = isUnreadable ? [] : outdatedEntries(entrySources, tables)
  if (hasEntries && outdated.length === 0) return []
  const groups = outdated.length === 1 ? 'group' : 'groups'
  return [
    {
      description: `index the records of ${outdated.length} ${groups} for search`,
      isMinor: outdated.length === 0,
      run: async (session, log) => {
        for (const table of outdated) await fillEntries(session, table, dialect, log)
        await session.run(storeEntryRules)
        await session.run(storeFields(searchMark, []))
      },
    },
  ]
}

/** The setting that says that lookup columns have only the beginnings of long texts. */
const shortTexts = 'short texts'

/** Cuts long texts of lookup columns. Few records have one, and each table is read once. */
const planShortTexts = (
  tables: ReadonlyMap<string, Table>,
  { columns: present }: StoredSchema,
): Step => ({
  description: 'keep the beginning of long texts in the columns of filters',
  isMinor: present.size === 0,
  run: async (session) => {
    for (const { name, lookups } of tables.values()) {
      const columns = lookups
        .filter((each) => each.kind === 'prefix' && present.get(name)?.includes(each.name))
        .map((each) => quote(each.name))
      if (columns.length === 0) continue
      const isLong = (column: string) =>
        `(octet_length(${column}) > ${prefixLength} and length(${column}) > ${prefixLength})`
      const text = [
        `update ${quote(name)}`,
        `set ${columns.map((column) => `${column} = ${prefixText(column)}`).join(', ')}`,
        `where ${columns.map(isLong).join(' or ')}`,
      ].join('\n')
      await session.run({ text, values: [] })
    }
    await session.run({
      text: `delete from "selvedge_totals" where length("value") > ${prefixLength}`,
      values: [],
    })
    await session.run({
      text: 'insert into "selvedge_settings" ("name", "value") values (?1, ?2)',
      values: [shortTexts, String(prefixLength)],
    })
  },
})

const refuseOtherIdentity = (table: Table, columns: readonly string[]): void => {
  const identity = ['owner', ...table.key.map(({ name }) => name)]
  if (columns.slice(0, identity.length).join() !== identity.join()) {
    throw refusal(
      `${table.name} is identified by ${columns.slice(1, identity.length).join(', ')} there and by ${identity.slice(1).join(', ')} here`,
    )
  }
}

const refuseRequiredFields = (resource: Resource, stored: readonly string[]): void => {
  const required = Object.entries(resource.fields)
    .filter(([name, field]) => !stored.includes(name) && !field.nullable)
    .map(([name]) => name)
  if (required.length > 0) {
    throw refusal(`records of ${resource.path} lack ${required.join(', ')}, which may not be null`)
  }
}

/** Adds the column, and a setting that marks it as unfilled. */
const addColumn = (table: Table, column: Part, dialect: Dialect): readonly Query[] => [
  {
    text: `alter table ${quote(table.name)} add column ${columnDdl(column, dialect)}`,
    values: [],
  },
  addUnfilled(`${table.name}.${column.name}`),
]

const fillColumn = (table: Table, column: Column, dialect: Dialect): Query => ({
  text: `update ${quote(table.name)} set ${quote(column.name)} = ${valueInBody(column, dialect)}`,
  values: [],
})

const unfilledName = (column: string) => `unfilled ${column}`

/** Marks a column such as `orders.status` as unfilled. */
export const addUnfilled = (column: string): Query => ({
  text: [
    'insert into "selvedge_settings" ("name", "value")',
    'values (?1, ?2)',
    'on conflict do nothing',
  ].join('\n'),
  values: [unfilledName(column), 'yes'],
})

/** Marks a column such as `orders.status` as filled. */
export const removeUnfilled = (column: string): Query => ({
  text: 'delete from "selvedge_settings" where "name" = ?1',
  values: [unfilledName(column)],
})

/** The columns, such as `orders.status`, that were added but not filled yet. */
export const readUnfilled = async (database: Database): Promise<ReadonlySet<string>> => {
  const [rows = []] = await database.read([
    {
      text: 'select "name" from "selvedge_settings" where "name" like ?1',
      values: [unfilledName('%')],
    },
  ])
  return new Set(rows.map(([name]) => (name as string).slice(unfilledName('').length)))
}

/** A column's value from the record's text. */
export const valueInBody = (column: Column, dialect: Dialect): string => {
  const text = dialect.jsonText('"body"', column.path)
  if (column.kind === 'prefix') return prefixText(text)
  return column.kind === 'integer' ? asInteger(text, dialect) : storedValue(column, text, dialect)
}

const readFields = async (database: Database): Promise<Map<string, readonly string[]>> => {
  const [rows = []] = await database.read([
    { text: `select "collection", "fields" from "${fieldsTable}"`, values: [] },
  ])
  return new Map(rows.map(([path, fields]) => [path as string, JSON.parse(fields as string)]))
}

const storeFields = (path: string, fields: readonly string[]): Query => ({
  text: [
    `insert into "${fieldsTable}" ("collection", "fields")`,
    'values (?1, ?2)',
    'on conflict ("collection") do update set "fields" = excluded."fields"',
  ].join('\n'),
  values: [path, JSON.stringify(fields)],
})

/** Adds the new fields of the contract to every stored record, as null. */
const rewriteBodies = async (session: Session, table: Table, dialect: Dialect): Promise<void> => {
  const columns = walkedKey(table)
  const newValue = (name: string) => dialect.jsonText('g."value"', [name])
  const isSame = columns
    .map((column, index) => {
      const value = newValue(column.name)
      const stored = index === 0 ? asInteger(value, dialect) : storedValue(column, value, dialect)
      return `${quote(table.name)}.${quote(column.name)} = ${stored}`
    })
    .join(' and ')
  const empty = Object.fromEntries(Object.keys(table.resource.fields).map((name) => [name, null]))
  /** The identity of a row and its new text, as JSON. */
  const rewrite = (row: Row): string => {
    const record = JSON.parse(row[columns.length] as string) as StoredRecord
    const body = bodyOf(table.resource, { ...empty, ...record })
    return JSON.stringify({
      ...Object.fromEntries(columns.map(({ name }, index) => [name, readText(row[index] ?? null)])),
      body,
    })
  }
  for await (const rows of walkRows(session, table, dialect)) {
    await session.run({
      text: [
        `update ${quote(table.name)}`,
        `set "body" = ${newValue('body')}`,
        `from ${dialect.textsIn('?1', 'g')}`,
        `where ${isSame}`,
      ].join('\n'),
      values: [JSON.stringify(rows.map(rewrite))],
    })
  }
  const change = await nextChange(session, dialect)
  await session.run({
    text: 'update "selvedge_collections" set "version" = ?2 where "collection" = ?1',
    values: [table.resource.path, change],
  })
  await recordRewritten(session, table.resource.path, change)
}
