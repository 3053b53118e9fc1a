import type { Catalog, Resource } from '#contract'
import {
  type Database,
  type Dialect,
  type Part,
  type Query,
  quote,
  type Row,
  type Session,
} from '#database'
import { recordRewritten } from './change-tables.ts'
import { asInteger, compileLargeTotals, fieldsTable, nextChange } from './collection-stats.ts'
import { fillSorts } from './fill-sorts.ts'
import { readText } from './identifier.ts'
import { refuseOtherLayout, storeLayout } from './layout.ts'
import { refusal } from './migration-error.ts'
import { bodyOf, type StoredRecord } from './record-body.ts'
import { walkedKey, walkRows } from './row-walk.ts'
import { additionsOf, listed, markNewer, raiseGeneration, searchMark } from './schema-version.ts'
import type { StoreTables } from './store-tables.ts'
import {
  type Column,
  columnDdl,
  createIndex,
  createTable,
  ownFilters,
  storedValue,
  type Table,
} from './tables.ts'

type Log = (sentence: string) => void

export interface MigrationParts {
  readonly catalog: Catalog
  /** The tables of the collections. */
  readonly tables: ReadonlyMap<string, Table>
  readonly storeTables: StoreTables
  readonly database: Database
}

/** What has to be done before the database fits the catalog. */
export interface Migration {
  /** Sentences for the log. */
  readonly steps: readonly string[]
  /** Whether the database has no tables of Selvedge yet. */
  readonly isNew: boolean
  /** What a newer version has added. This one may then read the database and not write to it. */
  readonly additions: readonly string[]
  /** Whether there are columns to add first. */
  readonly addsColumns: boolean
  /**
   * Adds the columns of one table, empty. That takes a moment, for which its readers may have to
   * wait. A version that does not know the columns continues as before.
   */
  addColumns(session: Session): Promise<void>
  /** Everything else, which may take long and blocks no reader. Progress is logged from time to time. */
  run(session: Session, log: Log): Promise<void>
}

/**
 * Compares what the catalog wants with what the database has. What can be added without a guess
 * (tables, columns, indexes, nullable fields) is added. What a newer version has added is reported.
 * Anything else is refused with instructions.
 */
