import type { JsonValue } from '#contract'
import { type Dialect, type Query, quote, type Session } from '#database'
import { identityList } from '../schema/change-tables.ts'
import { asInteger, asText } from '../schema/collection-stats.ts'
import { keyFromBytes } from '../schema/identifier.ts'
import type { Key, Table } from '../schema/tables.ts'
import type { SourceName } from '../sources/source-states.ts'
import { isQuarantined, isUnstaged } from './quarantine-identity.ts'
import { quarantineTable } from './quarantine-table.ts'
import type { RejectedRow } from './rejected-rows.ts'
import { removalsName, stagedName, unstageRows } from './staging.ts'

/** A quarantined row with its cells, for another attempt to make a record of it. */
export interface ReceivedCells {
  readonly id: string
  /** The identity of its record; null if it could not be read. */
  readonly key: Key | null
  readonly file: string
  readonly line: number
  readonly columns: readonly string[]
  readonly cells: readonly JsonValue[]
  /** The length of its JSON text. */
  readonly size: number
}

/** Rows that are read at once. */
const batchRows = 100

interface ReceivedSearch {
  readonly session: Session
  readonly dialect: Dialect
  readonly owner: number
  readonly table: Table
  readonly source: SourceName | null
  /** The hashes of the mappings that need not be tried again. */
  readonly tried: readonly string[]
  /** Whether rows of the collection are staged. They take precedence. */
  readonly isStaged: boolean
}

/** The rows of a source that another mapping could not make records of. */
export async function* findReceived(
  search: ReceivedSearch,
): AsyncIterable<readonly ReceivedCells[]> {
  const { session, owner, table, tried } = search
  // An empty hash is that of a row that is not tried again.
  for (let last = ''; ; ) {
    const [row] = await session.all({
      text: [
        'select min("mapping")',
        `from ${quote(quarantineTable)}`,
        'where "owner" = ?1 and "collection" = ?2 and "mapping" > ?3',
      ].join('\n'),
      values: [owner, table.resource.path, last],
    })
    const mapping = row?.[0] ?? null
    if (mapping === null) return
    last = String(mapping)
    if (!tried.includes(last)) yield* receivedBy(search, last)
  }
}

/** The rows that were refused by the mapping with a hash. */
async function* receivedBy(
  search: ReceivedSearch,
  mapping: string,
): AsyncIterable<readonly ReceivedCells[]> {
  const { session, table } = search
  for (let last = ''; ; ) {
    const rows = await session.all(receivedQuery(search, mapping, last))
    if (rows.length > 0) {
      yield rows.map(([id, file, line, row, isIdentified, ...bytes]) => ({
        id: String(id),
        key:
          Number(isIdentified) === 1
            ? table.key.map(({ kind }, index) => keyFromBytes(kind, bytes[index] as Uint8Array))
            : null,
        file: String(file),
        line: Number(line),
        size: String(row).length,
        ...JSON.parse(String(row)),
      }))
    }
    if (rows.length < batchRows) return
    last = String(rows.at(-1)?.[0])
  }
}

export const receivedQuery = (
  { dialect, owner, table, source, isStaged }: Omit<ReceivedSearch, 'session' | 'tried'>,
  mapping: string,
  last: string,
): Query => ({
  text: [
    `select "id", "file", "line", "row", "is_identified", ${identityList}`,
    `from ${quote(quarantineTable)} as q`,
    'where "owner" = ?1 and "collection" = ?2 and "mapping" = ?3 and "id" > ?4',
    'and "row" is not null',
    source ? 'and "source_kind" = ?5 and "source_name" = ?6' : 'and "source_kind" is null',
    ...(isStaged ? isUnstaged(table, dialect) : []),
    'order by "id"',
    `limit ${batchRows}`,
  ].join('\n'),
  values: [
    ...[owner, table.resource.path, mapping, last],
    ...(source ? [source.kind, source.name] : []),
  ],
})

/** What became of staged rows that were in quarantine. */
export interface YieldedRows {
  /** Rows that are not staged any more. */
  readonly count: number
  /** Those of them whose record is stored with other values. The table of rejected rows has them. */
  readonly rejected: readonly Pick<RejectedRow, 'row' | 'source' | 'line' | 'value'>[]
}

/**
 * Removes the staged rows of a source whose record a row or a removal of the import is staged for, or
 * another row is in quarantine for. The source has the quarantined rows with these ids. If none of them was known to be a record that is stored,
 * the record stays as it is: it may be newer.
 */
export const yieldStaged = async (
  parts: Pick<ReceivedSearch, 'session' | 'dialect' | 'owner' | 'table'> & {
    readonly writing: number
    /** The number of sources of the import itself, which come before those of quarantined rows. */
    readonly ownSources: number
  },
  source: number,
  ids: readonly string[],
): Promise<YieldedRows> => {
  const { session, dialect, owner, table, writing, ownSources } = parts
  const staged = quote(stagedName(table))
  const isSame = (alias: string) =>
    table.key.map(({ name }) => `${alias}.${quote(name)} = ${staged}.${quote(name)}`).join(' and ')
  const [number, of] = [asInteger('?1', dialect), asInteger('?2', dialect)]
  const isHeld = (isOwn: boolean) =>
    [
      `exists (select 1 from ${quote(quarantineTable)} as q`,
      `where q."owner" = ${of} and q."collection" = ?3 and ${isQuarantined(table, staged, dialect)}`,
      ...(isOwn ? [] : [`and q."writing" <> ${writing}`]),
      `and q."id" ${isOwn ? 'in' : 'not in'} (select i."value" from ${dialect.textsIn('?4', 'i')}))`,
    ].join('\n')
  const values = [source, owner, table.resource.path, JSON.stringify(ids)]
  const superseded = await session.run({
    text: [
      `delete from ${staged}`,
      `where "staged_source" = ${number}`,
      `and (exists (select 1 from ${staged} as o where ${isSame('o')} and o."staged_source" < ${ownSources})`,
      `or exists (select 1 from ${quote(removalsName(table))} as r where ${isSame('r')})`,
      `or ${isHeld(false)} and not ${isHeld(true)})`,
    ].join('\n'),
    values,
  })
  const identity = table.key
    .map(({ name, kind }) => asText(`t.${quote(name)}`, kind, dialect))
    .join(" || ' ' || ")
  const stored = await session.all({
    text: [
      `select "staged_row", "staged_line", ${identity},`,
      `case when t."body" = ${staged}."body" then 1 else 0 end`,
      `from ${staged}`,
      `join ${quote(table.name)} as t on t."owner" = ${of} and ${isSame('t')}`,
      `where "staged_source" = ${number}`,
      `and not ${isHeld(true)}`,
      'order by "staged_row"',
    ].join('\n'),
    values,
  })
  const numbers = stored.map(([row]) => Number(row))
  if (numbers.length > 0) await unstageRows(session, { table, dialect, keeps: true }, numbers)
  const rejected = stored.flatMap(([row, line, value, isEqual]) =>
    Number(isEqual) === 1
      ? []
      : [{ row: Number(row), source, line: Number(line), value: String(value) }],
  )
  return { count: superseded + stored.length, rejected }
}
