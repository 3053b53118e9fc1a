import type { Reference } from '#contract'
import { type Dialect, type Query, quote, type Row, type Session, type SqlValue } from '#database'
import { asInteger, asText } from '../schema/collection-stats.ts'
import { readText } from '../schema/identifier.ts'
import { ownerAmong } from '../schema/owners.ts'
import { columnsOf, type Key, type Table } from '../schema/tables.ts'
import type { DanglingRow } from './quarantine.ts'
import { quarantineMax } from './quarantine-table.ts'
import { rejectedName, stagedName, unstageRows } from './staging.ts'

/** A staged row that cannot be stored, with the reason. */
export interface RejectedRow {
  /** Its number among the staged rows; null if it could not be staged. */
  readonly row: number | null
  readonly source: number
  readonly line: number
  /** The reference whose record does not exist; null for other reasons. */
  readonly reference: Reference | null
  readonly value: string
  /** Where a duplicate's identity was staged first, and whether its record is the same. */
  readonly first: {
    readonly source: number
    readonly line: number
    readonly isSame: boolean
    /** The JSON text of its record, unless it is long. */
    readonly body?: string | null
  } | null
  /** Why the database refuses the row, and the field if it is known. */
  readonly refusal: { readonly field: string | null; readonly reason: string } | null
  readonly isQuarantined: boolean
  /** Whether another record has its key. Its problem was reported before. */
  readonly hasKeyProblem?: true
  /** The identity and the text of a row that could not be staged. */
  readonly unstaged?: { readonly key: Key; readonly body: string }
  /** The JSON text of its record, unless it is long; of a duplicate, and of a dangling reference. */
  readonly body?: string | null
}

/** Longer texts are not read for a message. */
const bodyCharactersMax = 16_384

/** The JSON text of a record, unless it is too long; for `bodyText`. */
export const shortBody = (alias: string): string =>
  `case when length(${alias}."body") <= ${bodyCharactersMax} then ${alias}."body" end`

export const bodyText = (value: SqlValue | undefined): string | null =>
  typeof value === 'string' ? value : null

/** Rejected rows are read in batches, so that an import of only bad rows fits in memory. */
const batchRows = 5_000

/**
 * Removes rows whose identity was staged before from the staging table, and yields them in order.
 * With `keeps`, also removes and yields the first row of an identity whose rows differ: which one is
 * right is not known.
 */
export async function* rejectDuplicates(
  session: Session,
  table: Table,
  dialect: Dialect,
  keeps: boolean,
): AsyncIterable<RejectedRow> {
  /** The first rows of identities whose rows differ, each with the number of another. */
  const firsts = new Map<number, number>()
  for await (const { firstRow, ...repeated } of findDuplicates(session, table, dialect, keeps)) {
    const { first, row } = repeated
    // With more of them, the quarantine is full.
    const isWanted = keeps && first && !first.isSame && firsts.size <= quarantineMax
    if (isWanted && row !== null && !firsts.has(firstRow)) firsts.set(firstRow, row)
    yield repeated
  }
  for (const part of inParts([...firsts])) {
    const rows = await readFirsts(session, table, dialect, part)
    await unstageRows(
      session,
      { table, dialect, keeps },
      part.map(([row]) => row),
    )
    yield* rows
  }
}

/** First rows of an identity, which are staged, with another of its rows, which is rejected. */
const readFirsts = async (
  session: Session,
  table: Table,
  dialect: Dialect,
  pairs: readonly (readonly [number, number])[],
): Promise<readonly RejectedRow[]> => {
  const place = (alias: string) => `${alias}."staged_source", ${alias}."staged_line"`
  const numbers = pairs.map(([row, other]) => JSON.stringify({ row, other }))
  const at = (name: string) => asInteger(dialect.jsonText('n."value"', [name]), dialect)
  const rows = await session.all({
    text: [
      `select s."staged_row", ${place('s')}, ${identityText(table, 's', dialect)},`,
      `${place('o')}, ${shortBody('s')}, ${shortBody('o')}`,
      `from ${dialect.textsIn('?1', 'n')}`,
      `join ${quote(stagedName(table))} as s on s."staged_row" = ${at('row')}`,
      `join ${quote(rejectedName(table))} as o on o."staged_row" = ${at('other')}`,
      'order by s."staged_row"',
    ].join('\n'),
    values: [JSON.stringify(numbers)],
  })
  return rows.map(([row, source, line, value, otherSource, otherLine, body, otherBody]) => ({
    ...{ row: Number(row), source: Number(source), line: Number(line), value: String(value) },
    ...{ reference: null, refusal: null, isQuarantined: false, body: bodyText(body) },
    first: {
      ...{ source: Number(otherSource), line: Number(otherLine), isSame: false },
      body: bodyText(otherBody),
    },
  }))
}

const identityText = (table: Table, alias: string, dialect: Dialect): string =>
  table.key
    .map(({ name, kind }) => asText(`${alias}.${quote(name)}`, kind, dialect))
    .join(" || ' ' || ")

function* inParts<T>(rows: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < rows.length; at += batchRows) yield rows.slice(at, at + batchRows)
}

