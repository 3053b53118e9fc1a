import { type Dialect, quote, type Row, type Session } from '#database'
import { readText } from '../schema/identifier.ts'
import { type Key, storedValue, type Table } from '../schema/tables.ts'
import { removalsName, stagedName } from './staging.ts'

/** A change that a merge is about to make. */
export interface MergeChange {
  readonly operation: 'added' | 'changed' | 'removed'
  readonly key: Key
  /** Where the record comes from; null for one that is removed. */
  readonly place: { readonly source: number; readonly line: number } | null
  /** The texts of the record; null if there is none. */
  readonly before: string | null
  readonly after: string | null
}

/** Receives the changes of a merge, until it returns false. */
export type OnChange = (change: MergeChange) => boolean

interface ChangesParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: number
}

/** Pairs of texts in memory at a time. */
const batchRows = 500

/**
 * Reads what a merge changes, in order of the staged rows, then of the removed identities. Call it
 * when only new and differing rows are staged, and nothing is stored yet.
 */
export const readChanges = async (parts: ChangesParts, onChange: OnChange): Promise<void> => {
  for await (const change of stagedChanges(parts)) if (!onChange(change)) return
  for await (const change of removals(parts)) if (!onChange(change)) return
}

/** The stored text of a row's record. A subquery: a join per batch might read the whole table. */
const storedBody = ({ table }: ChangesParts, alias: string): string => {
  const isSame = table.key.map(({ name }) => `t.${quote(name)} = ${alias}.${quote(name)}`)
  const where = ['t."owner" = ?1', ...isSame].join(' and ')
  return `(select t."body" from ${quote(table.name)} as t where ${where})`
}

const keysOf = ({ table }: ChangesParts, alias: string): string =>
  table.key.map(({ name }) => `${alias}.${quote(name)}`).join(', ')

async function* stagedChanges(parts: ChangesParts): AsyncIterable<MergeChange> {
  const { session, table, owner } = parts
  const text = [
    `select s."staged_row", s."staged_source", s."staged_line", ${storedBody(parts, 's')},`,
    `s."body", ${keysOf(parts, 's')}`,
    `from ${quote(stagedName(table))} as s`,
    'where s."staged_row" > ?2',
    'order by s."staged_row"',
    `limit ${batchRows}`,
  ].join('\n')
  let last = 0
  for (;;) {
    const rows = await session.all({ text, values: [owner, last] })
    for (const [row, source, line, before = null, after, ...key] of rows) {
      last = Number(row)
      yield {
        operation: before === null ? 'added' : 'changed',
        key: key.map(readText),
        place: { source: Number(source), line: Number(line) },
        before: before === null ? null : String(before),
        after: String(after),
      }
    }
    if (rows.length < batchRows) return
  }
}

async function* removals(parts: ChangesParts): AsyncIterable<MergeChange> {
  const { session, dialect, table, owner } = parts
  const keys = keysOf(parts, 'r')
  const parameters = table.key.map((column, at) => storedValue(column, `?${at + 2}`, dialect))
  const query = (after: Row) => ({
    text: [
      `select ${storedBody(parts, 'r')}, ${keys}`,
      `from ${quote(removalsName(table))} as r`,
      ...(after.length > 0 ? [`where (${keys}) > (${parameters.join(', ')})`] : []),
      `order by ${keys}`,
      `limit ${batchRows}`,
    ].join('\n'),
    values: [owner, ...after],
  })
  let last: Key = []
  for (;;) {
    const rows = await session.all(query(last))
    for (const [before, ...key] of rows) {
      last = key.map(readText)
      const place = { operation: 'removed', key: last, place: null } as const
      yield { ...place, before: String(before), after: null }
    }
    if (rows.length < batchRows) return
  }
}
