import { openPostgres, type Postgres } from '../test/support/postgres.ts'

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

/** What people call them. */
export const engineNames: Readonly<Record<Engine, string>> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
}

/** Works with an empty database of an engine: the URL of one of PostgreSQL, or none for SQLite. */
export const onEngine = async <Result>(
  engine: Engine,
  work: (databaseUrl: string | undefined) => Promise<Result>,
): Promise<Result> => {
  if (engine === 'sqlite') return work(undefined)
  const postgres: Postgres = await openPostgres()
  try {
    return await work(await postgres.url('records'))
  } finally {
    await postgres.close()
  }
}

/** A URL of PostgreSQL whose limits of time are out of reach: another check is about those. */
export const patient = (url: string): string => `${url}?query-ms=60000&connect-ms=60000`
