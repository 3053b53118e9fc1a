import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { firstFound, systemRoot, unpack, unpackedAt } from './debian.ts'
import { killProcess } from './kill-process.ts'
import { freePort, type Postgres } from './postgres.ts'

/** A program that can be run, and what it needs to be. */
export interface PgbouncerProgram {
  readonly path: string
  readonly environment: { readonly [name: string]: string }
}

/** A real pgbouncer in front of a server, with its defaults but for the mode and what is given. */
export interface Pgbouncer {
  readonly port: number
  close(): Promise<void>
}

const run = promisify(execFile)

/** What is on the path, or Debian's package unpacked into a cache. Where there is neither: why. */
export const findPgbouncer = (): Promise<PgbouncerProgram | { readonly missing: string }> =>
  firstFound('pgbouncer is not here and could not be fetched', [
    onPath,
    cached,
    fetchedWith('libc-ares2'),
    fetchedWith('libcares2'),
  ])

export const openPgbouncer = async (
  program: PgbouncerProgram,
  postgres: Postgres,
  settings: readonly string[],
): Promise<Pgbouncer> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  // With `any`, every client is let in as the user whom the database names.
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${postgres.port} user=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      ...settings,
      '',
    ].join('\n'),
  )
  // It refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child: ChildProcess = spawn(program.path, [file], {
    ...nobody,
    stdio: 'ignore',
    env: { ...process.env, ...program.environment },
  })
  const accepts = async (): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return true
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  }
  for (let tries = 0; !(await accepts()); tries += 1) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${child.exitCode}`)
    if (tries > 400) throw new Error('pgbouncer does not answer')
    await wait(25)
  }
  return {
    port,
    close: async () => {
      await killProcess(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const works = async (program: PgbouncerProgram): Promise<PgbouncerProgram> => {
  await run(program.path, ['--version'], { env: { ...process.env, ...program.environment } })
  return program
}

const onPath = async (): Promise<PgbouncerProgram> => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), join(systemRoot, 'usr/sbin')]
  for (const folder of folders) {
    const [path] = globSync(join(folder, 'pgbouncer'))
    if (path) return works({ path, environment: {} })
  }
  throw new Error('none is on the path')
}

const cache = unpackedAt('pgbouncer')

const cached = (): Promise<PgbouncerProgram> =>
  works({
    path: join(cache, 'usr/sbin/pgbouncer'),
    environment: { LD_LIBRARY_PATH: globSync(join(cache, 'usr/lib/*-linux-gnu')).join(':') },
  })

/** The library has another name from Debian 13 on. */
const fetchedWith =
  (library: 'libc-ares2' | 'libcares2') => async (): Promise<PgbouncerProgram> => {
    await unpack('pgbouncer', ['pgbouncer', 'libevent-2.1-7', library])
    return cached()
  }
