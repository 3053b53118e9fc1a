import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { ask, type Cluster, putLoad, startCluster, until } from '../test/support/cluster.ts'
import { mainFile } from '../test/support/command.ts'
import { check } from './check.ts'

interface Size {
  /** Requests that each server answers. */
  readonly requests: number
  /** Workers that are stopped while working, one after another. */
  readonly hung: number
}

/**
 * `selvedge serve` in production mode on the records of another server, with a different log
 * target.
 */
interface Server extends Pick<Cluster, 'url' | 'path' | 'key' | 'metricsUrl'> {
  readonly process: ChildProcess
  readonly ended: Promise<number | null>
}

const openServer = async (
  { databaseUrl, path, key }: Cluster,
  workers: number,
  log: string,
): Promise<Server> => {
  const child = spawn(process.execPath, [mainFile, 'serve'], {
    env: {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: '0',
      WORKERS: String(workers),
      STANDBY_WORKERS: '0',
      DATABASE_URL: databaseUrl,
      RATE_PER_SECOND: '1000000',
      RATE_BURST: '1000000',
    },
    stdio: ['ignore', openSync(log, 'a'), 'pipe'],
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await until(() => said.includes('Ctrl+C stops') || child.exitCode !== null)
  const url = /API +(http:\/\/[^/]+)/.exec(said)?.[1]
  if (url === undefined) throw new Error(`It did not start: ${said}`)
  return {
    url,
    path,
    key,
    metricsUrl: /Metrics +(\S+)/.exec(said)?.[1] ?? '',
    process: child,
    ended,
  }
}

/** Sends requests until this many are answered, then stops the server. */
const serve = async (server: Server, requests: number) => {
  const load = putLoad(server, { keeping: 6, fresh: 2 })
  let healthMs = 0
  while (load.answered < requests && load.failed.length < 10) {
    const began = performance.now()
    await (await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(20_000) })).text()
    healthMs = Math.max(healthMs, performance.now() - began)
    await wait(20)
  }
  await load.stop()
  const text = await (await fetch(server.metricsUrl)).text()
  const dropped = Number(/^selvedge_log_lines_dropped_total (\d+)/m.exec(text)?.[1] ?? 0)
  server.process.kill('SIGTERM')
  return {
    answered: load.answered,
    failed: load.failed,
    dropped,
    healthMs,
    code: await server.ended,
  }
}

const workersOf = ({ process: { pid } }: Server): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Stops a worker with SIGSTOP and waits until all requests are answered again. */
const hangWorker = async (server: Server): Promise<number> => {
  const [victim = 0] = workersOf(server)
  const began = performance.now()
  process.kill(victim, 'SIGSTOP')
  await until(() => !workersOf(server).includes(victim) && workersOf(server).length === 2)
  for (let count = 0; count < 20; count += 1) await ask(server)
  return performance.now() - began
}

export default check<Size>({
  id: 'R29',
  claim: 'A log that cannot be written blocks no request, and a worker that hangs is replaced.',
  target:
    'With standard output on a full disk, servers with one and two workers respond to every request with 200, /healthz responds, dropped lines are counted, and the server exits with code 0. A worker that hangs is replaced within 15 s.',
  sizes: { short: { requests: 400, hung: 0 }, full: { requests: 100_000, hung: 5 } },
  try: async ({ requests, hung }, { log }) => {
    const cluster = await startCluster({ WORKERS: '1', LOG_LEVEL: 'error' })
    const misses: string[] = []
    const counts = { requests: 0, failed: 0, droppedLines: 0, healthMs: 0, replacedMs: 0 }
    try {
      for (const workers of [1, 2]) {
        const ran = await serve(await openServer(cluster, workers, '/dev/full'), requests)
        log(`${workers} workers: ${ran.answered} answered, ${ran.dropped} lines dropped`)
        counts.requests += ran.answered
        counts.failed += ran.failed.length
        counts.droppedLines += ran.dropped
        counts.healthMs = Math.max(counts.healthMs, Math.round(ran.healthMs))
        misses.push(...ran.failed.map(({ what }) => `With ${workers} workers: ${what}.`))
        if (ran.dropped === 0) misses.push(`With ${workers} workers no dropped line was counted.`)
        if (ran.code !== 0) misses.push(`With ${workers} workers it exited with ${ran.code}.`)
      }
      if (hung > 0) {
        const server = await openServer(cluster, 2, '/dev/null')
        for (let count = 0; count < hung; count += 1) {
          const tookMs = await hangWorker(server)
          log(`a worker that hung was replaced after ${tookMs.toFixed(0)} ms`)
          counts.replacedMs = Math.max(counts.replacedMs, Math.round(tookMs))
        }
        if (counts.replacedMs > 15_000) misses.push(`Replacing took ${counts.replacedMs} ms.`)
        server.process.kill('SIGTERM')
        await server.ended
      }
    } finally {
      await cluster.close()
    }
    return {
      measured: `${counts.requests.toLocaleString('en')} requests with the log on a full disk: ${counts.failed} failed, ${counts.droppedLines.toLocaleString('en')} lines dropped and counted, /healthz within ${counts.healthMs} ms. ${hung} hung workers were replaced within ${(counts.replacedMs / 1_000).toFixed(1)} s.`,
      counts,
      misses,
    }
  },
})
