import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { percentile } from '../bench/statistics.ts'
import { openErp } from '../test/support/erp.ts'
import { openPostgres } from '../test/support/postgres.ts'
import { type Fault, faults, unitOf } from './chaos/colours.ts'
import { settle } from './chaos/judge.ts'
import { onPlace, type Place, storedAs } from './chaos/place.ts'
import {
  coloursTable,
  createBatches,
  createFolder,
  createTable,
  type Feed,
} from './chaos/sources.ts'
import { check } from './check.ts'
import { type Engine, engineNames, engines } from './engine.ts'

interface Size {
  /** Units of each fault. */
  readonly rounds: number
  /** How long the next good unit may take, with the bad one. */
  readonly msMax: number
  /** Maximum ratio of the p99 of another brand to its value beside good units. */
  readonly timesMax: number
}

const [brand, other] = ['aldermoor', 'birkholm'] as const
const pauseMs = 50

export default check<Size>({
  id: 'R43',
  claim: 'A bad batch, file or row holds up neither the next ones of its brand nor another brand.',
  target:
    'A brand sends a batch, a file and a row of a sync of each kind of fault (a wrong format, length, code or repeated key, or refused by the engine), each followed by a good one: the good one is stored within 5 s after the bad one was sent, and the p99 of storing batches of another brand meanwhile is at most 3 times its value beside good batches, files and rows. On SQLite and on PostgreSQL.',
  sizes: {
    short: { rounds: 1, msMax: 60_000, timesMax: Infinity },
    full: { rounds: 4, msMax: 5_000, timesMax: 3 },
  },
  try: async ({ rounds, msMax, timesMax }, { log }) => {
    const measured: string[] = []
    const misses: string[] = []
    const counts: Record<string, number> = {}
    for (const engine of engines) {
      const { longest, quiet, beside, left } = await measureOn(engine, rounds)
      const name = engineNames[engine]
      const [quietMs, besideMs] = [quiet, beside].map((all) => Math.round(percentile(all, 0.99)))
      const times = Object.entries(longest).map(([source, ms]) => `${source} ${seconds(ms)}`)
      const sentence = `${name}: the next good ${times.join(', ')} after a bad one at most; p99 of another brand ${quietMs} ms beside good and ${besideMs} ms beside bad ones (${beside.length} batches)`
      log(sentence)
      measured.push(sentence)
      Object.assign(counts, { [`${engine}QuietP99Ms`]: quietMs, [`${engine}P99Ms`]: besideMs })
      for (const [source, ms] of Object.entries(longest)) {
        counts[`${engine}${source}Ms`] = Math.round(ms)
        if (ms > msMax) misses.push(`${name}: a good ${source} took ${seconds(ms)}.`)
      }
      if ((besideMs ?? 0) > (quietMs ?? 0) * timesMax) {
        misses.push(`${name}: the p99 was ${besideMs} ms, more than ${timesMax} × ${quietMs} ms.`)
      }
      misses.push(...left.map((each) => `${name}: ${each}`))
    }
    return { measured: `${measured.join('; ')}.`, counts, misses: misses.slice(0, 20) }
  },
})

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

interface Figures {
  /** The longest time from sending a bad unit until the next one was stored, by its source. */
  readonly longest: Readonly<Record<string, number>>
  /** Sorted times of storing batches of another brand, beside good and beside bad units. */
  readonly quiet: readonly number[]
  readonly beside: readonly number[]
  /** What has not ended as it must. */
  readonly left: readonly string[]
}

const measureOn = (engine: Engine, rounds: number): Promise<Figures> =>
  onPlace(engine, [brand, other], async (place) => {
    const { sandbox, server, key } = place
    const postgres = await openPostgres()
    try {
      const { url, run } = await openErp(postgres, 'erp')
      await run(coloursTable)
      const sender = { url: server.url, key, waits: true }
      const feeds = {
        batch: createBatches({ ...sender, brand }),
        file: createFolder(join(sandbox.folder, 'in'), brand),
        row: createTable(run, brand),
      }
      const singles = createBatches({ ...sender, brand: other })
      place.watch('in', brand)
      place.sync(url, brand)
      const pairs = createPairs(place, feeds)
      // The first ones start everything.
      await pairs.send(null)
      const [quiet, beside]: [number[], number[]] = [[], []]
      const left: string[] = []
      // In turn, so that other work of the machine slows down both.
      for (let round = 0; round < rounds; round += 1) {
        const sendGood = () => pairs.send(...faults.map(() => null))
        quiet.push(...(await batchesDuring(singles, sendGood)))
        beside.push(...(await batchesDuring(singles, () => pairs.send(...faults))))
        left.push(...(await settle(place, [...Object.values(feeds), singles])).values())
        await feeds.row.correct()
      }
      await place.stop()
      return { longest: pairs.longest, quiet: sorted(quiet), beside: sorted(beside), left }
    } finally {
      await postgres.close()
    }
  })

/** Sends two units to each source at the same time, the second one good, and times them. */
const createPairs = (place: Place, feeds: Readonly<Record<string, Feed>>) => {
  const longest: Record<string, number> = {}
  let sent = 0
  const isStored = async ({ colours }: ReturnType<typeof unitOf>): Promise<boolean> => {
    const stored = new Set(await place.stored())
    return colours.every((colour) => stored.has(storedAs(colour)))
  }
  return {
    longest,
    send: async (...wanted: readonly (Fault | null)[]): Promise<void> => {
      for (const fault of wanted) {
        const first = sent
        sent += 2
        await Promise.all(
          Object.entries(feeds).map(async ([source, feed], index) => {
            const began = performance.now()
            const next = unitOf(`${source[0]}${index}`, first + 1, null)
            await feed.send(unitOf(`${source[0]}${index}`, first, fault))
            await feed.send(next)
            while (!(await isStored(next))) await wait(pauseMs)
            if (fault) longest[source] = Math.max(longest[source] ?? 0, performance.now() - began)
          }),
        )
      }
    },
  }
}

const sorted = (all: readonly number[]): readonly number[] => all.toSorted((a, b) => a - b)

/** How long batches take during some work. */
const batchesDuring = async (feed: Feed, work: () => Promise<void>): Promise<readonly number[]> => {
  const took: number[] = []
  let isOver = false
  const sending = (async () => {
    while (!isOver) {
      const began = performance.now()
      await feed.send(unitOf('o9', feed.sent.length, null))
      took.push(performance.now() - began)
      await wait(pauseMs)
    }
  })()
  await work()
  isOver = true
  await sending
  return took
}
