/**
 * Ingest over HTTP on a server in use: the time until a batch of one record and a batch of a
 * thousand are committed, and the effect of fifty batches per second on readers. Quiet and loaded
 * phases alternate on the same server. Exits with 1 if a target is missed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { ingestBasePath } from '#contract'
import { freePort } from '../test/support/postgres.ts'
import { inSandbox } from '../tools/sandbox.ts'
import { fillBrand } from './brand.ts'
import { filteredPlaces, pageOf, placesOf, spreadOver } from './cases.ts'
import { openEngine } from './engine.ts'
import { startReaders } from './ingest-readers.ts'
import {
  type BatchRun,
  createBatches,
  type SendersTarget,
  sendBatches,
  startSenders,
} from './ingest-senders.ts'
import { engine, readBenchOptions, rounds, seconds, whole } from './options.ts'
import { openProduct } from './product.ts'
import { publish } from './results.ts'
import { percentile, type Spread, shuffled, spreadOf } from './statistics.ts'
import { tableOf } from './table.ts'
import { exitCodeOf, sentenceOf, verdictOf } from './targets.ts'
import { pageAt } from './walk.ts'

/** Times in milliseconds. */
const targets = { oneRow: 10, thousandRows: 60, batchesPerSecond: 50, readersTimes: 1.3 }

/** Slightly above the target, to reach it while the last responses are outstanding. */
const sentPerSecond = targets.batchesPerSecond + 1
const pagesPerSecond = 200
const thousand = 1_000

export const runIngest = (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args, {
    engine: engine(),
    rows: whole(200_000, 2_000, 20_000_000),
    batches: whole(300, 10, 100_000),
    rounds: rounds(7),
    seconds: seconds(5),
    places: whole(6_000, 50, 100_000),
  })
  const { rows, rounds: count } = options
  return inSandbox(async (sandbox) => {
    const database = await openEngine(sandbox, options.engine)
    const ingestPort = await freePort()
    const limits = { INGEST_RATE_PER_SECOND: '1000000', INGEST_RATE_BURST: '1000000' }
    const product = openProduct(sandbox, 'ingest', database.url, {
      settings: { INGEST_PORT: String(ingestPort), ...limits },
    })
    const brand = await fillBrand(sandbox, product, { rows, others: 1, otherOrders: 40 })
    const { key } = JSON.parse(
      await product.run('keys', 'issue', '--ingest', '--brand', 'acme', '--json'),
    )
    const start = { path: pageAt(brand.items, '', 25), headers: brand.headers }
    const paths = await sandbox.step('looking for pages to ask for', async () => {
      const guide = await product.serve(start)
      const places = [
        ...(await placesOf(guide, brand, options.places / 2)),
        ...(await filteredPlaces(guide, brand, options.places / 2)),
      ]
      await guide.close()
      return shuffled(spreadOver(pageOf(brand.items), places), 41)
    })
    const server = await product.serve(start)
    const cpuMs = () => (server.cpuMs() ?? 0) + (database.cpuMs() ?? 0)
    const target: SendersTarget = {
      port: ingestPort,
      path: `${ingestBasePath}/brands/acme/batches`,
      key,
    }
    await untilListening(ingestPort)
    const pageReaders = await startReaders({ port: server.port, headers: brand.headers })
    const senders = await startSenders(target)
    const batches = await createBatches(rows)
    const alone = async (count: number, size: number): Promise<BatchFigures> => {
      const bodies = Array.from({ length: count }, () => batches.next(size))
      const before = cpuMs()
      const { ms } = await sendBatches(target, bodies, null)
      return { ...figuresOf(ms), cpuMs: (cpuMs() - before) / count }
    }
    const largeBatches = Math.max(5, Math.round(options.batches / 10))
    await sandbox.step('warming up', async () => {
      await alone(100, 1)
      await alone(5, thousand)
      await pageReaders.send({ paths: paths.slice(0, 1_000), seconds: 1 })
      // The first batches trigger a check of the whole brand, which then pauses for twenty times as
      // long.
      await untilIdle(cpuMs)
    })
    const oneRow = await sandbox.step('batches of one record', () => alone(options.batches, 1))
    const thousandRows = await sandbox.step('batches of a thousand records', () =>
      alone(largeBatches, thousand),
    )
    const measured: Round[] = []
    let nextPath = 1_000
    const takePaths = () => {
      const count = Math.round(pagesPerSecond * options.seconds)
      const next = Array.from(
        { length: count },
        (_, n) => paths[(nextPath + n) % paths.length] ?? '',
      )
      nextPath += count
      return next
    }
    for (let round = 1; round <= count; round += 1) {
      sandbox.log(`round ${round} of ${count}`)
      const quiet = () => pageReaders.send({ paths: takePaths(), seconds: options.seconds })
      const loaded = async () => {
        const count = Math.round(sentPerSecond * options.seconds)
        const bodies = Array.from({ length: count }, () => batches.next(1))
        const sending = senders.send({ bodies, perSecond: sentPerSecond })
        const ms = await quiet()
        return { ms, sent: await sending }
      }
      // Alternates the first phase, so that a machine that slows down favours neither.
      if (round % 2 === 1) {
        const calm = await quiet()
        measured.push(roundOf(calm, await loaded()))
      } else {
        const busy = await loaded()
        measured.push(roundOf(await quiet(), busy))
      }
    }
    await Promise.all([pageReaders.close(), senders.close()])
    const readers = readersOf(measured)
    const verdicts = [
      verdictOf('batch of one record, p50 in ms', oneRow.p50Ms, 'at most', targets.oneRow),
      verdictOf(
        'batch of 1,000 records, p50 in ms',
        thousandRows.p50Ms,
        'at most',
        targets.thousandRows,
      ),
      verdictOf(
        'batches committed a second while pages are read',
        readers.committedPerSecond?.median ?? 0,
        'at least',
        targets.batchesPerSecond,
      ),
      verdictOf(
        'p99 of pages, times quiet',
        readers.times?.median ?? Number.POSITIVE_INFINITY,
        'at most',
        targets.readersTimes,
      ),
    ]
    publish(
      sandbox,
      options,
      `ingest-${options.engine}`,
      {
        ...{ engine: options.engine, rows, rounds: count, seconds: options.seconds },
        ...{ pagesPerSecond, sentPerSecond, oneRow, thousandRows, readers, verdicts },
      },
      `${reportOf({ oneRow, thousandRows, readers })}\n\n${verdicts.map(sentenceOf).join('\n')}\n`,
    )
    return exitCodeOf(verdicts)
  })
}

