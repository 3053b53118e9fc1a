/**
 * How much room records take: fills a demo brand on each engine in a temporary folder and prints
 * bytes per record, in tables and in indexes. `--orders <n>` sets the size (500 unless said).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { catalog, importOrder, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { openStory, season } from '#demo'
import { createStore, sharedOwner } from '#store'
import { openPostgres } from '../test/support/postgres.ts'

const { values } = parseArgs({ options: { orders: { type: 'string', default: '500' } } })
const orders = Number(values.orders)

const sizes: Record<Database['dialect']['name'], string> = {
  sqlite:
    "select sum(case when type = 'table' then pgsize end), sum(case when type = 'index' then pgsize end) from dbstat join sqlite_schema on sqlite_schema.name = dbstat.name",
  postgres:
    "select sum(pg_table_size(oid))::bigint, sum(pg_indexes_size(oid))::bigint from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
}

const measure = async (database: Database): Promise<void> => {
  const store = await createStore(catalog, database)
  const { shared } = await openStory()
  const records: { [path: string]: object[] } = {}
  let total = 0
  for (const { path, record } of season({ brand: 'acme', orders, seed: 1 })) {
    records[path] ??= []
    records[path].push(record)
    total += 1
  }
  for (const [owner, set] of [
    [sharedOwner, shared],
    ['acme', records],
  ] as const) {
    await store.write(owner, async (writer) => {
      for (const path of importOrder(catalog).flat()) {
        await writer.stage(resourceAt(catalog, path), (set[path] ?? []) as never)
        await writer.merge(resourceAt(catalog, path))
      }
    })
  }
  const { name } = database.dialect
  const [[row] = []] = await database.read([{ text: sizes[name], values: [] }])
  const [tables, indexes] = [Number(row?.[0]), Number(row?.[1])]
  const each = (bytes: number) => Math.round(bytes / total)
  console.log(
    `${name}: ${total.toLocaleString('en')} records, ${Math.round((tables + indexes) / 1e6)} MB; bytes per record: ${each(tables)} in tables, ${each(indexes)} in indexes`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'selvedge-storage-'))
const sqlite = openDatabase(`sqlite:${join(folder, 'storage.db')}`)
await measure(sqlite)
await sqlite.close()
rmSync(folder, { recursive: true, force: true })

const server = await openPostgres()
const postgres = openDatabase(await server.url('storage'))
await measure(postgres)
await postgres.close()
await server.close()
