import { type Dialect, type LookupKind, literal, quote, together } from '#database'
import { asInteger, asText, countedMax } from '../schema/collection-stats.ts'
import { columnDdl, columnOf, ownFilters, storedValue } from '../schema/tables.ts'
import type { Merge } from './merge.ts'
import { removalsName, stagedName } from './staging.ts'

type Parts = Pick<Merge, 'session' | 'dialect' | 'table' | 'owner'>

/** Adds to the collection's total. Its version is assigned later: see `versions.ts`. */
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

/** A temporary table: by how much the total of each filter value changes. */
const shifts = quote('staged_shifts')

/** Whether a merge can change the totals of a filter. */
export type MovesFilter = (filter: string) => boolean

/** The pending changes of a merge. */
export interface Movement {
  /** Records added, changed and removed. */
  readonly records: number
  /** Whether any of them are removed. */
  readonly removes: boolean
  readonly moves: MovesFilter
  /** Whether `storeLargeTotals` counts the values whose totals grow. */
  readonly countsTouched: boolean
}

/** Updates the stored totals of these filters for the pending additions and removals. */
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

/** Up to this many records, stored values are looked up once for all filters. */
const lookedUpMax = 10_000

/** Computes by how much the total of each value changes. */
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
  // Staged rows drive the join. Otherwise the engine would scan a covering index of the filter.
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
    // One statement for all filters: small batches spend their time on statements, not on rows.
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

/** Converts a text to a column's value. */
const ofText = (text: string, kind: LookupKind, dialect: Dialect): string =>
  kind === 'integer' ? asInteger(text, dialect) : storedValue({ kind }, text, dialect)

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
 * The filters with stored totals. Deletes totals of filters that are no longer in the contract,
 * because no column is left to compute them from.
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

/** The values to count: all, or those whose totals grew in a merge. */
export type Counted = 'all' | 'touched'

/** Whether any value of a collection of this size can be large. */
export const canBeLarge = (total: number): boolean => total > countedMax

/**
 * Stores totals that have become large. After a merge of most of the collection, counts all values;
 * after a small one, only the values whose totals grew, each along its index.
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
