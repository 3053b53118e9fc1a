import type pg from 'pg'
import { DatabaseError } from '../database.ts'
import { toDatabaseError } from './errors.ts'
import type { PostgresHost } from './host.ts'

/** Enough rounds for a busy pooler to assign another session, if it ever does. */
const rounds = 8

/**
 * Refuses a pooler that assigns another session for each transaction. The role that serves requests
 * and prepared statements belong to a session: if sessions were shared, requests would fail, and other
 * programs would inherit the role.
 */
export const refuseSharedSessions = async (host: PostgresHost): Promise<void> => {
  const one = await host.dedicatedClient()
  let other: pg.Client | null = null
  try {
    other = await host.dedicatedClient()
    const own = await sessionOf(one)
    for (let round = 0; round < rounds; round += 1) {
      await other.query('begin')
      // With two connections open, a session that both have seen is not their own.
      const isShared = (await sessionOf(other)) === own || (await sessionOf(one)) !== own
      await other.query('commit')
      if (isShared) throw new DatabaseError(refusal(host.name))
    }
  } catch (error) {
    throw toDatabaseError(error)
  } finally {
    for (const client of [one, other]) client?.end().catch(() => undefined)
  }
}

const refusal = (name: string): string =>
  `${name} is a connection pooler that shares sessions between connections (pool_mode = transaction). Selvedge needs a session for each connection: set pool_mode = session for this database, or connect to PostgreSQL itself.`

/** Process ids are used again; together with when it began, one is unique. */
const sessionOf = async (client: pg.Client): Promise<string> => {
  const { rows } = await client.query({
    text: 'select pid, backend_start::text from pg_stat_get_activity(pg_backend_pid())',
    rowMode: 'array',
    query_timeout: sessionMs,
  } as pg.QueryArrayConfig)
  return String(rows[0])
}

const sessionMs = 5_000
