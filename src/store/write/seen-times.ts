import { isSameByValue, valueAt, writeIdentity } from '#contract'
import { type Dialect, quote, type Session, type SqlValue } from '#database'
import { identityColumns } from '../schema/change-tables.ts'
import { readText } from '../schema/identifier.ts'
import { bodyOf, type StoredRecord } from '../schema/record-body.ts'
import { columnsOf, type Key, storedValue, type Table } from '../schema/tables.ts'
import { quarantineTable } from './quarantine-table.ts'
import { createPacker, type StagedRows } from './staging.ts'

/**
 * Fields that no source provides: when a record was first seen, and when it last changed. Incoming
 * records carry the time of the import.
 */
export interface SeenTimes {
  /** Paths of fields, such as `createdAt`. */
  readonly firstSeen: readonly string[]
  readonly lastChanged: readonly string[]
}

export interface SeenTimesParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly owner: number
}

/** Rows per lookup. */
const batchRows = 1_000

/**
 * Restores the times of records that exist already. A record keeps its first-seen time, and also
 * its last-changed time if nothing else differs. So importing the same rows twice changes nothing.
 */
export const keepSeenTimes = async (
  parts: SeenTimesParts & { readonly hasQuarantined: boolean },
  table: Table,
  rows: StagedRows,
  times: SeenTimes,
): Promise<StagedRows> => {
  if (times.firstSeen.length + times.lastChanged.length === 0) return rows
  const identify = createReader(table, rows)
  const pack = createPacker(table)
  const replaced = new Map<number, readonly SqlValue[]>()
  for (let from = 0; from < rows.lines.length; from += batchRows) {
    const count = Math.min(batchRows, rows.lines.length - from)
    const batch = Array.from({ length: count }, (_, index) => identify(from + index))
    const keys = batch.map(({ key }) => key)
    const existing = await existingTexts(parts, table, keys)
    if (existing.size === 0) continue
    for (const { row, key, body } of batch) {
      const before = existing.get(writeIdentity(key))
      if (before === undefined || before === body) continue
      const cells: SqlValue[] = []
      pack(withTimes(table, body, before, times), cells)
      replaced.set(row, cells)
    }
  }
  return replaced.size > 0 ? withCells(table, rows, replaced) : rows
}

interface Incoming {
  /** Its index among all rows. */
  readonly row: number
  readonly key: readonly string[]
  readonly body: string
}

/** Reads identities and texts of rows. Rows must be requested in order. */
const createReader = (table: Table, rows: StagedRows): ((row: number) => Incoming) => {
  const { canonical, others, cells } = rows
  const columns = columnsOf(table).length
  const parts = table.key.length
  const bytes = canonical && Buffer.from(canonical.bytes.buffer, canonical.bytes.byteOffset)
  let other = 0
  return (row) => {
    if (others[other] === row) {
      const first = other * (columns + 1)
      other += 1
      const key = cells.slice(first, first + parts).map(String)
      return { row, key, body: String(cells[first + columns]) }
    }
    const at = (row - other) * (columns * 2 + 2)
    const slice = (pair: number) =>
      bytes?.toString(
        'utf8',
        canonical?.offsets[at + pair * 2],
        canonical?.offsets[at + pair * 2 + 1],
      ) ?? ''
    const key = Array.from({ length: parts }, (_, part) => slice(part + 1))
    return { row, key, body: slice(0) }
  }
}

/** Replaces the cells of some rows. */
const withCells = (
  table: Table,
  rows: StagedRows,
  replaced: ReadonlyMap<number, readonly SqlValue[]>,
): StagedRows => {
  const cellsWidth = columnsOf(table).length + 1
  const offsetsWidth = cellsWidth * 2
  const wasOther = new Set(rows.others)
  const others: number[] = []
  const cells: SqlValue[] = []
  const canonicalRows: number[] = []
  let [other, canonical] = [0, 0]
  for (const row of rows.lines.keys()) {
    const own = replaced.get(row)
    if (wasOther.has(row)) {
      const first = other * cellsWidth
      for (const cell of own ?? rows.cells.slice(first, first + cellsWidth)) cells.push(cell)
      others.push(row)
      other += 1
      continue
    }
    if (own) {
      for (const cell of own) cells.push(cell)
      others.push(row)
    } else canonicalRows.push(canonical)
    canonical += 1
  }
  if (!rows.canonical || canonicalRows.length === 0)
    return { ...rows, canonical: null, others, cells }
  const { bytes, offsets: all } = rows.canonical
  const offsets = new Int32Array(canonicalRows.length * offsetsWidth)
  for (const [index, row] of canonicalRows.entries()) {
    const from = row * offsetsWidth
    offsets.set(all.subarray(from, from + offsetsWidth), index * offsetsWidth)
  }
  return { ...rows, canonical: { bytes, offsets }, others, cells }
}

