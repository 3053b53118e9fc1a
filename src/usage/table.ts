import { type Database, type Query, quote, type Row, type Session } from '#database'
import { feedReadersDdl, feedReadersTable } from './feed-readers.ts'
import type { Counts, Usage } from './usage.ts'

const names = ['key_id', 'day', 'brand', 'operation'] as const
const sums = [
  ...['requests', 'records', 'bytes', 'refusals', 'first_at', 'last_at', 'addresses'],
  ...['other_addresses', 'groups'],
] as const
const identity = names.map(quote).join(', ')
const columns = [...names, ...sums].map(quote).join(', ')

/**
 * Creates the tables in the database of the keys, so that writing usage waits for no import.
 * `selvedge_usage_notices` has what an operator has been warned of, `selvedge_feed_readers` how far
 * keys have read the change feed.
 */
export const createUsageTables = async (database: Database): Promise<void> => {
  const existing = await database.tables()
  const tables = ['selvedge_usage', 'selvedge_usage_notices', feedReadersTable]
  if (tables.every((name) => existing.has(name))) return
  const { text, integer } = database.dialect
  await database.write((session) =>
    session.runAll([
      `create table if not exists "selvedge_usage" (
        "key_id" ${text} not null,
        "day" ${text} not null,
        "brand" ${text} not null,
        "operation" ${text} not null,
        "requests" ${integer} not null,
        "records" ${integer} not null,
        "bytes" ${integer} not null,
        "refusals" text not null,
        "first_at" text not null,
        "last_at" text not null,
        "addresses" text not null,
        "other_addresses" ${integer} not null,
        "groups" text not null,
        primary key (${identity})
      )`,
      'create index if not exists "selvedge_usage_day" on "selvedge_usage" ("day")',
      'create index if not exists "selvedge_usage_brand" on "selvedge_usage" ("brand")',
      `create table if not exists "selvedge_usage_notices" (
        "kind" ${text} not null,
        "key_id" ${text} not null,
        "brand" ${text} not null,
        "collection" ${text} not null,
        "day" ${text} not null,
        primary key ("kind", "key_id", "brand", "collection")
      )`,
      feedReadersDdl(text, integer),
    ]),
  )
}

export const hasUsageTables = async (database: Database): Promise<boolean> =>
  (await database.tables()).has('selvedge_usage')

/** Reads the stored row of a usage; undefined if there is none. */
export const readStored = async (
  session: Session,
  { keyId, day, brand, operation }: Usage,
): Promise<Usage | undefined> => {
  const [row] = await session.all({
    text: `select ${columns}
      from "selvedge_usage"
      where "key_id" = ?1 and "day" = ?2 and "brand" = ?3 and "operation" = ?4`,
    values: [keyId, day, brand, operation],
  })
  return row && readUsage(row)
}

/** Writes the row of a usage. */
export const storeQuery = (usage: Usage): Query => ({
  text: `insert into "selvedge_usage" (${columns})
    values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
    on conflict (${identity}) do update
    set ${sums.map((name) => `${quote(name)} = excluded.${quote(name)}`).join(', ')}`,
  values: [
    usage.keyId,
    usage.day,
    usage.brand,
    usage.operation,
    usage.requests,
    usage.records,
    usage.bytes,
    JSON.stringify(usage.refusals),
    usage.firstAt,
    usage.lastAt,
    JSON.stringify(usage.addresses),
    usage.otherAddresses,
    JSON.stringify(usage.groups),
  ],
})

/** A condition, with its values from `?1` on. */
export interface RowsWhere {
  readonly where: string
  readonly values: readonly string[]
}

/** Selects the rows that meet a condition, in the order of their identity. */
export const rowsQuery = ({ where, values }: RowsWhere): Query => ({
  text: `select ${columns}
    from "selvedge_usage"
    where ${where}
    order by ${identity}`,
  values,
})

/** Deletes some of the rows that meet a condition, so that no transaction is long. */
export const deleteSomeQuery = ({ where, values }: RowsWhere): Query => ({
  text: `delete from "selvedge_usage"
    where (${identity}) in (
      select ${identity}
      from "selvedge_usage"
      where ${where}
      limit ${deletedMax}
    )`,
  values,
})

/** Rows deleted in one transaction. */
export const deletedMax = 200

export const readUsage = (row: Row): Usage => ({
  keyId: row[0] as string,
  day: row[1] as string,
  brand: row[2] as string,
  operation: row[3] as string,
  requests: Number(row[4]),
  records: Number(row[5]),
  bytes: Number(row[6]),
  refusals: JSON.parse(row[7] as string) as Counts,
  firstAt: row[8] as string,
  lastAt: row[9] as string,
  addresses: JSON.parse(row[10] as string) as Counts,
  otherAddresses: Number(row[11]),
  groups: JSON.parse(row[12] as string) as string[],
})
