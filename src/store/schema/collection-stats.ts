import {
  type Dialect,
  literal,
  type Query,
  quote,
  type ReadableTable,
  type Session,
  type SqlValue,
} from '#database'
import { createParams, type ExtraColumns, type Params } from '../read/query-template.ts'
import type { Table } from './tables.ts'

/** A table of the store's own, and which of its rows requests read. */
export interface StoreTable extends ReadableTable {
  readonly ddl: string
}

/**
 * What is kept beside the records so that no list has to count them: for each owner and
 * collection its total and the number of its last change, and for each filter value that more
 * than `countedMax` records share, their number. Everything changes in the transaction that
 * changes the records.
 */
export const statsTables = (dialect: Dialect): readonly StoreTable[] => [
  {
    name: 'selvedge_settings',
    // The others are the secret that signs, and what only migrations and commands read.
    rows: { column: 'name', value: 'change' },
    ddl: `create table "selvedge_settings" ("name" ${dialect.text} primary key, "value" text not null)`,
  },
  {
    name: 'selvedge_shapes',
    rows: 'none',
    ddl: `create table "selvedge_shapes" ("collection" ${dialect.text} primary key, "fields" text not null)`,
  },
  {
    name: 'selvedge_collections',
    rows: 'brand',
    ddl: `create table "selvedge_collections" ("brand" ${dialect.text} not null, "collection" ${dialect.text} not null, "version" ${dialect.integer} not null, "total" ${dialect.integer} not null, primary key ("brand", "collection"))${dialect.tableOptions}`,
  },
  {
    name: 'selvedge_totals',
    rows: 'brand',
    ddl: `create table "selvedge_totals" ("brand" ${dialect.text} not null, "collection" ${dialect.text} not null, "filter" ${dialect.text} not null, "value" ${dialect.text} not null, "total" ${dialect.integer} not null, primary key ("brand", "collection", "filter", "value"))${dialect.tableOptions}`,
  },
]

/**
 * A filter value shared by no more records than this is counted through its index when it is
 * asked for; one shared by more has its total kept.
 */
export const countedMax = 1_000

/** What finds the collections that changed after a number. */
export const versionIndex = {
  name: 'selvedge_collections__version',
  ddl: 'create index "selvedge_collections__version" on "selvedge_collections" ("version")',
}

/** The number of a collection's last change, its total, and the number of the last change at all. */
export const compileCollectionState = (owner: string, collection: string): Query => ({
  text: [
    'select coalesce(c."version", 0), coalesce(c."total", 0), coalesce(s."value", \'0\')',
    'from (select 1 as "one") as o',
    'left join "selvedge_settings" as s on s."name" = \'change\'',
    'left join "selvedge_collections" as c on c."brand" = ?1 and c."collection" = ?2',
  ].join(' '),
  values: [owner, collection],
})

/** A collection that an answer depends on, and whose it is. */
export interface Collection<Request> {
  readonly owner: (request: Request) => string
  readonly path: string
}

/**
 * The same beside something else that is read: of each collection the number of its last change,
 * then the first one's total, then the number of the last change at all.
 */
export const joinState = <Request>(
  on: readonly Collection<Request>[],
  values: Params<Request>,
): ExtraColumns => ({
  columns: [
    ...on.map((_, index) => `coalesce(c${index}."version", 0)`),
    'coalesce(c0."total", 0)',
    'coalesce(s."value", \'0\')',
  ],
  joins: [
    ' left join "selvedge_settings" as s on s."name" = \'change\'',
    ...on.map(
      ({ owner, path }, index) =>
        `left join "selvedge_collections" as c${index} on c${index}."brand" = ${values.add(owner)} and c${index}."collection" = ${literal(path)}`,
    ),
  ].join(' '),
})

/** A filter's value, and whose records of which collection it is looked for in. */
export interface FilterValue {
  readonly owner: string
  readonly collection: string
  readonly filter: string
  readonly value: SqlValue
}

/** The totals that are kept of some filters' values, by their place; a smaller one is not kept. */
export const compileStoredTotals = (filters: readonly FilterValue[]): Query => {
  const values = createParams<SqlValue>()
  const kept = filters.map(({ owner, collection, filter, value }, index) =>
    [
      `select ${index}, "total" from "selvedge_totals"`,
      `where "brand" = ${values.add(owner)} and "collection" = ${values.add(collection)}`,
      `and "filter" = ${values.add(filter)} and "value" = ${values.add(String(value))}`,
    ].join(' '),
  )
  return { text: kept.join(' union all '), values: values.all }
}

/**
 * The total of one filter value: kept where it is large, counted where it is small. It is written
 * inside a statement whose first value is the owner.
 */
export const totalText = (table: Table, filter: string, value: string, count: string): string => {
  const kept = [
    'select "total" from "selvedge_totals" where "brand" = ?1',
    `and "collection" = ${literal(table.resource.path)}`,
    `and "filter" = ${literal(filter)} and "value" = ${value}`,
  ].join(' ')
  return `coalesce((${kept}), (${count}))`
}

/** A column's value as the ledger spells it. */
export const asText = (column: string, dialect: Dialect): string =>
  dialect.name === 'sqlite' ? `cast(${column} as text)` : `${column}::text collate "C"`

/** Begins to keep the totals of a filter's large values, for all owners: for a column just filled. */
export const compileLargeTotals = (table: Table, filter: string, dialect: Dialect): Query => {
  const column = quote(filter)
  return {
    text: [
      'insert into "selvedge_totals" ("brand", "collection", "filter", "value", "total")',
      `select "brand", ?1, ?2, ${asText('v', dialect)}, n from`,
      `(select "brand", ${column} as v, count(*) as n from ${quote(table.name)}`,
      `where ${column} is not null group by "brand", ${column} having count(*) > ${countedMax}) as large`,
      'where true on conflict ("brand", "collection", "filter", "value") do update set "total" = excluded."total"',
    ].join(' '),
    values: [table.resource.path, filter],
  }
}

export const quotedColumns = (table: Table): readonly string[] =>
  [...table.key, ...table.lookups].map(({ name }) => quote(name))

/**
 * Numbers the transactions that change records, each higher than the last by chance: a database
 * that was set back to an earlier state does not give the same number to another change, so that
 * nobody takes what they kept for what is there now.
 */
export const nextChange = async (session: Session, dialect: Dialect): Promise<number> => {
  const next = `cast("selvedge_settings"."value" as ${dialect.integer}) + 1 + ${dialect.randomInt}`
  const [row] = await session.all({
    text: `insert into "selvedge_settings" ("name", "value") values (?1, ?2) on conflict ("name") do update set "value" = cast(${next} as text) returning "value"`,
    values: ['change', '1'],
  })
  return Number(row?.[0])
}
