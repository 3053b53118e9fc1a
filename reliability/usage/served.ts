import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openRecords, type Records } from '#server'
import { createUsageLog } from '#usage'
import { until, workersOf } from '../../test/support/cluster.ts'
import { fewOrders, putDemo } from '../../test/support/prepared-demo.ts'
import type { Received } from './requests.ts'

/** A server with several workers, its access log, and the usage that it has stored. */
export interface ServedUsage {
  readonly url: string
  /** Two keys for a brand, one with a low rate, and a global one. */
  readonly keys: readonly ServedKey[]
  /** Requests and refusals by key, brand and operation: of the log, and of the usage. */
  logged(): Sums
  stored(): Promise<Sums>
  total(sums: Sums): number
  /** Requests in the log, except the last ones of a killed worker. */
  loggedExcept(worker: KilledWorker, lastMs: number): number
  /** Notes what clients received. */
  receive(received: Received): void
  /** The differences between what clients received and the usage. */
  compareReceived(): Promise<readonly string[]>
  /** Kills a worker and waits for the next. */
  killWorker(): Promise<KilledWorker>
  /** Requests that were sent to find the workers. */
  readonly polls: number
  close(): Promise<void>
}

export interface KilledWorker {
  /** The beginning of its request ids. */
  readonly idPrefix: string
  /** When it was killed. */
  readonly at: number
}

export interface ServedKey {
  readonly id: string
  readonly key: string
}

/** A text of requests and refusals by name, so that differences can be shown. */
export type Sums = ReadonlyMap<string, string>

interface LogLine {
  readonly time: string
  readonly requestId: string
  readonly msg: string
  readonly keyId?: string
  readonly brand?: string
  readonly route: string
  readonly errorCode?: string
}

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const wide = { since: '2000-01-01', until: '2100-01-01' }

const issueKeys = async ({ keys }: Records): Promise<readonly ServedKey[]> => {
  const issued: ServedKey[] = []
  for (const [name, perSecond] of [
    ['one', null],
    ['two', null],
    ['slow', 5],
    ['all', null],
  ] as const) {
    const global = name === 'all'
    const brands = global ? [] : ['aldermoor']
    issued.push(
      await keys.issue({ name, brands, global, expiresAt: null, perSecond, burst: perSecond }),
    )
  }
  return issued
}

export const serveUsage = async (workers: number): Promise<ServedUsage> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-usage-'))
  putDemo(folder, fewOrders)
  const records = await openRecords({ databaseUrl: `sqlite:${join(folder, 'data/selvedge.db')}` })
  const keys = await issueKeys(records)
  const usage = createUsageLog(records.keyDatabase)
  const logFile = join(folder, 'log')
  // Appended writes to a file stay whole; those of several processes to a pipe may mix.
  const output = openSync(logFile, 'a')
  const child: ChildProcess = spawn(process.execPath, [main, 'serve', '--demo'], {
    cwd: folder,
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      WORKERS: String(workers),
      RATE_PER_SECOND: '1000000',
      RATE_BURST: '1000000',
      PUBLIC_RATE_PER_SECOND: '1000000',
      PUBLIC_RATE_BURST: '1000000',
    },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const text = () => readFileSync(logFile, 'utf8')
  await until(() => {
    if (child.exitCode !== null) throw new Error(`It ended: ${text()}`)
    return /Ctrl\+C stops/.test(text())
  })
  const [, url = ''] = /API +(http:\/\/[^/\s]+)/.exec(text()) ?? []
  await until(() => workersOf(child).length === workers)
  /** Prefixes of the request ids of killed workers. */
  const killed = new Set<string>()
  let polls = 0
  const received = new Map<string, { records: number; bytes: number }>()

  const lines = (): readonly LogLine[] =>
    text()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine)
      .filter(({ msg, keyId, errorCode }) => msg === 'request' && (keyId || errorCode))

  const logged = (): Sums => {
    const sums = new Map<string, Map<string, number>>()
    for (const { keyId = '', brand = '', route, errorCode } of lines()) {
      const name = `${keyId} ${brand} ${route}`
      const counts = sums.get(name) ?? new Map()
      sums.set(name, counts)
      for (const each of ['requests', ...(errorCode ? [errorCode] : [])]) {
        counts.set(each, (counts.get(each) ?? 0) + 1)
      }
    }
    return new Map([...sums].map(([name, counts]) => [name, textOf(Object.fromEntries(counts))]))
  }
  const stored = async (): Promise<Sums> => {
    const totals = await usage.totals(['key', 'brand', 'operation'], wide)
    return new Map(
      totals.map(({ parts, requests, refusals }) => [
        parts.join(' '),
        textOf({ requests, ...refusals }),
      ]),
    )
  }

  return {
    url,
    keys,
    logged,
    stored,
    total: (sums) =>
      [...sums.values()].reduce((sum, each) => sum + Number(/requests (\d+)/.exec(each)?.[1]), 0),
    loggedExcept: ({ idPrefix, at }, lastMs) =>
      lines().filter(
        ({ requestId, time }) => !requestId.startsWith(idPrefix) || Date.parse(time) < at - lastMs,
      ).length,
    receive: ({ byKey }) => {
      for (const [keyId, { records: count, bytes }] of byKey) {
        const before = received.get(keyId) ?? { records: 0, bytes: 0 }
        received.set(keyId, { records: before.records + count, bytes: before.bytes + bytes })
      }
    },
    compareReceived: async () => {
      const totals = await usage.totals(['key'], wide)
      return [...received].flatMap(([keyId, { records: count, bytes }]) => {
        const total = totals.find(({ parts }) => parts[0] === keyId)
        // Requests without a key are also sent to find the workers.
        if (keyId === '') return []
        return total?.records === count && total.bytes === bytes
          ? []
          : [
              `${keyId}: clients received ${count} records and ${bytes} bytes, usage has ${total?.records} and ${total?.bytes}.`,
            ]
      })
    },
    killWorker: async () => {
      const [victim = 0] = workersOf(child)
      const others = new Set(workersOf(child).filter((pid) => pid !== victim))
      const prefixes = (after: number) =>
        new Set(
          lines()
            .slice(after)
            .map(({ requestId }) => requestId.replace(/-[^-]*$/, '')),
        )
      const before = prefixes(0)
      const at = Date.now()
      process.kill(victim, 'SIGKILL')
      await until(() => {
        const now = workersOf(child)
        return now.length === workers && now.some((pid) => pid !== victim && !others.has(pid))
      })
      await wait(300)
      const count = lines().length
      await until(async () => {
        polls += 1
        await fetch(`${url}/api/public/v1/brands/aldermoor/tags`, {
          headers: { connection: 'close' },
        }).then((response) => response.arrayBuffer())
        return prefixes(count).size >= workers
      })
      const later = prefixes(count)
      const exited = [...before].find((prefix) => !later.has(prefix) && !killed.has(prefix)) ?? ''
      killed.add(exited)
      return { idPrefix: exited, at }
    },
    get polls() {
      return polls
    },
    close: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await records.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `requests 12, rate_limited 3`, with the names in order. */
const textOf = (counts: { readonly [name: string]: number }): string =>
  Object.entries(counts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
