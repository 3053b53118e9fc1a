import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'
import { fewOrders, putDemo } from './prepared-demo.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** `selvedge serve --demo` as a process of its own, with its workers. */
export interface Cluster {
  readonly url: string
  readonly metricsUrl: string
  /** Where records are received, if they are. */
  readonly ingestUrl: string
  /** A path of the demo brand that its key may read. */
  readonly path: string
  readonly key: string
  readonly databaseUrl: string
  readonly supervisor: ChildProcess
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>
  /** Everything it and its workers have written so far. */
  said(): string
  /** Resolves when it has said this. */
  says(what: RegExp): Promise<void>
  /** The processes that answer. */
  workers(): readonly number[]
  /** The process that receives records. */
  ingest(): number | undefined
  /** The process that waits to take the place of one of them. */
  standby(): number | undefined
  /** Asks for new workers, and waits until all old ones are gone. */
  replace(): Promise<void>
  close(): Promise<void>
}

export interface Started {
  readonly process: ChildProcess
  readonly ended: Promise<number | null>
  said(): string
}

/** Starts `selvedge serve` in a folder of its own, with the environment given and nothing else. */
export const startServe = (
  folder: string,
  environment: { readonly [name: string]: string },
  ...options: readonly string[]
): Started => {
  let said = ''
  const child = spawn(process.execPath, [main, 'serve', ...options], {
    cwd: folder,
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'warn',
      NODE_COMPILE_CACHE: compileCache,
      RATE_PER_SECOND: '1000000',
      RATE_BURST: '1000000',
      PUBLIC_RATE_PER_SECOND: '1000000',
      PUBLIC_RATE_BURST: '1000000',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { process: child, ended, said: () => said }
}

type Environment = { readonly [name: string]: string }

/** The same with few orders. */
export const startSmallCluster = (environment: Environment): Promise<Cluster> =>
  startCluster(environment, fewOrders)

export const startCluster = async (environment: Environment, orders?: number): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-cluster-'))
  if (environment['DATABASE_URL'] === undefined) putDemo(folder, orders)
  const started = startServe(folder, { METRICS_PORT: '0', ...environment }, '--demo')
  const { process: supervisor, ended, said } = started
  const says = async (what: RegExp) => {
    while (!what.test(said())) {
      if (supervisor.exitCode !== null) throw new Error(`It ended: ${said()}`)
      await wait(5)
    }
  }
  await says(/Ctrl\+C stops/)
  const [, url = '', path = ''] = /API +(http:\/\/[^/]+)(\S+)/.exec(said()) ?? []
  const workers = () => workersOf(supervisor)
  return {
    url,
    path: `${path}/orders?limit=5`,
    ingestUrl: /Ingest +(\S+)/.exec(said())?.[1] ?? '',
    metricsUrl: /Metrics +(\S+)/.exec(said())?.[1] ?? '',
    key: /Demo key +(\S+)/.exec(said())?.[1] ?? '',
    databaseUrl: environment['DATABASE_URL'] ?? `sqlite:${join(folder, 'data/selvedge.db')}`,
    supervisor,
    ended,
    said,
    says,
    workers,
    ingest: () => childrenOf(supervisor.pid ?? 0, 'selvedge ingest')[0],
    // A worker that is about to answer has the title of a standby for a moment.
    standby: () => {
      const [pid, ...more] = childrenOf(supervisor.pid ?? 0, 'selvedge standby')
      return more.length === 0 ? pid : undefined
    },
    replace: async () => {
      const before = workers()
      supervisor.kill('SIGHUP')
      await until(() => !workers().some((pid) => before.includes(pid)))
    },
    close: async () => {
      if (supervisor.exitCode === null && supervisor.signalCode === null) supervisor.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Waits until something is so, and tells how many milliseconds that took. Fails after ten minutes, which
 * names the condition, as the end of a test file that hangs does not.
 */
export const until = async (what: () => boolean | Promise<boolean>): Promise<number> => {
  const began = performance.now()
  while (!(await what())) {
    if (performance.now() - began > 600_000) throw new Error(`Never true: ${what}`)
    await wait(5)
  }
  return performance.now() - began
}

/** The processes of a server that answer requests. */
export const workersOf = ({ pid = 0 }: ChildProcess): readonly number[] =>
  childrenOf(pid, 'selvedge worker')

/** The process of the operator page. */
export const adminOf = ({ pid = 0 }: ChildProcess): number | undefined =>
  childrenOf(pid, 'selvedge admin')[0]

/** The processes that another has started and that call themselves so. */
const childrenOf = (pid: number, title: string): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((each) => each !== '' && titleOf(each) === title)
    .map(Number)

const titleOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', '')
  } catch {
    return ''
  }
}

/** How one request went. */
export interface Outcome {
  readonly status: number
  /** Of the process that answered. */
  readonly worker: string
  readonly closes: boolean
}

/** One request, on a connection of its own unless an agent keeps some. Rejects as sockets do. */
export const ask = (
  { url, path, key }: Pick<Cluster, 'url' | 'path' | 'key'>,
  agent: Agent | false = false,
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    const request = get(`${url}${path}`, { agent, headers, timeout: 20_000 }, (response) => {
      response.on('error', reject)
      response.resume().on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          worker: String(response.headers['x-request-id']).slice(0, 8),
          closes: response.headers.connection === 'close',
        }),
      )
    })
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error('No answer within 20 s.')))
  })

