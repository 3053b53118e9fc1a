import { openPostgres } from '../test/support/postgres.ts'

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

/** Display names. */
export const engineNames: Readonly<Record<Engine, string>> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
}

/** Runs work for each engine in turn. */
export const forEngines = async <Result>(
  work: (engine: Engine) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = []
  for (const engine of engines) results.push(await work(engine))
  return results
}

/** Provides an empty database: the URL of a PostgreSQL database, or undefined for SQLite. */
export const onEngine = async <Result>(
  engine: Engine,
  work: (databaseUrl: string | undefined) => Promise<Result>,
): Promise<Result> => {
  if (engine === 'sqlite') return work(undefined)
  const postgres = await openPostgres()
  try {
    return await work(await postgres.url('records'))
  } finally {
    await postgres.close()
  }
}

/** A PostgreSQL URL with time limits that are never reached: another check tests those. */
export const patient = (url: string): string => `${url}?query-ms=60000&connect-ms=60000`
