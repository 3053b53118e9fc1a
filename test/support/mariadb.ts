import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2/promise'
import { makeCertificate } from './certificate.ts'
import { firstFound, systemRoot, unpack, unpackedAt } from './debian.ts'
import { killProcess } from './kill-process.ts'
import { freePort } from './postgres.ts'

/** A program that can be run, and what it needs to be. */
export interface MariadbProgram {
  readonly path: string
  /** The folder of its messages and character sets. */
  readonly share: string
  readonly environment: { readonly [name: string]: string }
}

/** A real MariaDB with a database `erp`. It lets everybody in. */
export interface Mariadb {
  readonly url: string
  /** The certificate that it shows to clients that ask for TLS. */
  readonly certificate: string
  /** Runs statements on a connection of their own. */
  run(...statements: readonly string[]): Promise<void>
  close(): Promise<void>
}

const execute = promisify(execFile)

/** What is on the path, or Debian's package unpacked into a cache. Where there is neither: why. */
export const findMariadb = (): Promise<MariadbProgram | { readonly missing: string }> =>
  firstFound('mariadbd is not here and could not be fetched', [onPath, cached, fetched])

export const openMariadb = async (program: MariadbProgram): Promise<Mariadb> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-mariadb-'))
  const data = join(folder, 'data')
  // A database is a folder.
  for (const name of ['mysql', 'erp']) mkdirSync(join(data, name), { recursive: true })
  // It refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null
  if (nobody) {
    for (const path of [folder, data, join(data, 'mysql'), join(data, 'erp')]) {
      chmodSync(path, 0o755)
      chownSync(path, nobody.uid, nobody.gid)
    }
  }
  const { certificate, key } = makeCertificate(folder, 'server')
  if (nobody) chownSync(key, nobody.uid, nobody.gid)
  const port = await freePort()
  const child: ChildProcess = spawn(
    program.path,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--tmpdir=${folder}`,
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--lc-messages-dir=${program.share}`,
      `--character-sets-dir=${join(program.share, 'charsets')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--ssl-cert=${certificate}`,
      `--ssl-key=${key}`,
      // Without tables of users.
      '--skip-grant-tables',
      '--skip-networking=0',
      // On a busy machine a client needs longer to send its part of the greeting.
      '--connect-timeout=300',
      '--innodb-buffer-pool-size=32M',
      '--character-set-server=utf8mb4',
      '--default-storage-engine=InnoDB',
    ],
    {
      ...nobody,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...program.environment },
    },
  )
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-10_000)
  })
  const connect = () => createConnection({ host: '127.0.0.1', port, user: 'erp', database: 'erp' })
  const run = async (...statements: readonly string[]) => {
    const connection = await connect()
    try {
      for (const statement of statements) await connection.query(statement)
    } finally {
      await connection.end()
    }
  }
  for (let tries = 0; ; tries += 1) {
    if (child.exitCode !== null) throw new Error(`mariadbd ended: ${child.exitCode}\n${log}`)
    if (
      await run('select 1').then(
        () => true,
        () => false,
      )
    )
      break
    if (tries > 600) throw new Error(`mariadbd does not answer\n${log}`)
    await wait(50)
  }
  return {
    url: `mysql://erp@127.0.0.1:${port}/erp`,
    certificate,
    run,
    close: async () => {
      await killProcess(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const works = async (program: MariadbProgram): Promise<MariadbProgram> => {
  await execute(program.path, ['--no-defaults', '--version'], {
    env: { ...process.env, ...program.environment },
  })
  return program
}

const onPath = async (): Promise<MariadbProgram> => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), join(systemRoot, 'usr/sbin')]
  for (const folder of folders) {
    const [path] = globSync(join(folder, 'mariadbd'))
    if (path) return works({ path, share: '/usr/share/mysql', environment: {} })
  }
  throw new Error('none is on the path')
}

const cache = unpackedAt('mariadb')

const cached = (): Promise<MariadbProgram> =>
  works({
    path: join(cache, 'usr/sbin/mariadbd'),
    share: join(cache, 'usr/share/mysql'),
    environment: {
      LD_LIBRARY_PATH: globSync(join(cache, '{usr/,}lib/*-linux-gnu')).join(':'),
    },
  })

const fetched = async (): Promise<MariadbProgram> => {
  await unpack('mariadb', ['mariadb-server-core', 'libaio1', 'liburing2', 'libnuma1'])
  return cached()
}
