import type { Dialect, Query, Row, Session } from '#database'
import { lastChange, type StoreTable } from '../schema/collection-stats.ts'
import { ownerNumber, sharedNumber } from '../schema/owners.ts'

/**
 * The numbers of the writes of each owner. A write adds its own number in its transaction, so that a
 * state has the number if and only if it contains the write: neither a replica that lags nor a
 * database that was restored from an older backup has it, since no number is given twice.
 */
export const writesTable = ({ integer, tableOptions }: Dialect): StoreTable => ({
  name: tableName,
  rows: 'owner',
  ddl: `create table "${tableName}" (
  "owner" ${integer} not null,
  "change" ${integer} not null,
  primary key ("owner", "change")
)${tableOptions}`,
})

const tableName = 'selvedge_writes'

/**
 * Numbers that are so much lower than the last one are deleted. Numbers increase by half a million
 * on average, so about 100,000 are kept.
 */
const keptNumbers = 5e10

/** Adds the number that `nextChange` has just issued, and deletes old ones. */
export const logWrite = (
  session: Session,
  dialect: Dialect,
  owner: number,
): readonly Promise<number>[] => [
  session.run({
    text: [
      `insert into "${tableName}" ("owner", "change")`,
      `values (?1, ${lastChange(dialect)})`,
    ].join('\n'),
    values: [owner],
  }),
  session.run({
    text: [
      `delete from "${tableName}"`,
      `where "owner" = ?1 and "change" < ${lastChange(dialect)} - ${keptNumbers}`,
    ].join('\n'),
    values: [owner],
  }),
]

export const lastWriteQuery = (owner: number): Query => ({
  text: `select max("change") from "${tableName}" where "owner" = ?1`,
  values: [owner],
})

/** The number of the owner's write before one; null if it is the first that is kept. */
export const previousWriteQuery = (owner: number, change: number): Query => ({
  text: `select max("change") from "${tableName}" where "owner" = ?1 and "change" < ?2`,
  values: [owner, change],
})

/** The number of an owner's last write; null if it has none. */
export const lastWrite = async (session: Session, owner: number): Promise<number | null> => {
  const [row] = await session.all(lastWriteQuery(owner))
  const last = row?.[0] ?? null
  return last === null ? null : Number(last)
}

/** Whether a state contains a write of a brand or of shared records. */
export const writeQuery = (brand: string, change: number, dialect: Dialect): Query => ({
  text: [
    `select (select count(*) from "${tableName}"`,
    `where "owner" in (?2, ${sharedNumber}) and "change" = ?1), ${lastChange(dialect)}`,
  ].join('\n'),
  values: [change, ownerNumber(brand)],
})

/** Parses the result of `writeQuery`. A number that is too old to be kept counts as contained. */
export const hasWrite = (change: number, row: Row | undefined): boolean =>
  Number(row?.[0] ?? 0) > 0 || change < Number(row?.[1] ?? 0) - keptNumbers
