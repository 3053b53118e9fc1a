import { type Dialect, type Query, quote, type Session } from '#database'
import { identityList, identityOf } from '../schema/change-tables.ts'
import { comparable } from '../schema/comparable.ts'
import { columnDdl, type Key, type Table } from '../schema/tables.ts'
import { quarantineTable } from './quarantine-table.ts'
import { type RepeatedRows, rank, ranksName } from './repeated-rows.ts'
import { isAmong, rejectedName, stagedName } from './staging.ts'

/*
 * Of several rows with one key, a removal can be the one that counts, as the last entry of a log table
 * that says "deleted". Removals have no row in the staging table, nor have bad rows. Their places
 * among the staged rows are in a table of their own.
 */

/** A removal, or a bad row whose identity is known. */
export interface PlacedRow {
  readonly key: Key
  readonly isRemoval: boolean
  readonly line: number
  /** See `RowBatch`. */
  readonly rank: string | null
  /** The number of rows of its batch that are before it. */
  readonly after: number
}

const placesName = (table: Table) => `places_${table.name}`

/** Creates the temporary table of places. */
export const createPlaces = async (
  session: Session,
  table: Table,
  dialect: Dialect,
): Promise<void> => {
  const name = quote(placesName(table))
  const { integer } = dialect
  const columns = [
    ...table.key.map((column) => columnDdl(column, dialect)),
    ...['is_removal', 'source', 'line', 'after_row'].map((each) => `"${each}" ${integer} not null`),
    columnDdl(rank, dialect),
  ]
  const index = dialect.temporaryIndex(`${placesName(table)}__key`)
  const key = table.key.map((column) => quote(column.name)).join(', ')
  await session.runAll([
    `create temp table if not exists ${name} (\n${columns.join(',\n')}\n)`,
    `delete from ${name}`,
    `create index if not exists ${index} on ${name} (${key})`,
  ])
}

/** Adds rows of a batch whose staged rows are numbered from `firstRow`. */
export const loadPlaces = async (
  session: Session,
  table: Table,
  source: number,
  rows: readonly PlacedRow[],
  firstRow: number,
): Promise<void> => {
  const columns = [...table.key, 'is_removal', 'source', 'line', 'after_row', rank]
  const values = rows.map((row) => [
    ...row.key,
    row.isRemoval ? 1 : 0,
    ...[source, row.line, firstRow + row.after - 1],
    row.rank === null ? null : comparable('decimal', row.rank),
  ])
  await session.bulkInsert(placesName(table), columns, values)
}

/**
 * Removes staged rows of the sources if a removal with the same key counts. Returns how many. Leaves
 * one removal of each identity, for `compileDropRemoved`.
 */
export const dropRemoved = async (parts: RepeatedRows): Promise<number> => {
  const { session, dialect, table, choice, sources } = parts
  const [places, staged] = [quote(placesName(table)), quote(stagedName(table))]
  const values = [JSON.stringify(sources)]
  const key = table.key.map(({ name }) => `r.${quote(name)}`).join(', ')
  const direction = choice === 'first' ? 'asc' : 'desc'
  const order = [
    ...(choice === 'newest' ? ['r."rank" desc nulls last'] : []),
    ...placeColumns.map((name) => `r."${name}" ${direction}`),
  ].join(', ')
  await session.run({
    text: [
      `delete from ${places}`,
      'where "is_removal" = 1 and ("source", "line") in (',
      'select p."source", p."line" from (',
      'select r."source", r."line",',
      `row_number() over (partition by ${key} order by ${order}) as "place"`,
      `from ${places} as r`,
      `where ${isRemovalOf(dialect, '?1')}`,
      ') as p',
      'where p."place" > 1)',
    ].join('\n'),
    values,
  })
  return session.run({
    text: [
      `delete from ${staged}`,
      'where "staged_row" in (',
      'select s."staged_row"',
      ...besideRows(parts, staged),
      `where ${isRemovalOf(dialect, '?1')} and ${isAmong('s."staged_source"', '?1', dialect)}`,
      `and ${countsBefore(parts, 'staged')})`,
    ].join('\n'),
    values,
  })
}

/** Deletes what an import has put in quarantine if a removal counts, and no bad row. */
export const compileDropRemoved = (parts: RepeatedRows, owner: number, writing: number): Query => {
  const { dialect, table, sources } = parts
  const identity = identityOf(table, dialect, 'r')
  const removals = `select ${identity} from ${quote(placesName(table))} as r`
  const isRemoval = isRemovalOf(dialect, '?4')
  return {
    text: [
      `delete from ${quote(quarantineTable)}`,
      'where "owner" = ?1 and "collection" = ?2 and "writing" = ?3',
      `and (${identityList}) in (${removals} where ${isRemoval})`,
      `and (${identityList}) not in (`,
      `${removals} join ${quote(placesName(table))} as s on ${isSame(table)}`,
      `where ${isRemoval} and s."is_removal" = 0`,
      `and not ${countsBefore(parts, 'bad')})`,
      `and (${identityList}) not in (`,
      `select ${identity}`,
      ...besideRows(parts, quote(rejectedName(table))),
      `where ${isRemoval} and not ${countsBefore(parts, 'staged')})`,
    ].join('\n'),
    values: [owner, table.resource.path, writing, JSON.stringify(sources)],
  }
}

const placeColumns = ['after_row', 'source', 'line']

const isRemovalOf = (dialect: Dialect, sources: string): string =>
  `r."is_removal" = 1 and ${isAmong('r."source"', sources, dialect)}`

const isSame = ({ key }: Table): string =>
  key.map(({ name }) => `s.${quote(name)} = r.${quote(name)}`).join(' and ')

/** The removals `r` beside rows `s` of a table with staged rows, and the ranks `k` of these. */
const besideRows = ({ table, hasRanks }: RepeatedRows, rows: string): readonly string[] => [
  `from ${quote(placesName(table))} as r`,
  `join ${rows} as s on ${isSame(table)}`,
  ...(hasRanks
    ? [`left join ${quote(ranksName(table))} as k on k."staged_row" = s."staged_row"`]
    : []),
]

/** A condition: the removal `r` counts, and not the row `s`. */
const countsBefore = ({ choice, hasRanks }: RepeatedRows, row: 'staged' | 'bad'): string => {
  const place = (alias: string) => placeColumns.map((name) => `${alias}."${name}"`).join(', ')
  const isLater =
    row === 'bad' ? `(${place('r')}) > (${place('s')})` : 'r."after_row" >= s."staged_row"'
  if (choice === 'last') return `(${isLater})`
  if (choice === 'first') return `(not (${isLater}))`
  const other = row === 'bad' ? 's."rank"' : hasRanks ? 'k."rank"' : 'null'
  return [
    `coalesce(r."rank" > ${other} or (r."rank" is not null and ${other} is null)`,
    `or ((r."rank" = ${other} or (r."rank" is null and ${other} is null)) and ${isLater}), false)`,
  ].join('\n')
}
