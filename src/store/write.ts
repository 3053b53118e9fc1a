import type { Resource } from '#contract'
import { type Dialect, quote, type Row, type Session, type SqlValue } from '#database'
import { asText, countedMax, quotedColumns } from './ledger.ts'
import { type Key, tableAt } from './list.ts'
import { columnDdl, ownFilters, type Table } from './tables.ts'

/** A record on its way in. It has been checked against the contract. */
export type StoredRecord = { readonly [name: string]: unknown }

/** What a merge did to a collection. */
export interface Merged {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
}

/** Brings records into one owner's collections, inside one transaction. */
export interface Writer {
  /** Lays records aside. Nothing is compared or seen before `merge`. */
  stage(resource: Resource, records: Iterable<StoredRecord>): Promise<void>
  /** Lays identities aside, to be removed by `merge`. */
  stageRemoval(resource: Resource, keys: Iterable<Key>): Promise<void>
  /**
   * Makes what was staged part of the collection: adds, changes, leaves alone what is the same.
   * With `replace`, removes what was not staged.
   */
  merge(resource: Resource, options?: { readonly replace?: boolean }): Promise<Merged>
}

export const openWriter = (
  session: Session,
  dialect: Dialect,
  tables: ReadonlyMap<string, Table>,
  owner: string,
  change: () => Promise<number>,
): Writer => {
  const opened = new Set<string>()

  /** Temporary tables are made once for a connection and emptied at the first use of a run. */
  const open = async (table: Table) => {
    if (opened.has(table.name)) return
    opened.add(table.name)
    for (const ddl of stagingTables(table, dialect)) await session.run({ text: ddl, values: [] })
    for (const name of [staged(table), leaving(table)]) {
      await session.run({ text: `delete from ${quote(name)}`, values: [] })
    }
  }

  return {
    stage: async (resource, records) => {
      const table = tableAt(tables, resource.path)
      await open(table)
      const columns = [...table.key, ...table.lookups]
      const rows = function* (): Iterable<Row> {
        for (const record of records) {
          yield [...columns.map(({ path }) => valueAt(record, path)), bodyOf(resource, record)]
        }
      }
      await session.load(staged(table), [...columns.map(({ name }) => name), 'body'], rows())
    },
    stageRemoval: async (resource, keys) => {
      const table = tableAt(tables, resource.path)
      await open(table)
      await session.load(
        leaving(table),
        table.key.map(({ name }) => name),
        keys,
      )
    },
    merge: async (resource, { replace = false } = {}) => {
      const table = tableAt(tables, resource.path)
      await open(table)
      return merge({ session, dialect, table, owner, change, replace })
    },
  }
}

/** The record as it will be sent: its fields in the contract's order, and nothing else. */
export const bodyOf = (resource: Resource, record: StoredRecord): string => {
  const ordered: { [name: string]: unknown } = {}
  for (const name in resource.fields) ordered[name] = record[name]
  return JSON.stringify(ordered)
}

const valueAt = (record: StoredRecord, path: readonly string[]): SqlValue => {
  let value: unknown = record
  for (const name of path) value = (value as StoredRecord | null)?.[name]
  return (value ?? null) as SqlValue
}

const staged = (table: Table) => `staged_${table.name}`
const leaving = (table: Table) => `leaving_${table.name}`
const shifts = 'staged_shifts'

const stagingTables = (table: Table, dialect: Dialect): readonly string[] => {
  const key = table.key.map(({ name }) => quote(name)).join(', ')
  const columns = [...table.key, ...table.lookups].map((column) => columnDdl(column, dialect))
  return [
    `create temp table if not exists ${quote(staged(table))} (${columns.join(', ')}, "body" text not null, primary key (${key}))${dialect.tableOptions}`,
    `create temp table if not exists ${quote(leaving(table))} (${table.key.map((column) => columnDdl(column, dialect)).join(', ')}, primary key (${key}))${dialect.tableOptions}`,
    `create temp table if not exists ${quote(shifts)} ("value" ${dialect.text} primary key, "shift" ${dialect.integer} not null)`,
  ]
}

interface Merge {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: string
  readonly change: () => Promise<number>
  readonly replace: boolean
}

