import type { Database, Row, Session } from '../database.ts'
import { columnsQuery, indexesQuery, parseColumns, type TypedTable } from './tables.ts'

/**
 * A PostgreSQL database as a transaction sees it: everything runs in that transaction, so that tables
 * are created and filled at once or not at all.
 */
export const databaseIn = (database: Database, session: Session): Database => ({
  ...database,
  read: async (queries) => {
    const results: (readonly Row[])[] = []
    for (const query of queries) results.push(await session.all(query))
    return results
  },
  write: (work) => work({ ...session, autonomous: (inner) => inner(session) }),
  snapshot: (work) => work((query) => session.all(query)),
  tables: async () => {
    const tables = await typedTables(session)
    return new Map(tables.map(({ name, columns }) => [name, columns.map((each) => each.name)]))
  },
  indexes: async () =>
    new Set((await session.all({ text: indexesQuery, values: [] })).map(([name]) => String(name))),
  close: async () => undefined,
})

/** The tables of a PostgreSQL database, as a transaction sees them. */
export const typedTables = async (session: Session): Promise<readonly TypedTable[]> =>
  parseColumns(await session.all({ text: columnsQuery, values: [] }))
