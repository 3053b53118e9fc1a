import { setTimeout as wait } from 'node:timers/promises'
import {
  type Cluster,
  type LoadOptions,
  putLoad,
  startSmallCluster,
  until,
} from '../test/support/cluster.ts'
import { check } from './check.ts'
import { sumsOf } from './sums.ts'

interface Size {
  /** Crashes on an idle machine, and as many with every core busy. */
  readonly crashes: number
  /** Multiplies the time limits on a machine that runs other tests. */
  readonly patience: number
}

const workers = 3
/** The next worker must respond within this time. */
const answeredMs = 1_000
/** Clients of the crashed worker must notice within this time. */
const noticedMs = 500

const loads: readonly LoadOptions[] = [
  { keeping: 2, fresh: 2 },
  { keeping: 32, fresh: 16 },
]

/** Kills a worker under load and checks the failed requests and its replacement. */
const crashWorker = async (cluster: Cluster, options: LoadOptions, patience: number) => {
  const misses: string[] = []
  await until(() => cluster.standby() !== undefined)
  const standby = cluster.standby() ?? 0
  const load = putLoad(cluster, options)
  await until(() => load.seen.size === workers)
  const earlier = new Set(load.seen.keys())
  const [victim = 0] = cluster.workers()
  const killed = performance.now()
  process.kill(victim, 'SIGKILL')
  await until(() => load.seen.size === workers + 1)
  const [[next, firstAnswerAt] = ['', Number.NaN]] = [...load.seen].slice(workers)
  await wait(200)
  const later = putLoad(cluster, options)
  await until(() => later.seen.size === workers)
  await Promise.all([load.stop(), later.stop()])
  const tookMs = firstAnswerAt - killed
  const exited = earlier.difference(later.seen)
  if (tookMs > answeredMs * patience)
    misses.push(`The next one answered after ${tookMs.toFixed(0)} ms.`)
  if (!cluster.workers().includes(standby)) misses.push('The standby one did not take the place.')
  if (exited.size !== 1) misses.push(`${exited.size} workers went.`)
  if (!later.seen.has(next)) misses.push('The next one went again.')
  const { keeping = 0, fresh = 0 } = options
  if (load.failed.length > keeping + fresh) misses.push('Somebody failed twice.')
  for (const { at, what, holder } of load.failed) {
    if (!/ECONNRESET|EPIPE/.test(what)) misses.push(`A client met ${what}.`)
    if (at - killed > noticedMs * patience)
      misses.push(`${what} ${(at - killed).toFixed(0)} ms after it.`)
    if (holder && !exited.has(holder)) misses.push(`${holder} lost a request and had not crashed.`)
  }
  misses.push(...later.failed.map(({ what }) => `A client met ${what} later.`))
  if (cluster.workers().length !== workers)
    misses.push(`There are ${cluster.workers().length} workers.`)
  return { tookMs, answered: load.answered + later.answered, failed: load.failed.length, misses }
}

export default check<Size>({
  id: 'R22',
  claim: 'When a worker crashes, only the requests in progress on it fail.',
  target:
    'Workers killed under load from 4 and from 48 clients: only requests of clients that were connected to the killed worker fail, once each; the standby responds with 200 within 1 s.',
  sizes: { short: { crashes: 1, patience: 5 }, full: { crashes: 10, patience: 1 } },
  try: async ({ crashes, patience }, { log }) => {
    const cluster = await startSmallCluster({
      WORKERS: String(workers),
      STANDBY_WORKERS: '1',
      LOG_LEVEL: 'error',
    })
    const all: Awaited<ReturnType<typeof crashWorker>>[] = []
    try {
      for (let count = 0; count < crashes; count += 1) {
        for (const options of loads) all.push(await crashWorker(cluster, options, patience))
        log(`${all.length} of ${crashes * loads.length} crashes`)
      }
    } finally {
      await cluster.close()
    }
    const sums = sumsOf(all, 'answered', 'failed')
    const slowest = Math.max(...all.map(({ tookMs }) => tookMs))
    return {
      measured: `${all.length} crashes: ${sums.answered.toLocaleString('en')} requests served, ${sums.failed} in progress on a killed worker; its replacement responded after at most ${slowest.toFixed(0)} ms.`,
      counts: {
        crashes: all.length,
        ...sums,
        slowestMs: Math.round(slowest),
      },
      misses: all.flatMap(({ misses }) => misses),
    }
  },
})
