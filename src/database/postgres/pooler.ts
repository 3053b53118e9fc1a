import type pg from 'pg'
import { DatabaseError } from '../errors.ts'
import { toDatabaseError } from './errors.ts'
import type { PostgresHost } from './host.ts'

/** Enough rounds for a busy pooler to assign another session, if it ever does. */
const rounds = 8

/**
 * Rejects a pooler that assigns another session for each transaction. The serving role and prepared
 * statements belong to a session: with shared sessions, requests would fail, and other programs
 * would inherit the role.
 */
export const refuseSharedSessions = async (host: PostgresHost): Promise<void> => {
  const one = await host.dedicatedClient()
  let other: pg.Client | null = null
  try {
    other = await host.dedicatedClient()
    const own = await sessionOf(one)
    for (let round = 0; round < rounds; round += 1) {
      await other.query('begin')
      // With two connections open, a session seen by both is shared.
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

/** Process ids are reused; together with the start time, one is unique. */
const sessionOf = async (client: pg.Client): Promise<string> => {
  const { rows } = await client.query({
    text: 'select pid, backend_start::text from pg_stat_get_activity(pg_backend_pid())',
    rowMode: 'array',
    query_timeout: sessionMs,
  } as pg.QueryArrayConfig)
  return String(rows[0])
}

const sessionMs = 5_000
