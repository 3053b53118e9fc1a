import { type Dialect, quote, type Row, type Session, type SqlValue } from '#database'
import { readText } from '../schema/identifier.ts'
import { storedValue, type Table } from '../schema/tables.ts'
import { type SearchEntry, searchEntries } from '../search-index/entries.ts'
import {
  createEntryChanges,
  type EntryChanges,
  identityColumns,
  isSearchable,
  type RecordEntries,
  readIdentity,
  valueColumns,
} from '../search-index/search-table.ts'
import { removalsName, stagedName } from './staging.ts'

export interface StagedChanges {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: number
  /** Whether staged records may be stored already. */
  readonly overlaps: boolean
  readonly removes: boolean
}

/** Records per batch: a few milliseconds of work and less than 1 MB of values. */
const batchRows = 2_000

/**
 * Updates the search index for a pending merge. Expects that staged rows differ from stored ones
 * and that removals are stored. Reads the stored records, so it must run before they change.
 */
export const maintainEntries = async (parts: StagedChanges): Promise<void> => {
  if (!isSearchable(parts.table)) return
  const changes = await createEntryChanges(parts.session, parts.dialect, parts.table)
  if (parts.removes) await collectRemoved(parts, changes)
  await collectStaged(parts, changes)
  await changes.apply()
}

const collectStaged = async (
  { session, dialect, table, owner, overlaps }: StagedChanges,
  changes: EntryChanges,
): Promise<void> => {
  const identity = identityColumns(table, 's', dialect)
  const values = valueColumns(table, 's', dialect)
  const isSame = table.key.map(({ name }) => `t.${quote(name)} = s.${quote(name)}`).join(' and ')
  const text = [
    `select s."staged_row", ${[...identity, ...values].join(', ')}`,
    ...(overlaps ? [`, ${valueColumns(table, 't', dialect).join(', ')}, t."owner"`] : []),
    `from ${quote(stagedName(table))} as s`,
    ...(overlaps ? [`left join ${quote(table.name)} as t on t."owner" = ?2 and ${isSame}`] : []),
    'where s."staged_row" > ?1',
    'order by s."staged_row"',
    `limit ${batchRows}`,
  ].join('\n')
  const [from, to] = [1 + identity.length, 1 + identity.length + values.length]
  let after: SqlValue = 0
  for (;;) {
    const rows = await session.all({ text, values: overlaps ? [after, owner] : [after] })
    const added: RecordEntries[] = []
    const removed: RecordEntries[] = []
    for (const row of rows) {
      const staged = textsIn(row, from, to)
      const isStored = overlaps && (row[to + values.length] ?? null) !== null
      const stored = isStored ? textsIn(row, to, to + values.length) : null
      if (stored?.every((value, index) => value === staged[index])) continue
      const key = readIdentity(row.slice(1, from))
      const next = searchEntries(staged)
      const before = stored ? searchEntries(stored) : []
      pushDifference(added, { owner, key, entries: next }, before)
      pushDifference(removed, { owner, key, entries: before }, next)
    }
    await changes.add(added)
    await changes.remove(removed)
    if (rows.length < batchRows) return
    after = rows.at(-1)?.[0] ?? null
  }
}

/** Adds the entries that are not among the others. */
const pushDifference = (
  into: RecordEntries[],
  { owner, key, entries }: RecordEntries,
  others: readonly SearchEntry[],
): void => {
  const left =
    others.length === 0
      ? entries
      : entries.filter(
          ({ text, rank }) => !others.some((each) => each.text === text && each.rank === rank),
        )
  if (left.length > 0) into.push({ owner, key, entries: left })
}

const collectRemoved = async (
  { session, dialect, table, owner }: StagedChanges,
  changes: EntryChanges,
): Promise<void> => {
  const names = table.key.map(({ name }) => `r.${quote(name)}`)
  const isSame = table.key.map(({ name }) => `t.${quote(name)} = r.${quote(name)}`).join(' and ')
  const identity = identityColumns(table, 'r', dialect)
  const values = valueColumns(table, 't', dialect)
  let after: readonly string[] | null = null
  for (;;) {
    const bounds = table.key.map((column, index) => storedValue(column, `?${index + 2}`, dialect))
    const rows: readonly Row[] = await session.all({
      text: [
        `select ${[...names, ...identity, ...values].join(', ')}`,
        `from ${quote(removalsName(table))} as r`,
        `join ${quote(table.name)} as t on t."owner" = ?1 and ${isSame}`,
        ...(after ? [`where (${names.join(', ')}) > (${bounds.join(', ')})`] : []),
        `order by ${names.join(', ')}`,
        `limit ${batchRows}`,
      ].join('\n'),
      values: [owner, ...(after ?? [])],
    })
    const width = names.length
    await changes.remove(
      rows.map((row) => ({
        owner,
        key: readIdentity(row.slice(width, width * 2)),
        entries: searchEntries(textsIn(row, width * 2)),
      })),
    )
    if (rows.length < batchRows) return
    after = (rows.at(-1) as Row).slice(0, width).map(readText)
  }
}

const textsIn = (row: Row, from: number, to?: number): readonly (string | null)[] =>
  row.slice(from, to) as (string | null)[]
