/**
 * The size of stored records: fills a demo brand on each engine in a temporary folder and prints the
 * bytes per record, in tables and in indexes. `--orders <n>` sets the size (500 by default).
 */
import { join } from 'node:path'
import { catalog, importOrder, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { openStory, season } from '#demo'
import { createStore, sharedOwner } from '#store'
import { openPostgres } from '../test/support/postgres.ts'
import { readOptions, whole } from './options.ts'
import { inSandbox } from './sandbox.ts'

const sizes: Record<Database['dialect']['name'], string> = {
  sqlite: `select sum(case when type = 'table' then pgsize end), sum(case when type = 'index' then pgsize end)
     from dbstat
     join sqlite_schema on sqlite_schema.name = dbstat.name`,
  postgres: `select sum(pg_table_size(oid))::bigint, sum(pg_indexes_size(oid))::bigint
     from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
}

const measure = async (database: Database, orders: number): Promise<void> => {
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

export const runStorage = (args: readonly string[]): Promise<number> => {
  const values = readOptions(args, { orders: { type: 'string', default: '500' } })
  const orders = whole('orders', values.orders, 0, 1_000_000)
  return inSandbox(async (sandbox) => {
    const sqlite = openDatabase(`sqlite:${join(sandbox.folder, 'storage.db')}`)
    await measure(sqlite, orders)
    await sqlite.close()
    const server = await openPostgres()
    sandbox.onClose(() => server.close())
    const postgres = openDatabase(await server.url('storage'))
    await measure(postgres, orders)
    await postgres.close()
    return 0
  })
}
