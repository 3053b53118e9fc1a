import { type Checks, newChecks } from '#contract'
import type { Dialect, Query, Row, Session } from '#database'
import type { StoreTable } from './collection-stats.ts'
import { ownerNumber } from './owners.ts'

/**
 * The checks of each owner's records on the way in. An owner without a row enforces all of them. The
 * owners that exist when the table is created only get warnings, so that an upgrade refuses nothing
 * that was taken before.
 */
export const brandChecksTable = ({ integer }: Dialect): StoreTable => ({
  name: tableName,
  rows: 'none',
  ddl: `create table "${tableName}" (
  "owner" ${integer} primary key,
  "checks" text not null
)`,
  fill: [
    `insert into "${tableName}" ("owner", "checks")`,
    `select "owner", '${JSON.stringify({ default: 'warn', exceptions: {} } satisfies Checks)}'`,
    'from "selvedge_owners"',
  ].join('\n'),
})

const tableName = 'selvedge_brand_checks'

export const brandChecksQuery = (owner: number): Query => ({
  text: `select "checks" from "${tableName}" where "owner" = ?1`,
  values: [owner],
})

/** Selects the checks of owners that have a row. */
export const allChecksOf = `select "checks", "owner" from "${tableName}"`

/** The checks of every owner that has a row. */
export const allChecksQuery: Query = { text: allChecksOf, values: [] }

/** Parses a row of `brandChecksQuery`. */
export const parseChecks = (row: Row | undefined): Checks =>
  row ? (JSON.parse(String(row[0])) as Checks) : newChecks

export const storeChecks = async (
  session: Session,
  slug: string,
  checks: Checks,
): Promise<void> => {
  await session.run({
    text: [
      `insert into "${tableName}" ("owner", "checks")`,
      'values (?1, ?2)',
      'on conflict ("owner") do update set "checks" = excluded."checks"',
    ].join('\n'),
    values: [ownerNumber(slug), JSON.stringify(checks)],
  })
}