export const untilListening = async (port: number): Promise<void> => {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    if (response?.ok) return
    await wait(20)
  }
}

/** Waits until the CPUs have been idle for a second, at most two minutes. */
const untilIdle = async (cpuMs: () => number): Promise<void> => {
  const [spanMs, idlePart, spans] = [1_000, 0.1, 120]
  let before = cpuMs()
  for (let span = 0; span < spans; span += 1) {
    await wait(spanMs)
    const after = cpuMs()
    if (after - before < spanMs * idlePart) return
    before = after
  }
}

interface BatchFigures {
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the server and its database per batch. */
  readonly cpuMs: number
}

const figuresOf = (ms: readonly number[]): Pick<BatchFigures, 'p50Ms' | 'p99Ms'> => {
  const sorted = ms.toSorted((one, other) => one - other)
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) }
}

interface LoadedPhase {
  readonly ms: readonly number[]
  readonly sent: BatchRun
}

interface Round {
  readonly quiet: Pick<BatchFigures, 'p50Ms' | 'p99Ms'>
  readonly loaded: Pick<BatchFigures, 'p50Ms' | 'p99Ms'>
  readonly committedPerSecond: number
  readonly batchP50Ms: number
}

const roundOf = (quiet: readonly number[], { ms, sent }: LoadedPhase): Round => ({
  quiet: figuresOf(quiet),
  loaded: figuresOf(ms),
  committedPerSecond: sent.ms.length / sent.seconds,
  batchP50Ms: figuresOf(sent.ms).p50Ms,
})

interface ReaderFigures {
  readonly quietP99Ms: Spread | null
  readonly loadedP99Ms: Spread | null
  /** The p99 with batches relative to the quiet phase of the same round. */
  readonly times: Spread | null
  readonly committedPerSecond: Spread | null
  readonly batchP50Ms: Spread | null
}

const readersOf = (rounds: readonly Round[]): ReaderFigures => ({
  quietP99Ms: spreadOf(rounds.map(({ quiet }) => quiet.p99Ms)),
  loadedP99Ms: spreadOf(rounds.map(({ loaded }) => loaded.p99Ms)),
  times: spreadOf(rounds.map(({ quiet, loaded }) => loaded.p99Ms / quiet.p99Ms)),
  committedPerSecond: spreadOf(rounds.map(({ committedPerSecond }) => committedPerSecond)),
  batchP50Ms: spreadOf(rounds.map(({ batchP50Ms }) => batchP50Ms)),
})

const reportOf = ({
  oneRow,
  thousandRows,
  readers,
}: {
  readonly oneRow: BatchFigures
  readonly thousandRows: BatchFigures
  readonly readers: ReaderFigures
}): string => {
  const ms = (figure: number) => figure.toFixed(1)
  const spread = (of: Spread | null, digits = 1) =>
    of === null
      ? ['–', '–']
      : [of.median.toFixed(digits), `${of.least.toFixed(digits)}–${of.most.toFixed(digits)}`]
  return [
    tableOf(
      ['batches', 'p50 ms', 'p99 ms', 'CPU ms'],
      [
        ['of one record', ms(oneRow.p50Ms), ms(oneRow.p99Ms), ms(oneRow.cpuMs)],
        [
          'of 1,000 records',
          ms(thousandRows.p50Ms),
          ms(thousandRows.p99Ms),
          ms(thousandRows.cpuMs),
        ],
      ],
    ),
    tableOf(
      [`${pagesPerSecond} pages a second`, 'median', 'spread'],
      [
        ['p99 ms, quiet', ...spread(readers.quietP99Ms)],
        ['p99 ms, with batches', ...spread(readers.loadedP99Ms)],
        ['times', ...spread(readers.times, 2)],
        ['batches committed a second', ...spread(readers.committedPerSecond)],
        ['their p50 ms', ...spread(readers.batchP50Ms)],
      ],
    ),
  ].join('\n\n')
}
