/**
 * The time of `today`, the figures of a brand's day: when nothing has changed, and after an import that
 * changed every record. `--rows <n>` sets how many order items the brand has (1,000,000 by default),
 * with an order for every ten of them, all of them late, and an unpaid invoice and a shipment on the way
 * for every tenth order. `--database <url>` measures PostgreSQL instead of SQLite. Exits with 1 when a target
 * is missed.
 */
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { catalog, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { type DemoRecord, openStory } from '#demo'
import { createStore, type Store } from '#store'
import { formatCount, readOptions, whole } from '../tools/options.ts'
import { createItems, identity, orderId, ordersOf } from './order-items.ts'
import { commandOf, machine, resultsFolder, writeResult } from './results.ts'
import { inSandbox } from './sandbox.ts'
import { mix, percentile } from './statistics.ts'

/** Milliseconds. */
const targets = { unchanged: 20, changed: 1_000 }
const unchangedReads = 200
const stagedAtOnce = 10_000
const brand = 'bench'
const today = { day: '2026-06-01', timezone: 'Europe/London' }
const currencies = ['USD', 'EUR', 'GBP', 'CNY']

const dayBefore = (days: number) =>
  new Date(Date.parse(today.day) - days * 86_400_000).toISOString().slice(0, 10)

type Make = (n: number) => DemoRecord

/** The records of each group: how many, and how one is made in a round of writing. */
const groupsOf = (
  story: { readonly [path: string]: readonly DemoRecord[] },
  items: number,
  round: number,
): { readonly [path: string]: readonly [count: number, make: Make] } => {
  const [order = {}, shipment = {}, invoice = {}] = ['orders', 'shipments', 'invoices'].map(
    (path) => story[path]?.[0],
  )
  const updatedAt = new Date(Date.parse(today.day) + round * 60_000).toISOString()
  const item = createItems(story, items)
  const orders = ordersOf(items)
  const priced = (n: number) => ({
    currency: currencies[mix(n, 21) % currencies.length] ?? 'USD',
    exchangeRate: `1.${String(mix(n, 22) % 10_000).padStart(4, '0')}`,
  })
  return {
    orders: [
      orders,
      (n) => ({
        ...order,
        ...priced(n),
        id: orderId(n),
        orderNumber: `B-${n}`,
        status: 'in_production',
        confirmedExFactoryDate: dayBefore(1 + (mix(n, 23) % 120)),
        totalQuantity: 1 + (mix(n, 24) % 5_000),
        totalAmount: `${mix(n, 25) % 100_000}.${String(mix(n, 26) % 100).padStart(2, '0')}`,
        deletedAt: null,
        updatedAt,
      }),
    ],
    shipments: [
      Math.ceil(orders / 10),
      (n) => ({
        ...shipment,
        id: identity(3, n),
        shipmentNumber: `S-${n}`,
        status: 'in_transit',
        estimatedArrivalAt: `${dayBefore((mix(n, 27) % 120) - 60)}T10:00:00.000Z`,
        actualArrivalAt: null,
        deliveredAt: null,
        deletedAt: null,
        updatedAt,
      }),
    ],
    invoices: [
      Math.ceil(orders / 10),
      (n) => ({
        ...invoice,
        ...priced(n),
        id: identity(4, n),
        invoiceNumber: `I-${n}`,
        status: 'approved',
        dueDate: dayBefore((mix(n, 28) % 150) - 30),
        balanceAmount: `${1 + (mix(n, 29) % 10_000)}.${String(mix(n, 30) % 100).padStart(2, '0')}`,
        deletedAt: null,
        updatedAt,
      }),
    ],
    'order-items': [items, (n) => ({ ...item(n), updatedAt })],
  }
}

const write = (store: Store, records: ReturnType<typeof groupsOf>): Promise<void> =>
  store.write(brand, async (writer) => {
    for (const [path, [count, make]] of Object.entries(records)) {
      const resource = resourceAt(catalog, path)
      for (let from = 0; from < count; from += stagedAtOnce) {
        const size = Math.min(stagedAtOnce, count - from)
        const batch = Array.from({ length: size }, (_, at) => make(from + at))
        await writer.stage(resource, batch as never)
      }
      await writer.merge(resource)
    }
  })

interface Reading {
  readonly ms: number
  readonly cpuMs: number
  /** The longest time in which the event loop did nothing else. */
  readonly blockedMs: number
}

const read = async (store: Store): Promise<Reading> => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const cpu = process.cpuUsage()
  const began = performance.now()
  await store.today({ brand, today, baseCurrency: 'USD' })
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  delay.disable()
  return { ms, cpuMs: (user + system) / 1_000, blockedMs: delay.max / 1e6 }
}

export const runToday = (args: readonly string[]): Promise<number> => {
  const values = readOptions(args, {
    rows: { type: 'string', default: '1000000' },
    database: { type: 'string' },
    out: { type: 'string', default: resultsFolder },
  })
  const items = whole('rows', values.rows, 10, 10_000_000)
  const on = machine()
  return inSandbox(async ({ folder, log, step }) => {
    const database: Database = openDatabase(values.database ?? `sqlite:${join(folder, 'today.db')}`)
    try {
      const store = await createStore(catalog, database)
      const { records } = await openStory()
      await step(`store ${formatCount(items)} order items`, () =>
        write(store, { ...groupsOf(records, items, 0) }),
      )
      await step('read the figures once', () => read(store))
      await step('change every record', () => write(store, groupsOf(records, items, 1)))
      const changed = await step('read the figures after everything has changed', () => read(store))
      const took: number[] = []
      for (let n = 0; n < unchangedReads; n += 1) took.push((await read(store)).ms)
      const unchanged = percentile(
        took.sort((one, other) => one - other),
        0.95,
      )
      const file = writeResult(values.out, 'today', {
        date: new Date().toISOString(),
        command: commandOf('bench', ['today', ...args]),
        machine: on,
        engine: database.dialect.name,
        items,
        changed,
        unchangedMs: unchanged,
        targets,
      })
      const verdict = (ms: number, target: number) => (ms <= target ? 'met   ' : 'MISSED')
      console.log(
        `${verdict(unchanged, targets.unchanged)}  nothing changed: p95 ${unchanged.toFixed(2)} ms, at most ${targets.unchanged}`,
      )
      console.log(
        `${verdict(changed.ms, targets.changed)}  everything changed: ${changed.ms.toFixed(0)} ms (${changed.cpuMs.toFixed(0)} ms of CPU time), at most ${targets.changed}; the event loop was blocked for ${changed.blockedMs.toFixed(1)} ms at most`,
      )
      log(`The result is in ${file}`)
      return unchanged <= targets.unchanged && changed.ms <= targets.changed ? 0 : 1
    } finally {
      await database.close()
    }
  })
}
