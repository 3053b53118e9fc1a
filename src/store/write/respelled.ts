import { hasAmounts, isSameByValue } from '#contract'
import { type Dialect, quote, type Session } from '#database'
import { columnsOf, type Table } from '../schema/tables.ts'
import { isAmong, stagedName } from './staging.ts'

/*
 * Amounts are compared by value: a record in which only their spelling differs, such as `525` after
 * `525.00`, is unchanged. The columns compare by value already, and nearly every change of a record
 * changes one of them, so few records need this second look.
 */

interface RespelledParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: number
}

/** A condition: the staged record `s` and the stored one `t` are equal in all columns. */
export const isAlike = (table: Table): string | null => {
  if (!hasAmounts(table.resource.fields)) return null
  // The time of the last change is among the last columns, and differs most often.
  const columns = columnsOf(table).slice(table.key.length).toReversed()
  return columns.length === 0
    ? 'true'
    : columns
        .map(({ name }) => `t.${quote(name)} is not distinct from s.${quote(name)}`)
        .join(' and ')
}

/** Pairs of texts in memory at a time. */
const batchRows = 500

/** Removes staged records that differ from stored ones only in the spelling of amounts. */
export const dropRespelled = async (parts: RespelledParts): Promise<number> => {
  const { session, dialect, table, owner } = parts
  const alike = isAlike(table)
  if (alike === null) return 0
  const s = quote(stagedName(table))
  const isSame = table.key.map(({ name }) => `t.${quote(name)} = s.${quote(name)}`).join(' and ')
  const from = [
    `from ${s} as s`,
    `${dialect.joinsInOrder ? 'cross join' : 'join'} ${quote(table.name)} as t`,
    `on t."owner" = ?1 and ${isSame}`,
  ]
  const candidates = await session.all({
    text: ['select s."staged_row"', ...from, `where ${alike}`].join('\n'),
    values: [owner],
  })
  let dropped = 0
  for (let at = 0; at < candidates.length; at += batchRows) {
    const rows = JSON.stringify(candidates.slice(at, at + batchRows).map(([row]) => Number(row)))
    const pairs = await session.all({
      text: [
        'select s."staged_row", s."body", t."body"',
        ...from,
        `where ${isAmong('s."staged_row"', '?2', dialect)}`,
      ].join('\n'),
      values: [owner, rows],
    })
    const same = pairs
      .filter(([, one, other]) => isSameByValue(table.resource.fields, String(one), String(other)))
      .map(([row]) => Number(row))
    if (same.length === 0) continue
    dropped += await session.run({
      text: [`delete from ${s}`, `where ${isAmong('"staged_row"', '?1', dialect)}`].join('\n'),
      values: [JSON.stringify(same)],
    })
  }
  return dropped
}
