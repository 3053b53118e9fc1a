import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog } from '#contract'
import { openDatabase } from '#database'
import { ownerNumber } from '#store'
import { fillBrand } from '../../bench/brand.ts'
import { openProduct, type Product } from '../../bench/product.ts'
import { putLoad } from '../../test/support/cluster.ts'
import { ndjson } from '../../test/support/command.ts'
import { idOf, recordsAt, seeded } from '../../test/support/model.ts'
import { openPostgres } from '../../test/support/postgres.ts'
import { inSandbox, type Sandbox } from '../../tools/sandbox.ts'
import type { Task } from '../check.ts'
import type { Engine } from '../engine.ts'
import { wrongIndex } from '../search-index.ts'
import { added, newerCatalog } from './newer.ts'

export interface UpgradeSize {
  readonly rows: number
  readonly kills: number
  /** The upgrade is killed within this time after its first write, in milliseconds. */
  readonly killMs: number
}

const memo = `${recordsAt('order-items')[0]?.['memo']}`
const table = '"order_items"'

/** Upgrades a database in use to the next version after several interrupted attempts. */
export const upgradeUnderLoad = (
  engine: Engine,
  { rows, kills, killMs }: UpgradeSize,
  { seed, log }: Task,
) =>
  inSandbox(async (sandbox) => {
    const databaseUrl = await databaseOf(engine, sandbox)
    const product = openProduct(sandbox, 'upgrade', databaseUrl)
    const brand = await fillBrand(sandbox, product, { rows, others: 0, otherOrders: 0 })
    const path = `${brand.items}?limit=20`
    const server = await product.serve({ path, headers: brand.headers, workers: 2 })
    const url = `http://127.0.0.1:${server.port}`
    const key = brand.headers.authorization.slice('Bearer '.length)
    const load = putLoad({ url, path, key }, { keeping: 6, fresh: 2 })
    const misses: string[] = []
    const draw = seeded(seed)
    const older = openOlder(sandbox, product)
    // Imports by the older version: accepted before the upgrade completed, refused afterwards.
    let [imported, refused] = [0, 0]

    for (let count = 0; count < kills; count += 1) {
      const { child, writing } = startNewer(databaseUrl)
      await writing
      const ms = draw(killMs)
      await wait(ms)
      const exited = once(child, 'close')
      child.kill('SIGKILL')
      await exited
      const state = await stateOf(databaseUrl)
      log(`${engine}: killed after ${ms} ms, ${state}`)
      if (state !== 'old' && state !== 'new') {
        misses.push(`${engine}, seed ${seed}, killed after ${ms} ms: ${state}`)
      }
      // The new filter must find records written before the upgrade completed.
      const reason = await older.import()
      if (reason === null) imported += 1
      else if (state === 'new' && isRefusal.test(reason)) refused += 1
      if ((reason === null) !== (state === 'old')) {
        misses.push(`${engine}: an import by the older version into ${state} records: ${reason}`)
      }
    }
    const began = performance.now()
    // Two at once, as when several nodes are upgraded together.
    const results = await Promise.all(
      [startNewer(databaseUrl), startNewer(databaseUrl)].map(foundBy),
    )
    const seconds = (performance.now() - began) / 1_000
    const state = await stateOf(databaseUrl)
    if (state !== 'new') misses.push(`${engine}: in the end the database is ${state}.`)
    const expected = await countOf(databaseUrl)
    for (const total of results) {
      if (total !== expected)
        misses.push(`${engine}: the new filter finds ${total} of ${expected}.`)
    }
    const reason = await older.import()
    if (reason !== null && isRefusal.test(reason)) refused += 1
    else misses.push(`${engine}: the older version imported after the upgrade: ${reason}`)
    if ((await countOf(databaseUrl)) !== expected) {
      misses.push(`${engine}: the older version changed what the new filter finds.`)
    }
    // A new process and one that started before the upgrade must count the same records.
    const total = Number((await read(databaseUrl, `select count(*) from ${table}`))[0])
    const running = JSON.parse(String((await server.get(path, brand.headers)).body)).totalItems
    for (const [which, count] of [
      ['started before', running],
      ['started after', await older.count()],
    ] as const) {
      if (count !== total) {
        misses.push(
          `${engine}: a reader of the older version, ${which}, finds ${count} of ${total}.`,
        )
      }
    }
    await wait(500)
    await load.stop()
    const { answered, failed, slowestMs } = load
    misses.push(...failed.slice(0, 10).map(({ what }) => `${engine}: a reader met ${what}.`))
    if (answered === 0) misses.push(`${engine}: no client read.`)
    log(`${engine}: upgraded in ${seconds.toFixed(1)} s, ${answered} answered`)
    const { length: failures } = failed
    return { kills, imported, refused, answered, failed: failures, slowestMs, seconds, misses }
  })

