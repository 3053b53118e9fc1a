/** A primary and a synchronous standby that takes its place. */
import pg from 'pg'
import { openPostgres, type Postgres } from '../../test/support/postgres.ts'

export interface Pair {
  /** The primary at first, and its standby. */
  readonly old: Postgres
  readonly promoted: Postgres
  /** The address of both. */
  readonly url: string
  /** Kills the primary, and promotes the standby. */
  failOver(): Promise<void>
  close(): Promise<void>
}

/** Opens both after `prepare` has filled the database of the primary. */
export const openPair = async (prepare: (url: string) => Promise<void>): Promise<Pair> => {
  const settings = ['wal_level=replica', 'max_wal_senders=4', 'hot_standby=on']
  const old = await openPostgres({ settings })
  await prepare(await old.url())
  const promoted = await openPostgres({ standbyOf: old })
  // What is acknowledged is on both, so that the standby has it when it is promoted.
  await ask(old, "alter system set synchronous_standby_names = '*'")
  await ask(old, 'select pg_reload_conf()')
  return {
    old,
    promoted,
    url: `postgres://postgres@127.0.0.1:${old.port},127.0.0.1:${promoted.port}/selvedge`,
    failOver: async () => {
      await old.kill()
      await ask(promoted, 'select pg_promote()')
      // It returns as one that takes writes by itself.
      settings.push('synchronous_standby_names=')
    },
    close: async () => {
      await old.close()
      await promoted.close()
    },
  }
}

/** The first column of the rows of a query. */
export const ask = async ({ port }: Postgres, text: string): Promise<readonly string[]> => {
  const client = new pg.Client(`postgres://postgres@127.0.0.1:${port}/selvedge`)
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows.map(([value]) => String(value))
  } finally {
    await client.end()
  }
}
