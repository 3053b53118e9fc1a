/** The database of the example in examples/erp-postgresql, on a real PostgreSQL. */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import type { PostgresDatabases } from './postgres.ts'

export interface Erp {
  readonly url: string
  run(...statements: readonly string[]): Promise<void>
}

const folder = new URL('../../examples/erp-postgresql/', import.meta.url)

/** The mapping of the example. */
export const erpMapping = new URL('brand.map.yaml', folder)

export const openErp = async (
  postgres: Pick<PostgresDatabases, 'url'>,
  name: string,
): Promise<Erp> => {
  const url = await postgres.url(name)
  const run = async (...statements: readonly string[]) => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await run(
    ...['schema.sql', 'data.sql'].map((file) => readFileSync(new URL(file, folder), 'utf8')),
  )
  return { url, run }
}
