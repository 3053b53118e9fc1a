/**
 * The CPU time of imports, batches over HTTP and syncs, and the size of the stored records, beside two
 * copies of an earlier checkout (`--before <folder>`), in interleaved rounds. The second copy shows
 * what differs at random. Exits with 1 if a target is missed.
 */
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { ingestBasePath } from '#contract'
import { erpMapping, openErp } from '../test/support/erp.ts'
import { freePort, openPostgres } from '../test/support/postgres.ts'
import { formatCount } from '../tools/options.ts'
import { inSandbox, type Sandbox } from '../tools/sandbox.ts'
import {
  besideTable,
  type CheckoutName,
  checkoutNames,
  figuresOf,
  orderOf,
  type Round,
} from './beside.ts'
import { readCheckout } from './checkouts.ts'
import { postgresSettings } from './engine.ts'
import { untilListening } from './ingest.ts'
import { createBatches, sendBatches } from './ingest-senders.ts'
import { engine, readBenchOptions, rounds, text, whole } from './options.ts'
import { type OrderItems, writeOrderItems } from './order-items.ts'
import { cpuMsOf } from './process-usage.ts'
import { openProduct, ownCheckout, type Product, type ServerResponse } from './product.ts'
import { publish } from './results.ts'
import { storedBytes } from './storage.ts'
import { type Engine, exitCodeOf, sentenceOf, verdictOf } from './targets.ts'

/** Times the earlier checkout. */
const target = 1.1

const parts = [
  'import',
  'import, unchanged',
  'batch of one record',
  'batch of 1,000 records',
  'sync, all rows',
  'sync, changed rows',
] as const
type Part = (typeof parts)[number]

/** CPU time of each part in milliseconds, and bytes per record after the import. */
type Measured = Round<Part | 'bytes per record'>[CheckoutName]

export const runIntake = (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args, {
    before: text(''),
    engine: engine(),
    rows: whole(50_000, 2_000, 1_000_000),
    batches: whole(200, 10, 100_000),
    rounds: rounds(5),
  })
  const { rows, batches: count } = options
  const before = readCheckout('before', options.before || undefined).folder
  return inSandbox(async (sandbox) => {
    const source = await openSource(sandbox, rows)
    const files = await writeOrderItems(sandbox.folder, rows)
    const databases = await openDatabases(sandbox, options.engine)
    const contenders = new Map<CheckoutName, Contender>()
    for (const name of checkoutNames) {
      const checkout = name === 'after' ? ownCheckout : before
      contenders.set(name, await openContender(sandbox, { name, checkout, databases, files }))
    }
    const measured: Round<Part | 'bytes per record'>[] = []
    for (let round = 0; round < options.rounds; round += 1) {
      sandbox.log(`round ${round + 1} of ${options.rounds}`)
      const order = orderOf(round)
      const results = new Map<CheckoutName, Partial<Measured>>()
      const measure = async (work: (contender: Contender) => Promise<Partial<Measured>>) => {
        for (const name of order) {
          const contender = contenders.get(name) as Contender
          results.set(name, { ...results.get(name), ...(await work(contender)) })
        }
      }
      await measure(async (contender) => {
        await contender.renew()
        return contender.import(rows)
      })
      await measure((contender) => contender.ingest(rows, count))
      await measure(async ({ sync }) => ({ 'sync, all rows': await sync(source.url) }))
      await source.change()
      await measure(async ({ sync }) => ({ 'sync, changed rows': await sync(source.url) }))
      measured.push(Object.fromEntries(results) as Record<CheckoutName, Measured>)
    }
    const figures = [...parts, 'bytes per record' as const].map((part) => figuresOf(part, measured))
    const verdicts = figures.map(({ part, ratio }) =>
      verdictOf(`${part}, times the earlier checkout`, ratio.median, 'at most', target),
    )
    publish(
      sandbox,
      options,
      `intake-${options.engine}`,
      { engine: options.engine, rows, batches: count, rounds: options.rounds, figures, verdicts },
      `${besideTable('CPU ms', figures)}\n\n${verdicts.map(sentenceOf).join('\n')}\n`,
    )
    return exitCodeOf(verdicts)
  })
}

