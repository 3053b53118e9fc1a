/**
 * The speed of imports: order items from NDJSON into SQLite with all checks, sorted by identity as
 * in an export and unsorted, compared with bare inserts of the same rows, and the demo generator.
 * `--rows <n>` sets the size (1,000,000 by default), `--orders <n>` that of the demo. Exits with 1
 * if a target is missed.
 */

import { once } from 'node:events'
import { copyFileSync, createReadStream, mkdirSync, readSync, renameSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { catalog, resourceAt } from '#contract'
import { ownerNumber } from '#store'
import { sqliteDialect } from '../src/database/sqlite/dialect.ts'
import { createTable, storedValue, tablesOf } from '../src/store/schema/tables.ts'
import { formatCount } from '../tools/options.ts'
import { inSandbox } from '../tools/sandbox.ts'
import { runCommandIn as run } from './command-run.ts'
import { readBenchOptions, whole } from './options.ts'
import { itemId, writeOrderItems } from './order-items.ts'
import { publish } from './results.ts'
import { tableOf } from './table.ts'

/** Private memory: mapped pages of a database belong to the page cache of the operating system. */
const targets = { rowsPerSecond: 80_000, demoPerSecond: 20_000, megabytes: 250 }

export const runImport = (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args, {
    rows: whole(1_000_000, 1, 100_000_000),
    orders: whole(2_000, 0, 1_000_000),
  })
  const { rows, orders } = options
  const bareRows = Math.min(rows, bareRowsMax)
  return inSandbox(async (sandbox) => {
    const { folder } = sandbox
    const { ordersFile, itemsFile } = await writeOrderItems(folder, rows)
    await run(folder, 'demo', '--brand', 'acme', '--orders', '0')
    // The business rules run after the commit and are not measured.
    const importFile = (file: string) =>
      run(folder, 'import', file, '--brand', 'acme', '--no-check', '--json')
    await importFile(ordersFile)
    const database = join(folder, 'bench.db')
    copyFileSync(database, join(folder, 'before.db'))
    const sortedFile = await sortItems(itemsFile, rows)
    const imported = await importFile(sortedFile)
    renameSync(join(folder, 'before.db'), database)
    const unsorted = await importFile(itemsFile)
    const items = JSON.parse(imported.stdout).collections.find(
      ({ collection }: { collection: string }) =>
        collection === resourceAt(catalog, 'order-items').path,
    )
    const again = await importFile(itemsFile)
    const unchanged = JSON.parse(again.stdout).collections[0]
    const bare = await bareInserts(folder, bareRows)
    const demo = await run(
      folder,
      ...['demo', '--brand', 'season', '--orders', `${orders}`, '--json'],
    )
    const made = JSON.parse(demo.stdout)

    const perSecond = (count: number, seconds: number) => Math.round(count / seconds)
    const results = {
      rows,
      /** Of the whole command, from its start until it reports the commit. */
      rowsPerSecond: perSecond(rows, imported.saidAfterSeconds),
      /** Until the process exits, including the checkpoint of the log. */
      untilEndPerSecond: perSecond(rows, imported.seconds),
      beforeCommitPerSecond: perSecond(items.read, items.seconds),
      /** CPU time of all threads, which is more reliable than the rate on a busy machine. */
      cpuMicrosecondsPerRow: (imported.cpuSeconds * 1e6) / rows,
      /** The rows in unsorted order. */
      unsortedPerSecond: perSecond(rows, unsorted.saidAfterSeconds),
      unsortedCpuMicrosecondsPerRow: (unsorted.cpuSeconds * 1e6) / rows,
      unchangedPerSecond: perSecond(unchanged.read, unchanged.seconds),
      barePerSecond: perSecond(bareRows, bare),
      megabytes: Math.max(imported.megabytes, unsorted.megabytes),
      demoPerSecond: perSecond(made.records, made.seconds),
      demoMegabytes: demo.megabytes,
    }
    const report = tableOf(
      ['', 'figure', 'target'],
      [
        [
          'order items, start to commit',
          `${results.rowsPerSecond}/s`,
          `≥ ${targets.rowsPerSecond}`,
        ],
        ['the same to the end of the process', `${results.untilEndPerSecond}/s`],
        ['the same before the commit', `${results.beforeCommitPerSecond}/s`],
        ['its processor time', `${results.cpuMicrosecondsPerRow.toFixed(1)} µs/row`],
        ['order items in another order', `${results.unsortedPerSecond}/s`],
        ['its processor time', `${results.unsortedCpuMicrosecondsPerRow.toFixed(1)} µs/row`],
        ['import of the same again, unchanged', `${results.unchangedPerSecond}/s`],
        [`bare inserts of ${formatCount(bareRows)} of them`, `${results.barePerSecond}/s`],
        ['ratio to bare inserts', (results.rowsPerSecond / results.barePerSecond).toFixed(2)],
        ['private memory, at most', `${results.megabytes} MB`, `≤ ${targets.megabytes}`],
        [
          'demo, made, checked and stored',
          `${results.demoPerSecond}/s`,
          `≥ ${targets.demoPerSecond}`,
        ],
      ],
    )
    publish(sandbox, options, 'import', { ...results, targets }, report)
    const missed =
      results.rowsPerSecond < targets.rowsPerSecond ||
      results.demoPerSecond < targets.demoPerSecond ||
      results.megabytes > targets.megabytes
    return missed ? 1 : 0
  })
}