const merge = async (parts: Merge): Promise<Merged> => {
  const { session, table, owner, replace } = parts
  const run = (text: string, ...values: SqlValue[]) => session.run({ text, values })
  const one = async (text: string, ...values: SqlValue[]) =>
    Number((await session.all({ text, values }))[0]?.[0] ?? 0)

  const t = quote(table.name)
  const s = quote(staged(table))
  const r = quote(leaving(table))
  const names = table.key.map(({ name }) => quote(name))
  const same = (a: string, b: string) =>
    names.map((name) => `${a}.${name} = ${b}.${name}`).join(' and ')
  const keys = names.join(', ')

  if (replace) {
    await run(
      `insert into ${r} (${keys}) select ${keys} from ${t} as t where t."brand" = ?1 and not exists (select 1 from ${s} as s where ${same('s', 't')}) on conflict do nothing`,
      owner,
    )
  }
  await run(
    `delete from ${r} where not exists (select 1 from ${t} as t where t."brand" = ?1 and ${same('t', r)})`,
    owner,
  )
  const unchanged = await run(
    `delete from ${s} where exists (select 1 from ${t} as t where t."brand" = ?1 and ${same('t', s)} and t."body" = ${s}."body")`,
    owner,
  )
  const moving = await one(`select count(*) from ${s}`)
  const changed = await one(
    `select count(*) from ${s} as s where exists (select 1 from ${t} as t where t."brand" = ?1 and ${same('t', 's')})`,
    owner,
  )
  const added = moving - changed
  const removed = await one(`select count(*) from ${r}`)
  if (moving + removed > 0) {
    await shiftKeptTotals(parts)
    await run(
      `delete from ${t} where "brand" = ?1 and exists (select 1 from ${r} as r where ${same('r', t)})`,
      owner,
    )
    const columns = [...quotedColumns(table), '"body"']
    const assigned = columns.slice(names.length).map((name) => `${name} = excluded.${name}`)
    await run(
      `insert into ${t} ("brand", ${columns.join(', ')}) select ?1, ${columns.join(', ')} from ${s} where true order by ${keys} on conflict ("brand", ${keys}) do update set ${assigned.join(', ')}`,
      owner,
    )
    const total = await moveStanding(parts, added - removed)
    await keepLargeTotals(parts, moving * 2 > total)
  }
  await run(`delete from ${s}`)
  await run(`delete from ${r}`)
  return { added, changed, unchanged, removed }
}

/** Moves the collection's total and the number of its last change. Answers the new total. */
const moveStanding = async (parts: Merge, by: number): Promise<number> => {
  const { session, table, owner, change } = parts
  const collection = table.resource.path
  await session.run({
    text: 'insert into "selvedge_collections" ("brand", "collection", "version", "total") values (?1, ?2, ?3, ?4) on conflict ("brand", "collection") do update set "version" = excluded."version", "total" = "selvedge_collections"."total" + excluded."total"',
    values: [owner, collection, await change(), by],
  })
  const [row] = await session.all({
    text: 'select "total" from "selvedge_collections" where "brand" = ?1 and "collection" = ?2',
    values: [owner, collection],
  })
  return Number(row?.[0] ?? 0)
}

/** Moves the totals that are kept, filter by filter, by what is about to come and go. */
const shiftKeptTotals = async ({ session, dialect, table, owner }: Merge): Promise<void> => {
  const collection = table.resource.path
  const kept = await session.all({
    text: 'select distinct "filter" from "selvedge_totals" where "brand" = ?1 and "collection" = ?2',
    values: [owner, collection],
  })
  const [t, s, r] = [table.name, staged(table), leaving(table)].map(quote)
  const same = (a: string, b: string) =>
    table.key.map(({ name }) => `${a}.${quote(name)} = ${b}.${quote(name)}`).join(' and ')
  for (const [filter] of kept) {
    const column = quote(filter as string)
    const value = (alias: string) => asText(`${alias}.${column}`, dialect)
    await session.run({ text: `delete from ${quote(shifts)}`, values: [] })
    await session.run({
      text: [
        `insert into ${quote(shifts)} ("value", "shift") select v, sum(d) from (`,
        `select ${value('s')} as v, 1 as d from ${s} as s where s.${column} is not null`,
        `union all select ${value('t')}, -1 from ${s} as s join ${t} as t on t."brand" = ?1 and ${same('t', 's')} where t.${column} is not null`,
        `union all select ${value('t')}, -1 from ${r} as r join ${t} as t on t."brand" = ?1 and ${same('t', 'r')} where t.${column} is not null`,
        ') as moved group by v',
      ].join(' '),
      values: [owner],
    })
    await session.run({
      text: `update "selvedge_totals" set "total" = "total" + (select "shift" from ${quote(shifts)} as m where m."value" = "selvedge_totals"."value") where "brand" = ?1 and "collection" = ?2 and "filter" = ?3 and "value" in (select "value" from ${quote(shifts)})`,
      values: [owner, collection, filter as string],
    })
  }
}

/**
 * Begins to keep the totals of values that have become large. After a small merge only the values
 * it touched are looked at; after one that made up most of the collection, all of them.
 */
const keepLargeTotals = async (parts: Merge, all: boolean): Promise<void> => {
  const { session, dialect, table, owner } = parts
  const collection = table.resource.path
  for (const { name } of ownFilters(table.resource)) {
    const column = quote(name)
    const touched = all ? '' : ` and ${column} in (select ${column} from ${quote(staged(table))})`
    await session.run({
      text: [
        'insert into "selvedge_totals" ("brand", "collection", "filter", "value", "total")',
        `select ?1, ?2, ?3, ${asText(column, dialect)}, count(*) from ${quote(table.name)}`,
        `where "brand" = ?1 and ${column} is not null${touched}`,
        `and ${asText(column, dialect)} not in (select "value" from "selvedge_totals" where "brand" = ?1 and "collection" = ?2 and "filter" = ?3)`,
        `group by ${column} having count(*) > ${countedMax} on conflict do nothing`,
      ].join(' '),
      values: [owner, collection, name],
    })
  }
}
