import { type Dialect, quote, type Session, type SqlValue } from '#database'
import { asText, countedMax, quotedColumns } from '../schema/collection-stats.ts'
import { columnDdl, createIndex, ownFilters, type Table } from '../schema/tables.ts'
import type { Recorder } from './change-log.ts'
import { emptyStaging, indexStaging, removalsName, stagedName } from './staging.ts'

/** What a merge did to a collection. */
export interface Merged {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  /** Stored records that differ from the staged ones and were not changed, with `onlyMissing`. */
  readonly kept?: number
}

export interface Merge {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: string
  /** The number of this transaction among those that change records. */
  readonly change: () => Promise<number>
  /** Removes what was not staged. */
  readonly replace: boolean
  /** Adds what is not stored yet, and changes nothing that is. */
  readonly onlyMissing: boolean
  /** Whether no identity is staged twice is known already. */
  readonly distinct: boolean
  /** Whether any of the identities that are stored, so many, may be among those staged. */
  readonly mayOverlap: (stored: number) => Promise<boolean>
  /** Told when everything staged has come and gone. */
  readonly recorder: Recorder
  /** Told the identities that go, before they do. */
  readonly onRemoving?: (removedTable: string) => Promise<void>
}

/** Makes what was staged part of a collection, with everything that is kept beside it. */
export const mergeStaged = async (parts: Merge): Promise<Merged> => {
  const { session, dialect, table, owner, replace } = parts
  const run = (text: string, ...values: SqlValue[]) => session.run({ text, values })
  const one = async (text: string, ...values: SqlValue[]) =>
    Number((await session.all({ text, values }))[0]?.[0] ?? 0)
  const t = quote(table.name)
  const s = quote(stagedName(table))
  const r = quote(removalsName(table))
  const names = table.key.map(({ name }) => quote(name))
  const keys = names.join(', ')
  const same = (a: string, b: string) =>
    names.map((name) => `${a}.${name} = ${b}.${name}`).join(' and ')

  const before = await countStored(parts)
  const replaces = replace && before > 0
  const leaves = (await one(`select count(*) from ${r}`)) > 0
  if (!parts.distinct || replaces || leaves) await indexStaging(session, table, dialect)
  if (!parts.distinct) {
    // Of an identity that was staged twice, the last one counts.
    await run(
      `delete from ${s} where exists (select 1 from ${s} as d where ${same('d', s)} and d."staged_row" > ${s}."staged_row")`,
    )
  }
  // What is staged stays, whatever was said before.
  if (leaves) {
    await run(`delete from ${r} where exists (select 1 from ${s} as s where ${same('s', r)})`)
  }
  if (replaces) {
    await run(
      `insert into ${r} (${keys}) select ${keys} from ${t} as t where t."brand" = ?1 and not exists (select 1 from ${s} as s where ${same('s', 't')}) on conflict do nothing`,
      owner,
    )
  }
  await run(
    `delete from ${r} where not exists (select 1 from ${t} as t where t."brand" = ?1 and ${same('t', r)})`,
    owner,
  )
  const overlaps = before > 0 && (await parts.mayOverlap(before))
  const unchanged = !overlaps
    ? 0
    : await run(
        `delete from ${s} where exists (select 1 from ${t} as t where t."brand" = ?1 and ${same('t', s)} and t."body" = ${s}."body")`,
        owner,
      )
  const kept =
    parts.onlyMissing && overlaps
      ? await run(
          `delete from ${s} where exists (select 1 from ${t} as t where t."brand" = ?1 and ${same('t', s)})`,
          owner,
        )
      : 0
  const moving = await one(`select count(*) from ${s}`)
  const changed = !overlaps
    ? 0
    : await one(
        `select count(*) from ${s} as s where exists (select 1 from ${t} as t where t."brand" = ?1 and ${same('t', 's')})`,
        owner,
      )
  const added = moving - changed
  const removed = await one(`select count(*) from ${r}`)
  if (moving + removed > 0) {
    await shiftStoredTotals(parts)
    if (removed > 0) {
      await parts.onRemoving?.(removalsName(table))
      await run(
        `delete from ${t} where "brand" = ?1 and exists (select 1 from ${r} as r where ${same('r', t)})`,
        owner,
      )
    }
    const columns = [...quotedColumns(table), '"body"']
    // Sorting whole rows beats following the index of what is staged back and forth.
    const sorted = names.map(dialect.orderKey).join(', ')
    const assigned = columns.slice(names.length).map((name) => `${name} = excluded.${name}`)
    await withIndexesDropped(parts, moving, () =>
      run(
        `insert into ${t} ("brand", ${columns.join(', ')}) select ?1, ${columns.join(', ')} from ${s} where true order by ${sorted} on conflict ("brand", ${keys}) do update set ${assigned.join(', ')}`,
        owner,
      ),
    )
    await parts.recorder.record(table, owner)
    await updateCollectionState(parts, added - removed)
    await storeLargeTotals(parts, moving * 2 > before + added - removed)
  }
  await emptyStaging(session, table)
  return { added, changed, unchanged, removed, ...(parts.onlyMissing && { kept }) }
}

