import { quote } from '#database'
import { asInteger, asText, countedMax } from '../schema/collection-stats.ts'
import { columnDdl, columnOf, ownFilters } from '../schema/tables.ts'
import type { Merge } from './merge.ts'
import { removalsName, stagedName } from './staging.ts'

type Parts = Pick<Merge, 'session' | 'dialect' | 'table' | 'owner'>

/** Changes the collection's total by an amount. Its version follows at the end: see `versions.ts`. */
export const shiftCollectionTotal = async (parts: Parts, by: number): Promise<void> => {
  const { session, table, owner } = parts
  await session.run({
    text: [
      'insert into "selvedge_collections" ("owner", "collection", "version", "total")',
      'values (?1, ?2, 0, ?3)',
      'on conflict ("owner", "collection") do update',
      'set "total" = "selvedge_collections"."total" + excluded."total"',
    ].join('\n'),
    values: [owner, table.resource.path, by],
  })
}

/** A temporary table: by how much the total of each value changes. */
const shifts = quote('staged_shifts')

/** Whether a merge can change how many records have which value of a filter. */
export type MovesFilter = (filter: string) => boolean

/** Changes the stored totals, filter by filter, by what is about to be added and removed. */
export const shiftStoredTotals = async (parts: Merge, moves: MovesFilter): Promise<void> => {
  const { session, dialect, table, owner } = parts
  const collection = table.resource.path
  const filters = (await storedFilters(parts)).filter(moves)
  if (filters.length === 0) return
  const value = { name: 'value', kind: 'text' } as const
  await session.run({
    text: [
      `create temp table if not exists ${shifts}`,
      `(${columnDdl(value, dialect)} primary key, "shift" ${dialect.integer} not null)`,
    ].join('\n'),
    values: [],
  })
  const [t, s, r] = [table.name, stagedName(table), removalsName(table)].map(quote)
  const isSame = (one: string, other: string) =>
    table.key.map(({ name }) => `${one}.${quote(name)} = ${other}.${quote(name)}`).join(' and ')
  // What is staged drives the join. Otherwise a covering index of the filter would be read as a whole.
  const join = dialect.joinsInOrder ? 'cross join' : 'join'
  for (const filter of filters) {
    const column = quote(filter)
    const { kind } = columnOf(table, filter)
    await session.run({ text: `delete from ${shifts}`, values: [] })
    await session.run({
      text: [
        `insert into ${shifts} ("value", "shift")`,
        `select ${asText('v', kind, dialect)}, sum(d)`,
        'from (',
        `select s.${column} as v, 1 as d`,
        `from ${s} as s`,
        `where s.${column} is not null`,
        'union all',
        `select t.${column}, -1`,
        `from ${s} as s`,
        `${join} ${t} as t on t."owner" = ?1 and ${isSame('t', 's')}`,
        `where t.${column} is not null`,
        'union all',
        `select t.${column}, -1`,
        `from ${r} as r`,
        `${join} ${t} as t on t."owner" = ?1 and ${isSame('t', 'r')}`,
        `where t.${column} is not null`,
        ') as moved',
        'group by v',
      ].join('\n'),
      values: [owner],
    })
    await session.run({
      text: [
        'update "selvedge_totals"',
        'set "total" = "total" + (',
        `select "shift" from ${shifts} as m where m."value" = "selvedge_totals"."value")`,
        'where "owner" = ?1 and "collection" = ?2 and "filter" = ?3',
        `and "value" in (select "value" from ${shifts})`,
      ].join('\n'),
      values: [owner, collection, filter],
    })
  }
}

/** Whether totals of filters are stored. */
export const hasStoredTotals = async ({ session, table, owner }: Parts): Promise<boolean> => {
  const rows = await session.all({
    text: [
      'select 1',
      'from "selvedge_totals"',
      'where "owner" = ?1 and "collection" = ?2',
      'limit 1',
    ].join('\n'),
    values: [owner, table.resource.path],
  })
  return rows.length > 0
}

/**
 * The filters that a total is stored of. A total of a filter that is no longer in the contract has
 * no column to be computed from: it is deleted, and the records are counted.
 */
const storedFilters = async ({ session, table, owner }: Merge): Promise<readonly string[]> => {
  const collection = table.resource.path
  const rows = await session.all({
    text: [
      'select distinct "filter"',
      'from "selvedge_totals"',
      'where "owner" = ?1 and "collection" = ?2',
    ].join('\n'),
    values: [owner, collection],
  })
  const own = new Set(ownFilters(table.resource).map(({ name }) => name))
  const stored = rows.map(([filter]) => filter as string)
  for (const filter of stored.filter((name) => !own.has(name))) {
    await session.run({
      text: [
        'delete from "selvedge_totals"',
        'where "owner" = ?1 and "collection" = ?2 and "filter" = ?3',
      ].join('\n'),
      values: [owner, collection, filter],
    })
  }
  return stored.filter((name) => own.has(name))
}

/**
 * Stores the totals of values that have become large. After a small merge only the values that it
 * touched are counted; after one that made up most of the collection, all of them.
 */
export const storeLargeTotals = async (
  parts: Parts,
  all: boolean,
  moves: MovesFilter = () => true,
): Promise<void> => {
  const { session, dialect, table, owner } = parts
  const stored = [
    '(select "value" from "selvedge_totals"',
    'where "owner" = ?1 and "collection" = ?2 and "filter" = ?3)',
  ].join('\n')
  for (const { name } of ownFilters(table.resource).filter(({ name }) => moves(name))) {
    const column = quote(name)
    const { kind } = columnOf(table, name)
    const touched = [
      `select ${column} from ${quote(stagedName(table))}`,
      `where ${asText(column, kind, dialect)} not in ${stored}`,
    ].join('\n')
    // Whether a value is stored already is asked once for each value, not for each record.
    await session.run({
      text: [
        'insert into "selvedge_totals" ("owner", "collection", "filter", "value", "total")',
        `select ${asInteger('?1', dialect)}, ?2, ?3, ${asText('v', kind, dialect)}, n`,
        `from (select ${column} as v, count(*) as n`,
        `from ${quote(table.name)}`,
        `where "owner" = ?1 and ${column} is not null`,
        ...(all ? [] : [`and ${column} in (${touched})`]),
        `group by ${column}`,
        `having count(*) > ${countedMax}) as large`,
        `where ${asText('v', kind, dialect)} not in ${stored}`,
        'on conflict do nothing',
      ].join('\n'),
      values: [owner, table.resource.path, name],
    })
  }
}
