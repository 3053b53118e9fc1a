/**
 * What sorted lists and search add to imports and storage: the same files are imported in turn with
 * the columns and indexes of sortable fields and with the search index, and without them, on one
 * engine. Exits with 1 when processor time or bytes exceed their target. CONTRIBUTING.md lists the
 * options.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase } from '#database'
import { formatCount, oneOf, readOptions, whole } from '../tools/options.ts'
import { type Databases, openDatabases } from './engine.ts'
import { writeOrderItems } from './order-items.ts'
import { openProduct } from './product.ts'
import { commandOf, machine, resultsFolder, writeResult } from './results.ts'
import { inSandbox } from './sandbox.ts'
import { type Spread, spreadOf } from './statistics.ts'
import { storedBytes } from './storage.ts'
import { tableOf } from './table.ts'
import { exitCodeOf, sentenceOf, type Verdict } from './targets.ts'

/** With sorted lists and search, or without. */
export type Variant = 'plain' | 'full'

interface Imported {
  readonly records: number
  readonly cpuMs: number
}

/** What a process says that has imported a brand. */
export interface Overhead {
  /** All groups of a brand of the demo. */
  readonly season: Imported
  /** Order items alone, and their orders. */
  readonly items: Imported | null
}

interface Round extends Overhead {
  readonly bytes: number
}

/** Times the figure without them. */
const targets = { cpu: 1.25, bytes: 1.2 }

const importInto = async (
  databases: Databases,
  name: string,
  variant: Variant,
  paths: readonly string[],
): Promise<Round> => {
  const url = await databases.open(name)
  const child = fork(new URL('overhead-process.ts', import.meta.url), [url, variant, ...paths])
  const results = new Promise<Overhead>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The import ended with code ${code}.`)))
    child.on('message', (message) => {
      if (message === 'cpu') child.send(String(databases.cpuMs()))
      else resolve(message as Overhead)
    })
  })
  const overhead = await results
  if (child.exitCode === null) await once(child, 'exit')
  const database: Database = openDatabase(url)
  const { tableBytes, indexBytes } = await storedBytes(database)
  await database.close()
  databases.remove(name)
  return { ...overhead, bytes: tableBytes + indexBytes }
}

export const runOverhead = (args: readonly string[]): Promise<number> => {
  const values = readOptions(args, {
    engine: { type: 'string', default: 'sqlite' },
    rows: { type: 'string', default: '1000000' },
    orders: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '2' },
    out: { type: 'string', default: resultsFolder },
  })
  const engine = oneOf('--engine', values.engine, ['sqlite', 'postgres'])
  const rows = whole('rows', values.rows, 1, 10_000_000)
  const orders = whole('orders', values.orders, 0, 1_000_000)
  const rounds = whole('rounds', values.rounds, 1, 100)
  const on = machine()
  return inSandbox(async (sandbox) => {
    const folder = join(sandbox.folder, 'season')
    await sandbox.step(`making ${formatCount(orders)} orders of the demo`, async () => {
      const product = openProduct(sandbox, 'demo', `sqlite:${join(sandbox.folder, 'demo.db')}`)
      await product.run('demo', '--brand', 'acme', '--orders', String(orders), '--json')
      await product.run('export', folder, '--brand', 'acme', '--json')
      rmSync(join(sandbox.folder, 'demo.db'))
    })
    const { ordersFile, itemsFile } = await sandbox.step(
      `making ${formatCount(rows)} order items`,
      () => writeOrderItems(sandbox.folder, rows),
    )
    const databases = await openDatabases(sandbox, engine)
    const paths = [folder, ordersFile, itemsFile]
    const ratios: { season: number; items: number | null; bytes: number }[] = []
    const all: { plain: Round; full: Round }[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const importAs = (variant: Variant) =>
        sandbox.step(`round ${round}, ${variant}`, () =>
          importInto(databases, `${variant}${round}`, variant, paths),
        )
      // Each comes first in every other round.
      const early = round % 2 === 0 ? await importAs('full') : null
      const plain = await importAs('plain')
      const full = early ?? (await importAs('full'))
      all.push({ plain, full })
      ratios.push({
        season: full.season.cpuMs / plain.season.cpuMs,
        items: full.items && plain.items ? full.items.cpuMs / plain.items.cpuMs : null,
        bytes: full.bytes / plain.bytes,
      })
    }
    const verdicts = [
      judgeSpread(
        'CPU time of importing all groups',
        spreadOf(ratios.map((each) => each.season)),
        targets.cpu,
      ),
      judgeSpread(
        'CPU time of importing order items',
        spreadOf(ratios.map((each) => each.items)),
        targets.cpu,
      ),
      judgeSpread('bytes', spreadOf(ratios.map((each) => each.bytes)), targets.bytes),
    ].flat()
    const file = writeResult(values.out, `overhead-${engine}`, {
      date: new Date().toISOString(),
      command: commandOf('bench', ['overhead', ...args]),
      machine: on,
      ...{ engine, rows, orders, rounds },
      imports: all,
      verdicts,
    })
    const [last] = all.slice(-1)
    if (last) console.log(tableOfRounds(last.plain, last.full))
    console.log(verdicts.map(sentenceOf).join('\n'))
    sandbox.log(`The result is in ${file}`)
    return exitCodeOf(verdicts)
  })
}

const judgeSpread = (what: string, spread: Spread | null, target: number): readonly Verdict[] =>
  spread
    ? [
        {
          what: `${what}, times those without`,
          figure: spread.median,
          bound: 'at most',
          target,
          met: spread.median <= target,
        },
      ]
    : []

const tableOfRounds = (plain: Round, full: Round): string => {
  const perRecord = (imported: Imported | null) =>
    imported ? ((imported.cpuMs * 1_000) / imported.records).toFixed(1) : '–'
  const records = ({ season, items }: Round) => season.records + (items?.records ?? 0)
  const bytes = (round: Round) => String(Math.round(round.bytes / records(round)))
  return tableOf(
    ['', 'without', 'with them'],
    [
      ['all groups, CPU µs a record', perRecord(plain.season), perRecord(full.season)],
      ['order items, CPU µs a record', perRecord(plain.items), perRecord(full.items)],
      ['bytes a record', bytes(plain), bytes(full)],
    ],
  )
}