/** From here on an index is made anew rather than added to, if that is what the engine is good at. */
const rowsWorthRebuilding = 20_000

/** Runs a large insert without the indexes, where making them anew afterwards is less work. */
const withIndexesDropped = async (
  { session, dialect, table }: Merge,
  moving: number,
  insert: () => Promise<number>,
): Promise<void> => {
  const run = (text: string) => session.run({ text, values: [] })
  const isLarge = async () => {
    const text = 'select sum("total") from "selvedge_collections" where "collection" = ?1'
    const [row] = await session.all({ text, values: [table.resource.path] })
    return moving > Number(row?.[0] ?? 0)
  }
  if (!dialect.rebuildsIndexes || moving < rowsWorthRebuilding || !(await isLarge())) {
    await insert()
    return
  }
  for (const { name } of table.indexes) await run(`drop index ${quote(name)}`)
  await insert()
  for (const index of table.indexes) await run(createIndex(table, index))
}

/** How many records an owner has in a collection. */
export const countStored = async ({
  session,
  table,
  owner,
}: Pick<Merge, 'session' | 'table' | 'owner'>): Promise<number> => {
  const [row] = await session.all({
    text: 'select "total" from "selvedge_collections" where "brand" = ?1 and "collection" = ?2',
    values: [owner, table.resource.path],
  })
  return Number(row?.[0] ?? 0)
}

/** Moves the collection's total and the number of its last change. */
const updateCollectionState = async (parts: Merge, by: number): Promise<void> => {
  const { session, table, owner, change } = parts
  await session.run({
    text: 'insert into "selvedge_collections" ("brand", "collection", "version", "total") values (?1, ?2, ?3, ?4) on conflict ("brand", "collection") do update set "version" = excluded."version", "total" = "selvedge_collections"."total" + excluded."total"',
    values: [owner, table.resource.path, await change(), by],
  })
}

const shifts = 'staged_shifts'

/** Moves the totals that are kept, filter by filter, by what is about to come and go. */
const shiftStoredTotals = async ({ session, dialect, table, owner }: Merge): Promise<void> => {
  const collection = table.resource.path
  const filters = new Set(ownFilters(table.resource).map(({ name }) => name))
  const found = await session.all({
    text: 'select distinct "filter" from "selvedge_totals" where "brand" = ?1 and "collection" = ?2',
    values: [owner, collection],
  })
  const kept = found.map(([filter]) => filter as string).filter((name) => filters.has(name))
  // A total of a filter that is not in the contract any more has no column to be moved by. Without
  // its row, the records are counted.
  for (const [filter] of found) {
    if (filters.has(filter as string)) continue
    await session.run({
      text: 'delete from "selvedge_totals" where "brand" = ?1 and "collection" = ?2 and "filter" = ?3',
      values: [owner, collection, filter as string],
    })
  }
  if (kept.length === 0) return
  await session.run({
    text: `create temp table if not exists ${quote(shifts)} (${columnDdl({ name: 'value', path: [], integer: false }, dialect)} primary key, "shift" ${dialect.integer} not null)`,
    values: [],
  })
  const [t, s, r] = [table.name, stagedName(table), removalsName(table)].map(quote)
  const same = (a: string, b: string) =>
    table.key.map(({ name }) => `${a}.${quote(name)} = ${b}.${quote(name)}`).join(' and ')
  for (const filter of kept) {
    const column = quote(filter)
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
      values: [owner, collection, filter],
    })
  }
}

/**
 * Begins to keep the totals of values that have become large. After a small merge only the values
 * it touched are looked at; after one that made up most of the collection, all of them.
 */
const storeLargeTotals = async (parts: Merge, all: boolean): Promise<void> => {
  const { session, dialect, table, owner } = parts
  const collection = table.resource.path
  const kept =
    '(select "value" from "selvedge_totals" where "brand" = ?1 and "collection" = ?2 and "filter" = ?3)'
  for (const { name } of ownFilters(table.resource)) {
    const column = quote(name)
    const touched = `select ${column} from ${quote(stagedName(table))} where ${asText(column, dialect)} not in ${kept}`
    // Which values are kept already is asked once for each of them, not for each record.
    await session.run({
      text: [
        'insert into "selvedge_totals" ("brand", "collection", "filter", "value", "total")',
        `select ?1, ?2, ?3, ${asText('v', dialect)}, n from`,
        `(select ${column} as v, count(*) as n from ${quote(table.name)}`,
        `where "brand" = ?1 and ${column} is not null${all ? '' : ` and ${column} in (${touched})`}`,
        `group by ${column} having count(*) > ${countedMax}) as large`,
        `where ${asText('v', dialect)} not in ${kept} on conflict do nothing`,
      ].join(' '),
      values: [owner, collection, name],
    })
  }
}