const findDuplicates = (
  session: Session,
  table: Table,
  dialect: Dialect,
  keeps: boolean,
): AsyncIterable<RejectedRow & { readonly firstRow: number }> => {
  const s = quote(stagedName(table))
  const key = table.key.map(({ name }) => quote(name))
  const isSame = key.map((name) => `d.${name} = s.${name}`).join(' and ')
  const identity = identityText(table, 's', dialect)
  const text = [
    `select s."staged_row", s."staged_source", s."staged_line", ${identity},`,
    'f."staged_source", f."staged_line",',
    'case when f."body" = s."body" then 1 else 0 end, f."staged_row",',
    `${shortBody('s')}, ${shortBody('f')}`,
    `from (select ${key.join(', ')}, min("staged_row") as "first"`,
    `from ${s}`,
    `group by ${key.join(', ')}`,
    'having count(*) > 1) as d',
    `join ${s} as s on ${isSame} and s."staged_row" > d."first"`,
    `join ${s} as f on f."staged_row" = d."first"`,
    'where s."staged_row" > ?1',
    'order by s."staged_row"',
    `limit ${batchRows}`,
  ].join('\n')
  const search = { session, dialect, table, text, values: [], remove: true, keeps }
  return findRejected(
    search,
    ([row, source, line, value, firstSource, firstLine, isSame, firstRow, body, firstBody]) => ({
      row: Number(row),
      firstRow: Number(firstRow),
      source: Number(source),
      line: Number(line),
      reference: null,
      value: String(value),
      first: {
        source: Number(firstSource),
        line: Number(firstLine),
        isSame: Number(isSame) === 1,
        body: bodyText(firstBody),
      },
      refusal: null,
      isQuarantined: false,
      body: bodyText(body),
    }),
  )
}

export interface DanglingSearch {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly target: Table
  readonly reference: Reference
  readonly owner: number
  /** Whether to remove dangling rows from the staging table. */
  readonly remove: boolean
  /** Lets some of the dangling rows wait and returns their numbers. */
  readonly park?: Park
  /** See `unstageRows`. */
  readonly keeps: boolean
}

type Park = (rows: readonly DanglingRow[]) => Promise<ReadonlySet<number>>

/** Yields rows that reference a record that does not exist, in order. */
export const findDangling = (search: DanglingSearch): AsyncIterable<RejectedRow> => {
  const { session, dialect, table, target, reference, remove, park, keeps } = search
  const s = quote(stagedName(table))
  const value = referenceValue(table, reference.field, 's', dialect)
  const column = quote(target.key[0]?.name ?? 'id')
  const missing = (owner: string, wanted: string) => [
    `not exists (select 1 from ${quote(target.name)} as t`,
    `where t."owner" = ${owner} and t.${column} = ${wanted})`,
  ]
  const text = [
    `select s."staged_row", s."staged_source", s."staged_line", ${value}, ${shortBody('s')}`,
    `from ${s} as s`,
    `where s."staged_row" > ?1 and ${value} is not null and`,
    ...missing('?2', value),
    ...(target.name === table.name
      ? [`and not exists (select 1 from ${s} as o where o.${column} = ${value})`]
      : []),
    'order by s."staged_row"',
    `limit ${batchRows}`,
  ].join('\n')
  const owner = ownerAmong(target.resource, search.owner)
  // Most imports have no dangling reference, and one lookup per distinct value, in order, is far
  // cheaper than one per row.
  const anyMissing = {
    text: [
      'select 1',
      `from (select distinct ${value} as v from ${s} as s) as d`,
      'where d.v is not null and',
      ...missing('?1', 'd.v'),
      'limit 1',
    ].join('\n'),
    values: [owner],
  }
  return findRejected(
    {
      ...{ session, dialect, table, text, values: [owner], remove, anyMissing, keeps },
      ...(park && { park }),
    },
    ([row, source, line, wanted, body], isQuarantined) => ({
      row: Number(row),
      source: Number(source),
      line: Number(line),
      reference,
      value: readText(wanted ?? null),
      first: null,
      refusal: null,
      isQuarantined,
      body: bodyText(body),
    }),
  )
}

/** A reference's identifier: its column if there is one, else from the JSON text. */
export const referenceValue = (
  table: Table,
  field: string,
  alias: string,
  dialect: Dialect,
): string => {
  const column = columnsOf(table).find(({ path }) => path.join('.') === field)
  return column
    ? `${alias}.${quote(column.name)}`
    : dialect.uuid(dialect.jsonText(`${alias}."body"`, field.split('.')))
}

interface RejectedRowSearch {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  /** Finds a batch of rows after the row number ?1. */
  readonly text: string
  readonly values: readonly SqlValue[]
  readonly remove: boolean
  readonly keeps: boolean
  /** A faster query that runs first: whether there is anything to find. */
  readonly anyMissing?: Query
  readonly park?: Park
}

async function* findRejected<Rejected>(
  { session, dialect, table, text, values, remove, anyMissing, park, keeps }: RejectedRowSearch,
  read: (row: Row, isQuarantined: boolean) => Rejected,
): AsyncIterable<Rejected> {
  if (anyMissing && (await session.all(anyMissing)).length === 0) return
  let last: SqlValue = 0
  for (;;) {
    const rows = await session.all({ text, values: [last, ...values] })
    const dangling = rows.map(([row, source]) => ({ row: Number(row), source: Number(source) }))
    const parked = await park?.(dangling)
    const rejected = dangling.map(({ row }) => row).filter((row) => !parked?.has(row))
    // One statement per batch: a statement per row would cost a round trip each.
    if (remove && rejected.length > 0)
      await unstageRows(session, { table, dialect, keeps }, rejected)
    for (const row of rows) {
      last = row[0] ?? 0
      yield read(row, parked?.has(Number(last)) ?? false)
    }
    if (rows.length < batchRows) return
  }
}
