import { type Dialect, type LookupKind, literal, quote, together } from '#database'
import { asInteger, asText, countedMax } from '../schema/collection-stats.ts'
import { columnDdl, columnOf, ownFilters, storedValue } from '../schema/tables.ts'
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

/** A temporary table: by how much the total of each filter's value changes. */
const shifts = quote('staged_shifts')

/** Whether a merge can change how many records have which value of a filter. */
export type MovesFilter = (filter: string) => boolean

/** What a merge is about to do. */
export interface Movement {
  /** How many records are added, changed and removed. */
  readonly records: number
  /** Whether any of them are removed. */
  readonly removes: boolean
  readonly moves: MovesFilter
  /** Whether `storeLargeTotals` counts the values that more records have than before. */
  readonly countsTouched: boolean
}

/** Changes the stored totals, of these filters, by what is about to be added and removed. */
export const shiftStoredTotals = async (
  parts: Merge,
  stored: readonly string[],
  movement: Movement,
): Promise<void> => {
  const { session, table, owner } = parts
  const counted = movement.countsTouched ? namesOfFilters(table) : stored
  const filters = counted.filter(movement.moves)
  if (filters.length === 0) return
  const shift = [
    `select "shift" from ${shifts} as m`,
    'where m."filter" = "selvedge_totals"."filter" and m."value" = "selvedge_totals"."value"',
  ].join('\n')
  const shiftTotals = () =>
    session.run({
      text: [
        'update "selvedge_totals"',
        `set "total" = "total" + (${shift})`,
        'where "owner" = ?1 and "collection" = ?2',
        `and ("filter", "value") in (select "filter", "value" from ${shifts})`,
      ].join('\n'),
      values: [owner, table.resource.path],
    })
  await together([
    ...findShifts(parts, filters, movement),
    ...(stored.length > 0 ? [shiftTotals()] : []),
  ])
}

/** Up to this many records, what is stored of them is looked up once for all filters. */
const lookedUpMax = 10_000

/** Finds out by how much the total of each value changes. */
const findShifts = (
  { session, dialect, table, owner }: Merge,
  filters: readonly string[],
  { records, removes }: Movement,
): readonly Promise<unknown>[] => {
  const [t, s, r] = [table.name, stagedName(table), removalsName(table)].map(quote)
  const names = (['filter', 'value'] as const).map((name) => ({ name, kind: 'text' }) as const)
  const created = [
    `create temp table if not exists ${shifts} (`,
    ...names.map((column) => `${columnDdl(column, dialect)},`),
    `"shift" ${dialect.integer} not null,`,
    'primary key ("filter", "value")',
    ')',
  ]
  // What is staged drives the join. Otherwise a covering index of the filter would be read as a whole.
  const join = dialect.joinsInOrder ? 'cross join' : 'join'
  const isSame = table.key.map(({ name }) => `t.${quote(name)} = o.${quote(name)}`).join(' and ')
  const storedOf = (others: string | undefined) =>
    [
      `select ${filters.map((name) => `t.${quote(name)}`).join(', ')}`,
      `from ${others} as o`,
      `${join} ${t} as t on t."owner" = ?1 and ${isSame}`,
    ].join('\n')
  const shiftsOf = (filter: string) => {
    const column = quote(filter)
    return [
      `select ${literal(filter)}, ${asText('v', columnOf(table, filter).kind, dialect)}, sum(d)`,
      'from (',
      `select ${column} as v, 1 as d from ${s} where ${column} is not null`,
      'union all',
      `select ${column}, -1 from "before" where ${column} is not null`,
      ') as moved',
      'group by v',
    ].join('\n')
  }
  return [
    session.runAll([created.join('\n'), `delete from ${shifts}`]),
    // One statement for all filters: a small batch spends its time on statements, not on rows.
    session.run({
      text: [
        `with "before" as ${records > lookedUpMax ? 'not ' : ''}materialized (`,
        (removes ? [s, r] : [s]).map(storedOf).join('\nunion all\n'),
        ')',
        `insert into ${shifts} ("filter", "value", "shift")`,
        filters.map(shiftsOf).join('\nunion all\n'),
      ].join('\n'),
      values: [owner],
    }),
  ]
}

const namesOfFilters = ({ resource }: Parts['table']): readonly string[] =>
  ownFilters(resource).map(({ name }) => name)

/** A column's value from its text. */
const ofText = (text: string, kind: LookupKind, dialect: Dialect): string =>
  kind === 'integer' ? asInteger(text, dialect) : storedValue({ name: '', kind }, text, dialect)

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
export const storedFilters = async ({
  session,
  table,
  owner,
}: Merge): Promise<readonly string[]> => {
  const collection = table.resource.path
  const rows = await session.all({
    text: [
      'select distinct "filter"',
      'from "selvedge_totals"',
      'where "owner" = ?1 and "collection" = ?2',
    ].join('\n'),
    values: [owner, collection],
  })
  const own = new Set(namesOfFilters(table))
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

/** The values whose totals may have become large: all, or those that a merge has found more records of. */
export type Counted = 'all' | 'touched'

/** Whether any value of a collection of so many records can be large. */
export const canBeLarge = (total: number): boolean => total > countedMax

/**
 * Stores the totals of values that have become large. After a merge that made up most of the
 * collection, all values are counted; after a small one only those that more records have than
 * before, each along its index.
 */
export const storeLargeTotals = async (
  parts: Parts,
  counts: Counted,
  moves: MovesFilter = () => true,
): Promise<void> => {
  const { session, dialect, table, owner } = parts
  const filters = namesOfFilters(table).filter(moves)
  if (filters.length === 0) return
  const t = quote(table.name)
  const largeOf = (filter: string) => {
    const column = quote(filter)
    const { kind } = columnOf(table, filter)
    const counted =
      counts === 'all'
        ? [
            `select ${asText('v', kind, dialect)} as "value", n`,
            `from (select ${column} as v, count(*) as n`,
            `from ${t}`,
            `where "owner" = ?1 and ${column} is not null`,
            `group by ${column}`,
            `having count(*) > ${countedMax}) as g`,
          ]
        : [
            `select m."value", (select count(*) from ${t} as t`,
            `where t."owner" = ?1 and t.${column} = ${ofText('m."value"', kind, dialect)}) as n`,
            `from ${shifts} as m`,
            `where m."filter" = ${literal(filter)} and m."shift" > 0`,
            'and not exists (select 1 from "selvedge_totals" as e',
            'where e."owner" = ?1 and e."collection" = ?2',
            'and e."filter" = m."filter" and e."value" = m."value")',
            dialect.onceForEachRow,
          ]
    return [
      `select ${asInteger('?1', dialect)}, ?2, ${literal(filter)}, "value", n`,
      `from (${counted.join('\n')}) as large`,
      `where n > ${countedMax}`,
    ].join('\n')
  }
  await session.run({
    text: [
      'insert into "selvedge_totals" ("owner", "collection", "filter", "value", "total")',
      filters.map(largeOf).join('\nunion all\n'),
      'on conflict do nothing',
    ].join('\n'),
    values: [owner, table.resource.path],
  })
}