/** The databases of the contenders. */
interface Databases {
  url(name: string): string
  /** Copies a database. No program may have it open. */
  copy(from: string, to: string): Promise<void>
  bytes(name: string): Promise<number>
  cpuMs(): number
}

const openDatabases = async (sandbox: Sandbox, kind: Engine): Promise<Databases> => {
  if (kind === 'sqlite') {
    const file = (name: string, suffix = '') => join(sandbox.folder, `${name}${suffix}.db`)
    return {
      url: (name) => `sqlite:${file(name)}`,
      copy: async (from, to) => {
        for (const suffix of ['', '.keys', '.queue']) {
          for (const log of ['-wal', '-shm', '']) rmSync(file(to, suffix) + log, { force: true })
          if (existsSync(file(from, suffix))) copyFileSync(file(from, suffix), file(to, suffix))
        }
      },
      bytes: async (name) => {
        const database = new DatabaseSync(file(name), { readOnly: true })
        const row = database.prepare(storedBytes.sqlite).get() as object
        database.close()
        return Number(Object.values(row)[0])
      },
      cpuMs: () => 0,
    }
  }
  const postgres = await openPostgres({ settings: postgresSettings })
  sandbox.onClose(postgres.close)
  const url = new URL(await postgres.url('postgres'))
  const urlOf = (name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  const query = async (name: string, ...statements: readonly string[]) => {
    const client = new pg.Client(urlOf(name))
    await client.connect()
    try {
      let row: unknown[] | undefined
      for (const each of statements) {
        row = (await client.query({ text: each, rowMode: 'array' })).rows[0]
      }
      return row?.[0]
    } finally {
      await client.end()
    }
  }
  for (const name of checkoutNames) await postgres.url(`${name}-base`)
  return {
    url: urlOf,
    copy: async (from, to) => {
      await query(
        'postgres',
        `drop database if exists "${to}" with (force)`,
        `create database "${to}" template "${from}"`,
      )
    },
    bytes: async (name) => Number(await query(name, storedBytes.postgres)),
    cpuMs: () => cpuMsOf(postgres.processes()) ?? 0,
  }
}

interface Contender {
  /** Goes back to a database with orders but without items. */
  renew(): Promise<void>
  import(rows: number): Promise<Partial<Measured>>
  ingest(rows: number, batches: number): Promise<Partial<Measured>>
  /** One round of a sync. Returns its CPU time. */
  readonly sync: (sourceUrl: string) => Promise<number>
}

interface ContenderParts {
  readonly name: CheckoutName
  readonly checkout: string
  readonly databases: Databases
  readonly files: OrderItems
}

const openContender = async (
  sandbox: Sandbox,
  { name, checkout, databases, files }: ContenderParts,
): Promise<Contender> => {
  const base = `${name}-base`
  const ingestPort = await freePort()
  const settings = {
    ...{ INGEST_PORT: String(ingestPort), ROW_SECURITY: 'optional' },
    ...{ INGEST_RATE_PER_SECOND: '1000000', INGEST_RATE_BURST: '1000000' },
  }
  const open = (database: string, more = {}): Product =>
    openProduct(sandbox, database, databases.url(database), {
      checkout,
      settings: { ...settings, ...more },
    })
  const first = open(base)
  const own = ['--brand', 'acme', '--no-check', '--json']
  await first.run('demo', '--brand', 'acme', '--orders', '0', '--json')
  await first.run('import', files.ordersFile, ...own)
  const issue = async (...kind: string[]) =>
    JSON.parse(await first.run('keys', 'issue', ...kind, '--brand', 'acme', '--json')).key
  const [key, ingestKey] = [await issue(), await issue('--ingest')]
  const product = open(name)
  const measureCpu = (work: () => Promise<unknown>) => cpuOf(databases, work)
  return {
    renew: () => databases.copy(base, name),
    import: async (rows) => {
      const run = () => measureCpu(() => product.run('import', files.itemsFile, ...own))
      const before = await databases.bytes(name)
      const added = await run()
      const bytes = ((await databases.bytes(name)) - before) / rows
      return { import: added, 'import, unchanged': await run(), 'bytes per record': bytes }
    },
    ingest: async (rows, count) => {
      const headers = { authorization: `Bearer ${key}` }
      const server = await product.serve({ path: '/api/public/v1/brands/acme/tags', headers })
      const path = `${ingestBasePath}/brands/acme/batches`
      await untilListening(ingestPort)
      const batches = await createBatches(rows)
      const cpuMs = () => (server.cpuMs() ?? 0) + databases.cpuMs()
      const send = async (number: number, size: number) => {
        const bodies = Array.from({ length: number }, () => batches.next(size))
        const began = cpuMs()
        await sendBatches({ port: ingestPort, path, key: ingestKey }, bodies, null)
        return (cpuMs() - began) / number
      }
      const quality = () => server.get('/api/query/v1/brands/acme/quality')
      const unchecked = await quality()
      await send(50, 1)
      await send(2, 1_000)
      await untilOther(unchecked, quality)
      const one = await send(count, 1)
      const thousand = await send(Math.max(5, Math.round(count / 20)), 1_000)
      await server.close()
      return { 'batch of one record': one, 'batch of 1,000 records': thousand }
    },
    sync: (sourceUrl) => {
      const map = fileURLToPath(erpMapping)
      const syncing = open(name, { ERP_URL: sourceUrl })
      return measureCpu(() => syncing.run('sync', '--map', map, '--once', '--no-check', '--json'))
    },
  }
}

/**
 * Waits for the check of the rules that the first batches trigger: the next one begins a minute later
 * at the earliest.
 */
const untilOther = async (
  before: ServerResponse,
  read: () => Promise<ServerResponse>,
): Promise<void> => {
  while (before.body.equals((await read()).body)) await wait(200)
}

/** The CPU time of child processes that end meanwhile, and of the database. */
const cpuOf = async (databases: Databases, work: () => Promise<unknown>): Promise<number> => {
  const read = () => {
    const { user, system } = process.cpuUsage()
    return (cpuMsOf([process.pid]) ?? 0) - (user + system) / 1_000 + databases.cpuMs()
  }
  const before = read()
  await work()
  return read() - before
}

/** The source of the sync: the ERP of the example with more order lines, in another PostgreSQL. */
const openSource = async (sandbox: Sandbox, rows: number) => {
  const postgres = await openPostgres()
  sandbox.onClose(postgres.close)
  const erp = await openErp(postgres, 'erp')
  const linesPerOrder = 20
  await erp.run(
    `insert into purchase_orders (po_no, vendor_no, order_date, currency, status, changed_at)
      select 'B-' || n, 'V0042', current_date, 'EUR', 'CONF', now() - interval '1 day'
      from generate_series(0, ${Math.ceil(rows / linesPerOrder)}) as n`,
    `insert into po_lines (po_no, line_no, item_no, qty, unit_price, changed_at)
      select 'B-' || n / ${linesPerOrder}, n % ${linesPerOrder}, 'FJ-100-NVY-M', 1 + n % 500, 41.5, now() - interval '1 day'
      from generate_series(1, ${rows}) as n`,
  )
  sandbox.log(`the source has ${formatCount(rows)} order lines`)
  return {
    url: erp.url,
    /** Changes a twentieth of the lines. */
    change: () => erp.run('update po_lines set qty = qty + 1 where line_no = 3'),
  }
}