/** Writes the items sorted by identity. */
const sortItems = async (file: string, rows: number): Promise<string> => {
  const begins = new Float64Array(rows + 1)
  let line = 0
  let read = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) {
      line += 1
      begins[line] = read + at + 1
    }
    read += chunk.length
  }
  const ids = Array.from({ length: rows }, (_, n) => itemId(n))
  const order = [...ids.keys()].sort((one, other) =>
    (ids[one] ?? '') < (ids[other] ?? '') ? -1 : 1,
  )
  const folder = join(dirname(file), 'sorted')
  mkdirSync(folder)
  const sortedFile = join(folder, 'order-items.ndjson')
  const [from, to] = [await open(file), await open(sortedFile, 'w')]
  const out = to.createWriteStream()
  for (const n of order) {
    const begin = begins[n] ?? 0
    const bytes = Buffer.alloc((begins[n + 1] ?? 0) - begin)
    readSync(from.fd, bytes, 0, bytes.length, begin)
    if (!out.write(bytes)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  await from.close()
  return sortedFile
}

/** Enough to measure bare inserts, whose rate falls as the table grows. */
const bareRowsMax = 200_000

/** Inserts the rows into an equal table with the same indexes, without any checks. */
const bareInserts = async (folder: string, bareRows: number): Promise<number> => {
  const database = new DatabaseSync(join(folder, 'bare.db'))
  database.exec('pragma page_size = 16384; pragma journal_mode = wal; pragma synchronous = full')
  const table = tablesOf(catalog).get('order-items')
  if (!table) throw new Error('There is no table for order-items.')
  for (const ddl of createTable(table, sqliteDialect)) database.exec(ddl)
  const columns = [...table.key, ...table.lookups]
  const marks = ['?', ...columns.map((each) => storedValue(each, '?', sqliteDialect)), '?'].join(
    ', ',
  )
  const insert = database.prepare(
    `insert into "order_items" ("owner", ${columns.map(({ name }) => `"${name}"`).join(', ')}, "body") values (${marks})`,
  )
  const began = performance.now()
  database.exec('begin')
  let count = 0
  for await (const line of createInterface(createReadStream(join(folder, 'order-items.ndjson')))) {
    const record = JSON.parse(line)
    insert.run(ownerNumber('acme'), ...columns.map(({ name }) => record[name]), line)
    count += 1
    if (count === bareRows) break
  }
  database.exec('commit')
  const seconds = (performance.now() - began) / 1_000
  database.close()
  return seconds
}
