/** Runs the query of a file with DuckDB and prints its rows as JSON. */
import { readFileSync } from 'node:fs'
import { openDuckDb } from './duckdb.ts'

const duckdb = await openDuckDb()
console.log(JSON.stringify(await duckdb.query(readFileSync(process.argv[2] ?? '', 'utf8'))))
duckdb.close()
