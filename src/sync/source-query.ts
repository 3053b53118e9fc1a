import type { SqlOrigin } from '#mapping'
import { hasCursor, replaceCursor } from './cursor-placeholder.ts'
import { requireReading } from './reading-statement.ts'
import { type ColumnKind, SourceDatabaseError, type SourceDialect } from './source-database.ts'

/** How far the rows of a query have been read. */
export interface QueryCursor {
  readonly kind: ColumnKind
  /** A value of the cursor column, as the database writes it. */
  readonly value: string
}

/** The name of the column with the text of the cursor. It is the last one. */
export const cursorColumn = 'selvedge_cursor'

/**
 * The query of the rows that have changed since a cursor; of all rows without one. Rows without a
 * value in the cursor column are read every time: no comparison would ever find them.
 */
export const rowsQuery = (
  origin: SqlOrigin,
  cursor: QueryCursor | null,
  dialect: SourceDialect,
): string => {
  const from = cursor && lowerBound(cursor, origin.overlapMs)
  const sql = withCursor(origin.sql, from, dialect)
  if (origin.cursor === null) return partOf(sql)
  const column = `s.${dialect.quote(origin.cursor)}`
  const isOwn = hasCursor(origin.sql, dialect.lexicon)
  return [
    `select s.*, ${dialect.asText(column)} as ${cursorColumn}`,
    ...['from (', sql, ') as s'],
    ...(from === null || isOwn
      ? []
      : [`where ${column} >= ${dialect.literal(from)} or ${column} is null`]),
    `order by ${dialect.ascending(column)}`,
  ].join('\n')
}

/**
 * The query of deleted keys, without those of rows that are there: a key that is used again is no
 * longer deleted. Null where it depends on a cursor and there is none: nothing has been read yet.
 */
export const deletedQuery = (
  origin: SqlOrigin,
  keyColumns: readonly string[],
  cursor: QueryCursor | null,
  dialect: SourceDialect,
): string | null => {
  if (origin.deleted === null) return null
  if (cursor === null && hasCursor(origin.deleted, dialect.lexicon)) return null
  const from = cursor && lowerBound(cursor, origin.overlapMs)
  const same = keyColumns.map(dialect.quote).map((name) => `s.${name} = d.${name}`)
  return [
    'select d.*',
    ...['from (', withCursor(origin.deleted, from, dialect), ') as d'],
    'where not exists (select 1',
    ...['from (', withCursor(origin.sql, null, dialect), ') as s'],
    `where ${same.join(' and ')})`,
  ].join('\n')
}

/** The query of the keys of all rows, with the columns that decide which rows are left out. */
export const keysQuery = (
  origin: SqlOrigin,
  columns: readonly string[],
  dialect: SourceDialect,
): string => {
  const own = origin.reconcile?.sql
  if (own) return allOf(own, dialect)
  return [
    `select ${columns.map((name) => `s.${dialect.quote(name)}`).join(', ')}`,
    ...['from (', withCursor(origin.sql, null, dialect), ') as s'],
  ].join('\n')
}

/** The first rows of a query of this file, which has no limit yet. */
export const firstRows = (sql: string, rowsMax: number): string => `${sql}\nlimit ${rowsMax}`

/** All rows of a query of a mapping. */
export const allOf = (sql: string, dialect: SourceDialect): string =>
  partOf(withCursor(sql, null, dialect))

/** A part of another query can only read, whatever its text is. */
const partOf = (sql: string): string => ['select q.*', ...['from (', sql, ') as q']].join('\n')

/** A query of a mapping with a value for `:cursor`, ready to be part of another one. */
const withCursor = (
  sql: string,
  from: string | null,
  { literal, lexicon }: SourceDialect,
): string => {
  const own = requireReading(sql, lexicon)
  return replaceCursor(own, from === null ? 'null' : literal(from), lexicon)
}

/** The place from which rows are read again: this much before the cursor. */
const lowerBound = ({ kind, value }: QueryCursor, overlapMs: number): string => {
  if (overlapMs === 0) return value
  if (kind === 'instant' || kind === 'civil') return shiftTime(value, -overlapMs)
  throw new SourceDatabaseError(
    'overlap needs a cursor column of dates or times. Remove overlap, or use another cursor column.',
    false,
  )
}

const timePattern =
  /^(?<day>\d{4}-\d\d-\d\d)(?: (?<time>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d+))?(?<zone>[+-]\d\d)?)?$/

/** A day or a time of a database, some milliseconds later. Digits beyond milliseconds are cut. */
const shiftTime = (text: string, ms: number): string => {
  const { day, time, fraction = '', zone = '' } = timePattern.exec(text)?.groups ?? {}
  if (!day) return text
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const at = Date.parse(`${day}T${time ?? '00:00:00'}.${milliseconds}Z`)
  const shifted = new Date(at + ms).toISOString()
  return time ? `${shifted.slice(0, 23).replace('T', ' ')}${zone}` : shifted.slice(0, 10)
}

/** Times without a zone may be those of any zone. */
const zoneMs = 14 * 3_600_000
const clockMs = 60_000

/**
 * Follows the cursor column of rows that come in its order. Times in the future are not followed: a
 * typing mistake of a century would end the synchronisation.
 */
export const createCursorReader = (
  kind: ColumnKind,
  now: number,
): { readonly read: (text: string | null) => void; readonly last: () => QueryCursor | null } => {
  const isTime = kind === 'instant' || kind === 'civil'
  const latest = new Date(now + (kind === 'instant' ? clockMs : zoneMs))
  const bound = latest.toISOString().slice(0, 19).replace('T', ' ')
  let value: string | null = null
  return {
    read: (text) => {
      if (text !== null && !(isTime && text.slice(0, 19) > bound)) value = text
    },
    last: () => (value === null ? null : { kind, value }),
  }
}