const withTimes = (
  { resource }: Table,
  body: string,
  before: string,
  { firstSeen, lastChanged }: SeenTimes,
): StoredRecord => {
  const existing = JSON.parse(before) as StoredRecord
  const take = (record: StoredRecord, fields: readonly string[]) =>
    fields.reduce((result, field) => {
      const path = field.split('.')
      const value = valueAt(existing, path) ?? null
      return value === null ? result : withValue(result, path, value)
    }, record)
  const record = take(JSON.parse(body) as StoredRecord, firstSeen)
  const unchanged = bodyOf(resource, take(record, lastChanged))
  return isSameByValue(resource.fields, unchanged, before) ? existing : record
}

const withValue = (record: StoredRecord, path: readonly string[], value: unknown): StoredRecord => {
  const [name = '', ...rest] = path
  if (rest.length === 0) return { ...record, [name]: value }
  const inner = record[name]
  return inner === null || typeof inner !== 'object'
    ? record
    : { ...record, [name]: withValue(inner as StoredRecord, rest, value) }
}

/** The texts of the records that exist, by identity: stored, or else in quarantine; or the reverse. */
export const existingTexts = async (
  {
    session,
    dialect,
    owner,
    hasQuarantined,
  }: SeenTimesParts & { readonly hasQuarantined: boolean },
  table: Table,
  keys: readonly Key[],
  prefers: 'stored' | 'waiting' = 'stored',
): Promise<ReadonlyMap<string, string>> => {
  const { stored, waiting } = existingQueries(table, dialect)
  const identities = JSON.stringify(
    keys.map((key) =>
      JSON.stringify(Object.fromEntries(table.key.map(({ name }, index) => [name, key[index]]))),
    ),
  )
  const bodies = new Map<string, string>()
  const both = prefers === 'stored' ? [waiting, stored] : [stored, waiting]
  for (const text of hasQuarantined ? both : [stored]) {
    for (const row of await session.all({ text, values: [identities, owner] })) {
      const key = row.slice(0, -1).map((cell) => readText(cell))
      bodies.set(writeIdentity(key), String(row.at(-1)))
    }
  }
  return bodies
}

/**
 * Statements that find stored and quarantined records by identity. ?1 is the list of identities, ?2 the
 * owner.
 */
export const existingQueries = (
  table: Table,
  dialect: Dialect,
): { readonly stored: string; readonly waiting: string } => {
  const parts = identityColumns.map((_, index) => {
    const column = table.key[index]
    return column
      ? storedValue(column, dialect.jsonText('g."value"', [column.name]), dialect)
      : "''"
  })
  // Join from the wanted records to the existing ones; the reverse reads the whole table per batch.
  const join = dialect.joinsInOrder ? 'cross join' : 'join'
  const find = (from: string, conditions: readonly string[]) =>
    [
      `select ${parts.slice(0, table.key.length).join(', ')}, t."body"`,
      `from ${dialect.textsIn('?1', 'g')}`,
      `${join} ${quote(from)} as t on ${['t."owner" = ?2', ...conditions].join(' and ')}`,
    ].join('\n')
  const isStored = table.key.map(({ name }, index) => `t.${quote(name)} = ${parts[index]}`)
  const isQuarantined = identityColumns.map((name, index) => {
    const kind = table.key[index]?.kind ?? 'text'
    return `t.${quote(name)} = ${dialect.keyBytes(parts[index] ?? "''", kind)}`
  })
  return {
    stored: find(table.name, isStored),
    waiting: find(quarantineTable, [
      `t."collection" = '${table.resource.path}'`,
      ...isQuarantined,
      't."body" is not null',
    ]),
  }
}