export interface Failure {
  readonly at: number
  readonly what: string
  /** The worker that had answered on the same connection before, if one had. */
  readonly holder: string | undefined
}

export interface Load {
  /** Requests answered with 200. */
  readonly answered: number
  /** Everything else. */
  readonly failed: readonly Failure[]
  /** The workers that answered, and when each did for the first time. */
  readonly seen: ReadonlyMap<string, number>
  /** How long the slowest answer took. */
  readonly slowestMs: number
  /** Ends the load, and resolves when the last request has been answered. */
  stop(): Promise<void>
  /** Resolves when every client has ended by itself, as those do who ask until refused. */
  readonly over: Promise<unknown>
}

export interface LoadOptions {
  readonly keeping?: number
  readonly fresh?: number
  /** Whether a refused connection is the end of a client rather than a failure. */
  readonly untilRefused?: boolean
  /** How long a client waits after a response; not at all by default. */
  readonly pauseMs?: number
}

/** Clients that ask again as soon as they have an answer: some keep their connection, some do not. */
export const putLoad = (
  cluster: Pick<Cluster, 'url' | 'path' | 'key'>,
  options: LoadOptions = {},
): Load => {
  const { keeping = 32, fresh = 16, untilRefused = false, pauseMs = 0 } = options
  const failed: Failure[] = []
  const seen = new Map<string, number>()
  let answered = 0
  let slowestMs = 0
  let stopped = false
  const client = async (agent: Agent | false) => {
    let holder: string | undefined
    const fail = (what: string) => {
      failed.push({ at: performance.now(), what, holder })
      holder = undefined
    }
    while (!stopped) {
      const requestedAt = performance.now()
      try {
        const { status, worker, closes } = await ask(cluster, agent)
        slowestMs = Math.max(slowestMs, performance.now() - requestedAt)
        if (status !== 200) fail(String(status))
        else answered += 1
        if (!seen.has(worker)) seen.set(worker, performance.now())
        holder = agent && !closes ? worker : undefined
        if (pauseMs > 0) await wait(pauseMs)
      } catch (error) {
        const { code, message, syscall } = error as NodeJS.ErrnoException
        // A socket that closes during a handshake resets it: no request was sent.
        const isRefused =
          code === 'ECONNREFUSED' || (code === 'ECONNRESET' && syscall === 'connect')
        if (untilRefused && isRefused) break
        fail(`${agent ? 'kept' : 'fresh'}: ${code ?? ''} ${message}`)
        await wait(5)
      }
    }
    if (agent) agent.destroy()
  }
  const over = Promise.all([
    ...Array.from({ length: keeping }, () => client(new Agent({ keepAlive: true, maxSockets: 1 }))),
    ...Array.from({ length: fresh }, () => client(false)),
  ])
  return {
    get answered() {
      return answered
    },
    get slowestMs() {
      return slowestMs
    },
    failed,
    seen,
    over,
    stop: async () => {
      stopped = true
      await over
    },
  }
}
