/** Runs the query of a file with DuckDB and prints its rows as JSON, or on a PostgreSQL with a URL. */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { openDuckDb } from './duckdb.ts'

const [, , file = '', url] = process.argv
const sql = readFileSync(file, 'utf8')
if (url) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
} else {
  const duckdb = await openDuckDb()
  console.log(JSON.stringify(await duckdb.query(sql)))
  duckdb.close()
}
