/** An independent reader of files: DuckDB. */
import { DuckDBInstance } from '@duckdb/node-api'

export interface DuckDb {
  /** The rows of a query; large integers, times and decimals as DuckDB writes them in JSON. */
  query(sql: string): Promise<readonly DuckDbRow[]>
  close(): void
}

export type DuckDbRow = { readonly [column: string]: unknown }

/** A database in memory, which does not download extensions. */
export const openDuckDb = async (): Promise<DuckDb> => {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    threads: '1',
  })
  const connection = await instance.connect()
  await connection.run(`set TimeZone = 'UTC'`)
  return {
    query: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