export const planMigration = async (parts: MigrationParts): Promise<Migration> => {
  const { catalog, tables, storeTables, database } = parts
  const { searchTable, readEntrySources, entryAdditions, outdatedEntries } = storeTables.searchIndex
  const { fillEntries, storeEntryRules } = storeTables.searchIndex
  const { dialect } = database
  const present = await database.tables()
  await refuseOtherLayout(database, present)
  const indexes = await database.indexes()
  const steps: Step[] = []
  const statement = (description: string, ...texts: string[]) =>
    steps.push({
      description,
      run: async (session) => {
        for (const text of texts) await session.run({ text, values: [] })
      },
    })

  const isNew = !present.has('selvedge_settings')
  for (const { name, ddl } of storeTables.tables) {
    if (!present.has(name)) statement(`create ${name}`, ddl)
  }
  for (const { name, ddl } of storeTables.indexes) {
    if (!indexes.has(name)) statement(`create ${name}`, ddl)
  }
  const storedFields = present.has(fieldsTable) ? await readFields(database) : new Map()
  const unfilled = isNew ? new Set<string>() : await readUnfilled(database)
  const entrySources = isNew ? new Map() : await readEntrySources(database)
  const additions = [
    ...additionsOf({ columns: present, fields: storedFields, unfilled }, catalog, tables),
    ...entryAdditions(entrySources, tables),
  ]
  const newColumns: (readonly Query[])[] = []
  /** Whether programs from before generations have to refuse the database from now on. */
  let isForNewer = isNew
  for (const table of tables.values()) {
    const { path } = table.resource
    const columns = present.get(table.name)
    if (!columns) {
      statement(`create ${table.name}`, ...createTable(table, dialect))
    } else {
      refuseOtherIdentity(table, columns)
      const missing = [...table.lookups, ...table.sorts].filter(
        ({ name }) => !columns.includes(name),
      )
      if (missing.length > 0) {
        newColumns.push(missing.flatMap((column) => addColumn(table, column, dialect)))
      }
      for (const column of table.lookups) {
        const name = `${table.name}.${column.name}`
        if (!missing.includes(column) && !unfilled.has(name)) continue
        isForNewer = true
        steps.push({
          description: `add ${column.name} to ${table.name}`,
          run: async (session) => {
            await session.run(fillColumn(table, column, dialect))
            if (ownFilters(table.resource).some((filter) => filter.name === column.name)) {
              await session.run(compileLargeTotals(table, column.name, dialect))
            }
            await session.run(removeUnfilled(name))
          },
        })
      }
      const unsorted = table.sorts.filter(
        (column) => missing.includes(column) || unfilled.has(`${table.name}.${column.name}`),
      )
      if (unsorted.length > 0) {
        isForNewer = true
        steps.push({
          description: `sort ${path} by ${unsorted.map((column) => column.path.join('.')).join(', ')}`,
          run: async (session, log) => {
            await fillSorts({ session, table, columns: unsorted, dialect, log })
            for (const { name } of unsorted) {
              await session.run(removeUnfilled(`${table.name}.${name}`))
            }
          },
        })
      }
      for (const index of table.indexes.filter(({ name }) => !indexes.has(name))) {
        steps.push({
          description: `create ${index.name}`,
          isMinor: unsorted.some(({ name }) => name === index.columns[0]),
          run: async (session) => {
            await session.run({ text: createIndex(table, index), values: [] })
          },
        })
      }
    }
    const stored = storedFields.get(path)
    const wanted = Object.keys(table.resource.fields)
    if (stored?.join() === wanted.join()) continue
    // With the fields of a newer version among them, none is missing.
    if (additions.length > 0 && wanted.every((name) => stored?.includes(name))) continue
    if (stored) {
      refuseRequiredFields(table.resource, stored)
      steps.push({
        description: `add fields to the records of ${path}`,
        run: (session) => rewriteBodies(session, table, dialect),
      })
    }
    steps.push({
      description: `store the fields of ${path}`,
      isMinor: true,
      run: async (session) => {
        await session.run(storeFields(path, wanted))
      },
    })
  }
  // A user who sees nothing but what requests see does not read what the entries are made of.
  const hasEntries = present.has(searchTable)
  const outdated =
    hasEntries && entrySources.size === 0 ? [] : outdatedEntries(entrySources, tables)
  if (!hasEntries || outdated.length > 0) {
    const groups = outdated.length === 1 ? 'group' : 'groups'
    steps.push({
      description: `index the records of ${outdated.length} ${groups} for search`,
      isMinor: outdated.length === 0,
      run: async (session, log) => {
        for (const table of outdated) await fillEntries(session, table, dialect, log)
        await session.run(storeEntryRules)
        await session.run(storeFields(searchMark, []))
      },
    })
  }
  if (additions.length > 0 && steps.length > 0) {
    throw refusal(
      `another version has added ${listed(additions)}, and this one would ${steps[0]?.description}`,
    )
  }
  return {
    isNew,
    additions,
    steps: steps.filter(({ isMinor }) => !isMinor).map(({ description }) => description),
    addsColumns: newColumns.length > 0,
    addColumns: async (session) => {
      for (const text of dialect.lockTimeout) await session.run({ text, values: [] })
      for (const query of newColumns[0] ?? []) await session.run(query)
      await session.run(raiseGeneration)
    },
    run: async (session, log) => {
      for (const step of steps) await step.run(session, log)
      if (isNew) await session.run(storeLayout)
      if (isForNewer) await session.run(markNewer)
      await session.run(raiseGeneration)
    },
  }
}

interface Step {
  readonly description: string
  /** Whether it is not worth a line in the log. */
  readonly isMinor?: boolean
  readonly run: (session: Session, log: Log) => Promise<void>
}

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

/** Adds the column, and a setting that says that it is not filled yet. */
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

/** A column such as `orders.status` is not filled yet. */
export const addUnfilled = (column: string): Query => ({
  text: [
    'insert into "selvedge_settings" ("name", "value")',
    'values (?1, ?2)',
    'on conflict do nothing',
  ].join('\n'),
  values: [unfilledName(column), 'yes'],
})

/** A column such as `orders.status` has been filled. */
export const removeUnfilled = (column: string): Query => ({
  text: 'delete from "selvedge_settings" where "name" = ?1',
  values: [unfilledName(column)],
})

/** The columns, such as `orders.status`, that were added and are not filled yet. */
export const readUnfilled = async (database: Database): Promise<ReadonlySet<string>> => {
  const [rows = []] = await database.read([
    {
      text: 'select "name" from "selvedge_settings" where "name" like ?1',
      values: [unfilledName('%')],
    },
  ])
  return new Set(rows.map(([name]) => (name as string).slice(unfilledName('').length)))
}

/** A column's value, from the text of its record. */
export const valueInBody = (column: Column, dialect: Dialect): string => {
  const text = dialect.jsonText('"body"', column.path)
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

/** Writes the new fields into every stored record, as null, where the contract has them. */
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
