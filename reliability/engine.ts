import { openPostgres } from '../test/support/postgres.ts'

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

/** What people call them. */
export const engineNames: Readonly<Record<Engine, string>> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
}

/** Does something for each engine, one after the other. */
export const forEngines = async <Result>(
  work: (engine: Engine) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = []
  for (const engine of engines) results.push(await work(engine))
  return results
}

/** Works with an empty database of an engine: the URL of one of PostgreSQL, or none for SQLite. */
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

/** A URL of PostgreSQL whose limits of time are out of reach: another check is about those. */
export const patient = (url: string): string => `${url}?query-ms=60000&connect-ms=60000`
