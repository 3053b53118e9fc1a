/** The product as users run it: its command line in child processes, and its port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/support/postgres.ts'
import type { Sandbox } from '../tools/sandbox.ts'
import { outputOf } from './output.ts'
import { cpuMsOf, familyOf, type Memory, watchMemory } from './process-usage.ts'

/** The checkout that contains this file. */
export const ownCheckout = fileURLToPath(new URL('..', import.meta.url))
export const apiPath = '/api/public/v1'

/** A complete response. */
export interface ServerResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A server in one or several separate processes. */
export interface Server {
  readonly port: number
  /** From its start to its first 200 response. */
  readonly startMs: number
  get(path: string, headers?: { readonly [name: string]: string }): Promise<ServerResponse>
  /** CPU time of all its processes in milliseconds; null if it cannot be read. */
  cpuMs(): number | null
  /** Private memory of its largest serving process. */
  memory(): Memory | null
  close(): Promise<void>
}

export interface Product {
  /** Runs a command and returns its output. */
  run(...args: readonly string[]): Promise<string>
  /** Starts a server and waits until this path returns 200. */
  serve(options: ServeOptions): Promise<Server>
}

interface ServeOptions {
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly workers?: number
  /** Node options of the server. */
  readonly nodeOptions?: readonly string[]
}

interface ProductOptions {
  /** The checkout to run. The default is this one. */
  readonly checkout?: string
  /** Additional settings. */
  readonly settings?: { readonly [name: string]: string }
}

export const openProduct = (
  sandbox: Sandbox,
  name: string,
  databaseUrl: string,
  { checkout = ownCheckout, settings = {} }: ProductOptions = {},
): Product => {
  const { folder } = sandbox
  const program = join(checkout, 'bin/selvedge.mjs')
  const environment = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    IMAGES_URL: `file:${join(folder, `${name}-images`)}`,
    NODE_ENV: 'production',
    NODE_TEST_CONTEXT: undefined,
    LOG_LEVEL: 'info',
    RATE_PER_SECOND: '1000000',
    RATE_BURST: '1000000',
    ...settings,
  }
  let served = 0
  return {
    run: async (...args) => {
      const { stdout } = await outputOf(process.execPath, [program, ...args], {
        env: environment,
        onStart: (child) => sandbox.onClose(() => child.kill()),
      })
      return stdout
    },
    serve: async ({ path, headers, workers = 1, nodeOptions = [] }) => {
      served += 1
      const port = await freePort()
      return startServer(sandbox, {
        args: [...nodeOptions, program, 'serve'],
        env: { ...environment, PORT: String(port), WORKERS: String(workers) },
        logFile: join(folder, `${name}-${served}.log`),
        port,
        path,
        headers,
      })
    },
  }
}

interface StartOptions {
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly logFile: string
  readonly port: number
  readonly path: string
  readonly headers: { readonly [name: string]: string }
}

/** Starts a Node server and waits for its first 200 response. */
export const startServer = async (
  sandbox: Sandbox,
  { args, env, cwd, logFile, port, path, headers }: StartOptions,
): Promise<Server> => {
  const log = openSync(logFile, 'a')
  const began = performance.now()
  const child = spawn(process.execPath, args, { env, cwd, stdio: ['ignore', log, log] })
  closeSync(log)
  const agent = new Agent({ keepAlive: true })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const get: Server['get'] = (target, sent = headers) => ask(agent, port, target, sent)
  const close = async () => {
    agent.destroy()
    if (isRunning(child)) child.kill('SIGTERM')
    const patience = new AbortController()
    void wait(10_000, undefined, { signal: patience.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    )
    await exited
    patience.abort()
  }
  sandbox.onClose(close)
  await firstAnswer(child, () => get(path), logFile)
  const startMs = performance.now() - began
  const family = familyOf(child.pid ?? 0)
  const [, ...children] = family
  const watch = watchMemory(children.length > 0 ? children : family)
  sandbox.onClose(watch.stop)
  return {
    port,
    startMs,
    get,
    cpuMs: () => cpuMsOf(family),
    memory: watch.memory,
    close,
  }
}

const patienceMs = 60_000

const firstAnswer = async (
  child: ChildProcess,
  get: () => Promise<ServerResponse>,
  logFile: string,
): Promise<void> => {
  const until = performance.now() + patienceMs
  let said = 'nothing'
  while (isRunning(child) && performance.now() < until) {
    try {
      const { status, body } = await get()
      if (status === 200) return
      said = `${status} ${body}`
    } catch (error) {
      said = String(error)
    }
    await wait(3)
  }
  child.kill('SIGKILL')
  throw new Error(`A server did not start; it answered ${said}.\n${readFileSync(logFile, 'utf8')}`)
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null

const ask = (
  agent: Agent,
  port: number,
  path: string,
  headers: { readonly [name: string]: string },
): Promise<ServerResponse> =>
  new Promise((resolve, reject) => {
    const sent = request({ agent, port, host: '127.0.0.1', path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      )
    })
    sent.once('error', reject)
    sent.end()
  })
