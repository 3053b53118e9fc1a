/**
 * What a machine needs for so many records and requests: measures the CPU time of a page, the private
 * memory of a worker and the bytes of the database at several sizes, and derives cores, memory and
 * disk. Prints the table of docs/explanation/scale.md.
 */
import { openDatabase } from '#database'
import { formatCount, UsageError } from '../tools/options.ts'
import { inSandbox, type Sandbox } from '../tools/sandbox.ts'
import { fillBrand } from './brand.ts'
import { pageOf, placesOf, spreadOver } from './cases.ts'
import { createComparison, type Measured } from './comparison.ts'
import { openEngine } from './engine.ts'
import { engine, readBenchOptions, rounds, seconds, whole } from './options.ts'
import { openProduct } from './product.ts'
import { publish } from './results.ts'
import { median } from './statistics.ts'
import { storedBytes } from './storage.ts'
import { tableOf } from './table.ts'
import { pageAt } from './walk.ts'

const connections = 32

/** Pages a second, none of them cached, for which a machine is derived. */
const rates = [100, 1_000, 5_000]

/** The share of the cores that requests may use: the rest is for peaks, imports and the system. */
const loadMax = 0.5
/** Memory of a worker with all that clients can make it use, and of the system. */
const [workerMb, systemMb] = [512, 512]
/** The share of the database that the operating system should be able to cache. */
const hotShare = 0.2
/** The database, the write-ahead log of a large import, and a backup. */
const diskFactor = 3

interface Size {
  readonly rows: number
  readonly databaseMb: number
  /** CPU time of a page that is not cached, of the server and its database. */
  readonly pageCpuUs: number
  readonly p99Ms: number
  readonly privateMb: number
}

interface Machine {
  readonly rows: number
  readonly rate: number
  readonly cores: number
  readonly memoryGb: number
  readonly diskGb: number
}

export const readSizingOptions = (args: readonly string[]) => {
  const options = readBenchOptions(args, {
    engine: engine(),
    least: whole(100_000, 500, 10_000_000),
    most: whole(1_000_000, 500, 100_000_000),
    rounds: rounds(5),
    seconds: seconds(2),
    places: whole(4_000, 50, 100_000),
  })
  const sizes: number[] = []
  for (let rows = options.least; rows <= options.most; rows *= 10) sizes.push(rows)
  if (sizes.length === 0) throw new UsageError('--most must not be less than --least.')
  return { ...options, sizes }
}

type Options = ReturnType<typeof readSizingOptions>

export const runSizing = async (args: readonly string[]): Promise<number> => {
  const options = readSizingOptions(args)
  const sizes: Size[] = []
  for (const rows of options.sizes) {
    sizes.push(await inSandbox((sandbox) => measureSize(sandbox, rows, options)))
  }
  const machines = sizes.flatMap((size) => rates.map((rate) => machineFor(size, rate)))
  await inSandbox(async (sandbox) => {
    const { engine: name, rounds: count, seconds: length } = options
    const figures = { engine: name, rounds: count, seconds: length, connections, sizes, machines }
    publish(sandbox, options, `sizing-${name}`, figures, reportOf(sizes, machines))
  })
  return 0
}

const measureSize = async (sandbox: Sandbox, rows: number, options: Options): Promise<Size> => {
  const comparison = createComparison(sandbox.folder, connections)
  const database = await openEngine(sandbox, options.engine)
  const product = openProduct(sandbox, String(rows), database.url)
  const brand = await fillBrand(sandbox, product, { rows, others: 0, otherOrders: 0 })
  const { items, headers } = brand
  const serve = () => product.serve({ path: pageAt(items, '', 1), headers })
  const paths = await sandbox.step('looking for pages to ask for', async () => {
    const guide = await serve()
    const places = await placesOf(guide, brand, options.places)
    await guide.close()
    return spreadOver(pageOf(items), places)
  })
  const requests = comparison.requests('pages', paths, headers)
  const server = await serve()
  const both = {
    port: server.port,
    cpuMs: () => {
      const [own, other] = [server.cpuMs(), database.cpuMs()]
      return own === null || other === null ? null : own + other
    },
  }
  const measured: Measured[] = []
  for (let round = 0; round <= options.rounds; round += 1) {
    sandbox.log(round === 0 ? 'warming up' : `round ${round} of ${options.rounds}`)
    const one = await comparison.measure(both, requests, options.seconds)
    if (round > 0) measured.push(one)
  }
  const privateMb = server.memory()?.peakMb ?? 0
  await server.close()
  return {
    rows,
    databaseMb: Math.round((await bytesOf(database.url)) / 2 ** 20),
    pageCpuUs: median(measured.map(({ cpuUs }) => cpuUs ?? 0)),
    p99Ms: median(measured.map(({ p99Ms }) => p99Ms)),
    privateMb,
  }
}

const bytesOf = async (url: string): Promise<number> => {
  const database = openDatabase(url)
  try {
    const [[row] = []] = await database.read([
      { text: storedBytes[database.dialect.name], values: [] },
    ])
    return Number(row?.[0])
  } finally {
    await database.close()
  }
}

/** The machine for a size and a rate, with a worker for each core. */
export const machineFor = (
  { rows, databaseMb, pageCpuUs }: Pick<Size, 'rows' | 'databaseMb' | 'pageCpuUs'>,
  rate: number,
): Machine => {
  const cores = Math.max(1, Math.ceil((rate * pageCpuUs) / (loadMax * 1e6)))
  const memoryMb = systemMb + cores * workerMb + databaseMb * hotShare
  return {
    ...{ rows, rate, cores },
    memoryGb: Math.ceil(memoryMb / 1_024),
    diskGb: Math.ceil((databaseMb * diskFactor) / 1_024),
  }
}

const reportOf = (sizes: readonly Size[], machines: readonly Machine[]): string =>
  [
    tableOf(
      ['order items', 'database MB', 'CPU µs of a page', 'p99 ms', 'private MB'],
      sizes.map(({ rows, databaseMb, pageCpuUs, p99Ms, privateMb }) => [
        formatCount(rows),
        formatCount(databaseMb),
        pageCpuUs.toFixed(0),
        p99Ms.toFixed(1),
        formatCount(privateMb),
      ]),
    ),
    '',
    '| Records | Pages a second | Cores | Memory | Disk |',
    '|---|---|---|---|---|',
    ...machines.map(
      ({ rows, rate, cores, memoryGb, diskGb }) =>
        `| ${formatCount(rows)} | ${formatCount(rate)} | ${cores} | ${memoryGb} GB | ${diskGb} GB |`,
    ),
  ].join('\n')
