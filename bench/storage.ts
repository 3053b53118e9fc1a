/**
 * The size of stored records: fills a demo brand on each engine in a temporary folder and prints
 * the bytes per record, in tables and in indexes. `--orders <n>` sets the size (500 by default).
 * Exits with 1 if a target is missed.
 */
import { join } from 'node:path'
import { catalog, importOrder, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { openStory, season } from '#demo'
import { createStore, sharedOwner } from '#store'
import { openPostgres } from '../test/support/postgres.ts'
import { formatCount } from '../tools/options.ts'
import { inSandbox } from '../tools/sandbox.ts'
import { readBenchOptions, whole } from './options.ts'
import { publish } from './results.ts'

const sizes: Record<Database['dialect']['name'], string> = {
  sqlite: `select sum(case when type = 'table' then pgsize end), sum(case when type = 'index' then pgsize end)
     from dbstat
     join sqlite_schema on sqlite_schema.name = dbstat.name`,
  postgres: `select sum(pg_table_size(oid))::bigint, sum(pg_indexes_size(oid))::bigint
     from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
}

/** The bytes of tables and indexes together. */
export const storedBytes: typeof sizes = {
  sqlite: 'select sum(pgsize) from dbstat',
  postgres: `select sum(pg_total_relation_size(oid))::bigint
     from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
}

/** Bytes per record, tables and indexes together. */
const targets: Record<Database['dialect']['name'], number> = { sqlite: 850, postgres: 1_000 }

interface StoredSize {
  readonly engine: Database['dialect']['name']
  readonly records: number
  readonly tableBytes: number
  readonly indexBytes: number
  readonly bytesPerRecord: number
  readonly target: number
}

const measure = async (database: Database, orders: number): Promise<StoredSize> => {
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
  const [tableBytes, indexBytes] = [Number(row?.[0]), Number(row?.[1])]
  const bytesPerRecord = Math.round((tableBytes + indexBytes) / total)
  return {
    engine: name,
    records: total,
    tableBytes,
    indexBytes,
    bytesPerRecord,
    target: targets[name],
  }
}

const sentenceOf = (size: StoredSize): string => {
  const { engine, records, tableBytes, indexBytes, bytesPerRecord, target } = size
  const each = (bytes: number) => formatCount(Math.round(bytes / records))
  const verdict = bytesPerRecord <= target ? 'met   ' : 'MISSED'
  return `${verdict}  ${engine}, bytes per record: ${formatCount(bytesPerRecord)}, at most ${formatCount(target)} (${each(tableBytes)} in tables, ${each(indexBytes)} in indexes; ${formatCount(records)} records)`
}

export const runStorage = (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args, { orders: whole(500, 0, 1_000_000) })
  const { orders } = options
  return inSandbox(async (sandbox) => {
    const sqlite = openDatabase(`sqlite:${join(sandbox.folder, 'storage.db')}`)
    const inSqlite = await measure(sqlite, orders)
    await sqlite.close()
    const server = await openPostgres()
    sandbox.onClose(() => server.close())
    const postgres = openDatabase(await server.url('storage'))
    const inPostgres = await measure(postgres, orders)
    await postgres.close()
    const results = [inSqlite, inPostgres]
    const report = results.map(sentenceOf).join('\n')
    publish(sandbox, options, 'storage', { orders, sizes: results }, report)
    return results.every(({ bytesPerRecord, target }) => bytesPerRecord <= target) ? 0 : 1
  })
}
