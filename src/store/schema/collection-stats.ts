import {
  type Dialect,
  type LookupKind,
  type Query,
  quote,
  type ReadableTable,
  type Session,
} from '#database'
import { columnOf, columnsOf, type Table } from './tables.ts'

/** A table of the store, and which of its rows requests may read. */
export interface StoreTable extends ReadableTable {
  readonly ddl: string
  /** Fills the new table from what the database has already. */
  readonly fill?: string
  /** The table of an earlier version whose rows move to the new one, if the database has it. */
  readonly succeeds?: {
    readonly name: string
    readonly transfer: (session: Session, dialect: Dialect) => Promise<void>
  }
  /** A row among the record fields: programs that do not know the table then refuse to write. */
  readonly mark?: string
}

/*
 * Totals: every list reports how many records match (specification §List endpoints, `totalItems`),
 * without counting a million records per request. Five places share the work:
 * - This file: `selvedge_collections` holds the total of each owner's collection and the number of
 *   its last change. `selvedge_totals` holds the total of each filter value that more than
 *   `countedMax` records share. Rarer values are counted along their index.
 * - `write/totals.ts` changes both tables in the transaction that changes the records.
 * - `read/collection-state.ts` has the statements that read them.
 * - `query/counted-list.ts` caches per process the counts of lists with several filters, while the
 *   collections they depend on stay at the same version.
 * - `query/contract-list.ts` decides which of these applies to a list. `query/wide-list.ts` counts
 *   in steps if every filter matches many records.
 */

/** The tables of settings, record fields, collection states and stored totals. */
export const statsTables = (dialect: Dialect): readonly StoreTable[] => {
  const { text, integer, tableOptions } = dialect
  return [
    {
      name: 'selvedge_settings',
      // Hides the signing secret and settings that only migrations and commands read.
      rows: { column: 'name', value: 'change' },
      ddl: `create table "selvedge_settings" (
  "name" ${text} primary key,
  "value" text not null
)`,
    },
    {
      name: fieldsTable,
      rows: 'none',
      ddl: `create table "${fieldsTable}" (
  "collection" ${text} primary key,
  "fields" text not null
)`,
    },
    {
      name: 'selvedge_collections',
      rows: 'owner',
      ddl: `create table "selvedge_collections" (
  "owner" ${integer} not null,
  "collection" ${text} not null,
  "version" ${integer} not null,
  "total" ${integer} not null,
  primary key ("owner", "collection")
)${tableOptions}`,
    },
    {
      name: 'selvedge_totals',
      rows: 'owner',
      ddl: `create table "selvedge_totals" (
  "owner" ${integer} not null,
  "collection" ${text} not null,
  "filter" ${text} not null,
  "value" ${text} not null,
  "total" ${integer} not null,
  primary key ("owner", "collection", "filter", "value")
)${tableOptions}`,
    },
  ]
}

/**
 * A row among the states of a brand's collections that remains after the brand was removed. It
 * holds the number of the removing change. Older cursors of the change feed are then rejected,
 * because the log that they continue is gone. No collection has this name.
 */
export const removalMark = '-removed'

/** A row among them while the brand's changes are logged for units that may be retried. */
export const rewriteMark = '-rewrites'

/** Stores the number of a change beside the collections of an owner, under one of these names. */
export const storeMark = async (
  session: Session,
  owner: number,
  mark: string,
  number: number,
): Promise<void> => {
  await session.run({
    text: [
      'insert into "selvedge_collections" ("owner", "collection", "version", "total")',
      'values (?1, ?2, ?3, 0)',
      'on conflict ("owner", "collection") do update',
      'set "version" = excluded."version"',
    ].join('\n'),
    values: [owner, mark, number],
  })
}

/**
 * The fields of each collection's stored records. Programs of earlier versions compare the rows of
 * this table before they write. If it had another name, they would create an empty one and write
 * records that lack the fields of a newer version. So it keeps its name.
 */
export const fieldsTable = 'selvedge_shapes'

/**
 * Up to this many records, a filter value is counted along its index in well under a millisecond.
 * Beyond it, the total is stored.
 */
export const countedMax = 1_000

/** Finds the collections that changed after a number. */
export const versionIndex = {
  name: 'selvedge_collections__version',
  ddl: 'create index "selvedge_collections__version" on "selvedge_collections" ("version")',
}

/** PostgreSQL infers the type text for a parameter that is only selected. */
export const asInteger = (parameter: string, { integer }: Dialect): string =>
  `cast(${parameter} as ${integer})`

/** A column's value as `selvedge_totals` stores it. */
export const asText = (column: string, kind: LookupKind, dialect: Dialect): string => {
  if (kind === 'uuid') return dialect.uuidText(column)
  return dialect.name === 'sqlite' ? `cast(${column} as text)` : `${column}::text collate "C"`
}

/** Stores the totals of a filter's large values for all owners, after its column was filled. */
export const compileLargeTotals = (table: Table, filter: string, dialect: Dialect): Query => {
  const column = quote(filter)
  return {
    text: [
      'insert into "selvedge_totals" ("owner", "collection", "filter", "value", "total")',
      `select "owner", ?1, ?2, ${asText('v', columnOf(table, filter).kind, dialect)}, n`,
      `from (select "owner", ${column} as v, count(*) as n`,
      `from ${quote(table.name)}`,
      `where ${column} is not null`,
      `group by "owner", ${column}`,
      `having count(*) > ${countedMax}) as large`,
      'where true',
      'on conflict ("owner", "collection", "filter", "value") do update set "total" = excluded."total"',
    ].join('\n'),
    values: [table.resource.path, filter],
  }
}

export const quotedColumns = (table: Table): readonly string[] =>
  columnsOf(table).map(({ name }) => quote(name))

/**
 * Numbers the transactions that change records. Each number exceeds the last by a random amount, so
 * that a database restored from a backup does not reuse a number for another change, and a client
 * never takes its cached data for current.
 */
export const nextChange = async (session: Session, dialect: Dialect): Promise<number> => {
  const next = `cast("selvedge_settings"."value" as ${dialect.integer}) + 1 + ${dialect.randomInt}`
  const [row] = await session.all({
    text: [
      'insert into "selvedge_settings" ("name", "value")',
      'values (?1, ?2)',
      `on conflict ("name") do update set "value" = cast(${next} as text)`,
      'returning "value"',
    ].join('\n'),
    values: ['change', '1'],
  })
  return Number(row?.[0])
}

/** The last number issued by `nextChange`. */
export const lastChange = ({ integer }: Dialect): string =>
  `(select cast("value" as ${integer}) from "selvedge_settings" where "name" = 'change')`
