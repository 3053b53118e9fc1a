import { type Dialect, quote, type Session } from '#database'
import { comparable } from '../schema/comparable.ts'
import { columnDdl, type Table } from '../schema/tables.ts'
import { isAmong, stagedName } from './staging.ts'

/** Which of several staged rows with one identity counts: the newest has the highest rank. */
export type RowChoice = 'first' | 'last' | 'newest'

export const ranksName = (table: Table) => `ranks_${table.name}`

export const rank = { name: 'rank', kind: 'decimal' } as const

/** Creates the temporary table of ranks. Only mappings that compare rows need it. */
export const createRanks = async (
  session: Session,
  table: Table,
  dialect: Dialect,
): Promise<void> => {
  const name = quote(ranksName(table))
  const row = `"staged_row" ${dialect.integer} primary key`
  await session.runAll([
    `create temp table if not exists ${name} (${row}, ${columnDdl(rank, dialect)})`,
    `delete from ${name}`,
  ])
}

/** Adds the ranks of a batch whose rows are numbered from `firstRow`. */
export const loadRanks = async (
  session: Session,
  table: Table,
  ranks: readonly (string | null)[],
  firstRow: number,
): Promise<void> => {
  const rows = function* () {
    for (const [index, each] of ranks.entries()) {
      if (each !== null) yield [firstRow + index, comparable('decimal', each)]
    }
  }
  await session.bulkInsert(ranksName(table), ['staged_row', rank], rows())
}

export interface RepeatedRows {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly choice: RowChoice
  /** Only rows of these sources are compared with each other. */
  readonly sources: readonly number[]
  readonly hasRanks: boolean
}

/**
 * Leaves one staged row of each identity and returns the number of rows that it removed. The
 * database sorts the rows, however many there are. Of equal ranks, the last row counts.
 */
export const dropRepeated = (parts: RepeatedRows): Promise<number> => {
  const { session, dialect, table, choice, sources, hasRanks } = parts
  const s = quote(stagedName(table))
  const key = table.key.map(({ name }) => `s.${quote(name)}`).join(', ')
  const byRank = choice === 'newest' && hasRanks
  const order = [
    ...(byRank ? ['r."rank" desc nulls last'] : []),
    `s."staged_row" ${choice === 'first' ? 'asc' : 'desc'}`,
  ].join(', ')
  const join = `left join ${quote(ranksName(table))} as r on r."staged_row" = s."staged_row"`
  return session.run({
    text: [
      `delete from ${s}`,
      'where "staged_row" in (',
      'select p."staged_row" from (',
      `select s."staged_row", row_number() over (partition by ${key} order by ${order}) as "place"`,
      `from ${s} as s`,
      ...(byRank ? [join] : []),
      `where ${isAmong('s."staged_source"', '?1', dialect)}`,
      ') as p',
      'where p."place" > 1)',
    ].join('\n'),
    values: [JSON.stringify(sources)],
  })
}
