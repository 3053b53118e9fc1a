import type { JsonValue } from '#contract'
import { type Dialect, type Query, quote, type Session } from '#database'
import { asInteger } from '../schema/collection-stats.ts'
import type { Table } from '../schema/tables.ts'
import type { SourceName } from '../sources/source-states.ts'
import { isQuarantined, isUnstaged } from './quarantine-identity.ts'
import { quarantineTable } from './quarantine-table.ts'
import { removalsName, stagedName } from './staging.ts'

/** A quarantined row with its cells, for another attempt to make a record of it. */
export interface ReceivedCells {
  readonly id: string
  readonly file: string
  readonly line: number
  readonly columns: readonly string[]
  readonly cells: readonly JsonValue[]
}

/** Rows that are read at once. */
const batchRows = 500

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
export async function* findReceived({
  session,
  dialect,
  owner,
  table,
  source,
  tried,
  isStaged,
}: ReceivedSearch): AsyncIterable<readonly ReceivedCells[]> {
  const isOfSource = source
    ? 'and "source_kind" = ?5 and "source_name" = ?6'
    : 'and "source_kind" is null'
  let last = ''
  for (;;) {
    const query: Query = {
      text: [
        'select "id", "file", "line", "row"',
        `from ${quote(quarantineTable)} as q`,
        'where "owner" = ?1 and "collection" = ?2 and "id" > ?3',
        // An empty hash is that of a row that is not tried again.
        `and "mapping" <> '' and "row" is not null`,
        `and "mapping" not in (select m."value" from ${dialect.textsIn('?4', 'm')})`,
        isOfSource,
        ...(isStaged ? isUnstaged(table, dialect) : []),
        'order by "id"',
        `limit ${batchRows}`,
      ].join('\n'),
      values: [
        ...[owner, table.resource.path, last, JSON.stringify(tried)],
        ...(source ? [source.kind, source.name] : []),
      ],
    }
    const rows = await session.all(query)
    if (rows.length > 0) {
      yield rows.map(([id, file, line, row]) => ({
        id: String(id),
        file: String(file),
        line: Number(line),
        ...JSON.parse(String(row)),
      }))
    }
    if (rows.length < batchRows) return
    last = String(rows.at(-1)?.[0])
  }
}

/**
 * Removes the staged rows of a source whose record another row or a removal is staged for. The source
 * has the quarantined rows with these ids; a record that none of them was known to be stays as it is
 * stored. Returns how many.
 */
export const yieldStaged = (
  {
    session,
    dialect,
    owner,
    table,
  }: Pick<ReceivedSearch, 'session' | 'dialect' | 'owner' | 'table'>,
  source: number,
  ids: readonly string[],
): Promise<number> => {
  const staged = quote(stagedName(table))
  const isSame = (alias: string) =>
    table.key.map(({ name }) => `${alias}.${quote(name)} = ${staged}.${quote(name)}`).join(' and ')
  const [number, of] = [asInteger('?1', dialect), asInteger('?2', dialect)]
  return session.run({
    text: [
      `delete from ${staged}`,
      `where "staged_source" = ${number}`,
      `and (exists (select 1 from ${staged} as o where ${isSame('o')} and o."staged_source" <> ${number})`,
      `or exists (select 1 from ${quote(removalsName(table))} as r where ${isSame('r')})`,
      `or exists (select 1 from ${quote(table.name)} as t where t."owner" = ${of} and ${isSame('t')})`,
      `and not exists (select 1 from ${quote(quarantineTable)} as q`,
      `where q."owner" = ${of} and q."collection" = ?3 and ${isQuarantined(table, staged, dialect)}`,
      `and q."id" in (select i."value" from ${dialect.textsIn('?4', 'i')})))`,
    ].join('\n'),
    values: [source, owner, table.resource.path, JSON.stringify(ids)],
  })
}