const isRefusal =
  /Nothing was written: the database belongs to a newer version of Selvedge, .* Upgrade this program/

/** This version, on a database that the next version may have upgraded. */
const openOlder = ({ folder }: Sandbox, product: Product) => {
  const [item] = recordsAt('order-items')
  let imports = 0
  return {
    /** Imports one more record with the value that the new filter looks for. */
    import: async (): Promise<string | null> => {
      imports += 1
      const file = join(folder, 'order-items.ndjson')
      writeFileSync(file, ndjson([{ ...item, id: idOf(7_000_000 + imports) }]))
      try {
        await product.run('import', file, '--brand', 'acme', '--json')
        return null
      } catch (error) {
        return String(error)
      }
    },
    /** The number of exported records. */
    count: async (): Promise<number> => {
      const to = join(folder, 'older')
      await product.run('export', to, '--brand', 'acme', '--json')
      const text = readFileSync(join(to, 'manifest.json'), 'utf8')
      const { files } = JSON.parse(text) as { files: { file: string; records: number }[] }
      return files.find(({ file }) => file.startsWith('order-items.'))?.records ?? 0
    },
  }
}

const databaseOf = async (engine: Engine, { folder, onClose }: Sandbox): Promise<string> => {
  if (engine === 'sqlite') return `sqlite:${join(folder, 'upgrade.db')}`
  const postgres = await openPostgres({ settings: ['max_wal_size=4GB'] })
  onClose(postgres.close)
  return postgres.url()
}

const program = new URL('newer-process.ts', import.meta.url)

interface Newer {
  readonly child: ChildProcess
  /** Resolves when it begins to write, or ends. */
  readonly writing: Promise<unknown>
}

const startNewer = (databaseUrl: string): Newer => {
  const child = fork(program, [databaseUrl, 'acme', memo])
  const writing = new Promise<void>((resolve) => {
    child.once('message', () => resolve())
    child.once('close', () => resolve())
  })
  return { child, writing }
}

const foundBy = ({ child }: Newer): Promise<number> =>
  new Promise((resolve) => {
    let results = Number.NaN
    child.on('message', (message: { readonly results?: number }) => {
      results = message.results ?? results
    })
    child.once('close', () => resolve(results))
  })

const read = async (
  databaseUrl: string,
  ...texts: readonly string[]
): Promise<readonly string[]> => {
  const database = openDatabase(databaseUrl)
  try {
    return await database.snapshot(async (all) => {
      const cells: string[] = []
      for (const text of texts) cells.push(String((await all({ text, values: [] }))[0]?.[0]))
      return cells
    })
  } finally {
    await database.close()
  }
}

/** The version of the records: `old`, `new`, or a description of a mixed state. */
const stateOf = async (databaseUrl: string): Promise<string> => {
  const [rows, grown, shape = ''] = await read(
    databaseUrl,
    `select count(*) from ${table}`,
    `select count(*) from ${table} where "body" like '%"${added.field}":null%'`,
    `select "fields" from "selvedge_shapes" where "collection" = 'order-items'`,
  )
  const isNoted = shape.includes(added.field)
  const isNew = grown === rows && isNoted
  if (!isNew && (grown !== '0' || isNoted)) {
    return `${grown} of ${rows} records new, ${shape} noted`
  }
  const database = openDatabase(databaseUrl)
  const [wrong] = await wrongIndex(database, isNew ? newerCatalog : catalog)
  await database.close()
  if (wrong !== undefined) return `${isNew ? 'new' : 'old'}, but: ${wrong}`
  if (!isNew) return 'old'
  const [unsorted] = await read(
    databaseUrl,
    `select count(*) from ${table} where "${added.sorted}__sort" is null and "${added.filter}" is not null`,
  )
  return unsorted === '0' ? 'new' : `new, but ${unsorted} of ${rows} records cannot be sorted`
}

const countOf = async (databaseUrl: string): Promise<number> => {
  const text = JSON.stringify({ memo }).slice(1, -1).replaceAll("'", "''")
  const [count] = await read(
    databaseUrl,
    `select count(*) from ${table} where "owner" = ${ownerNumber('acme')} and "body" like '%${text}%'`,
  )
  return Number(count)
}
