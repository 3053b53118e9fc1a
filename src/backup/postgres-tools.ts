import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { programEnvironment } from '#config'
import type { PostgresServer } from '#database'
import { BackupError } from './backup-error.ts'

const execute = promisify(execFile)

/** A program of PostgreSQL, and its major version. */
export interface PostgresTool {
  readonly path: string
  readonly major: number
}

/** Debian installs the programs of each version here. `pg_dump` on the path is a script that chooses one. */
const debianFolder = '/usr/lib/postgresql'

/**
 * The oldest program of this name that is at least as new as a server or an archive: a newer one reads
 * both. Null if there is none.
 */
export const findPostgresTool = async (
  name: 'pg_dump' | 'pg_restore',
  majorLeast: number,
): Promise<PostgresTool | null> => {
  const versions = await readdir(debianFolder).catch(() => [])
  const folders = [
    ...(programEnvironment().PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...versions.map((version) => join(debianFolder, version, 'bin')),
  ]
  const tools = await Promise.all(folders.map((folder) => inspectTool(join(folder, name))))
  const [best = null] = tools
    .filter((tool) => tool !== null)
    .filter(({ major }) => major >= majorLeast)
    .toSorted((one, other) => one.major - other.major)
  return best
}

const inspectTool = async (path: string): Promise<PostgresTool | null> => {
  try {
    const { stdout } = await execute(path, ['--version'], { timeout: toolMs })
    const [, major] = /\(PostgreSQL\) (\d+)/.exec(stdout) ?? []
    return major === undefined ? null : { path, major: Number(major) }
  } catch {
    return null
  }
}

const toolMs = 10_000
const lockWaitMs = 30_000

/** Whether a program reaches the server: its TLS settings differ from those of this program. */
export const reachesServer = async (
  tool: PostgresTool,
  server: PostgresServer,
): Promise<boolean> => {
  const { args, env } = connectionOf(server)
  try {
    await execute(tool.path, [...args, '--schema-only', '--table=selvedge_settings'], {
      env,
      timeout: toolMs,
    })
    return true
  } catch {
    return false
  }
}

/**
 * Dumps tables of one state. Compresses nothing, because the archive does. Throws `BackupError` with
 * the last words of the program.
 */
export const dumpTables = (
  tool: PostgresTool,
  server: PostgresServer,
  snapshot: string,
  tables: readonly string[],
): AsyncIterable<Uint8Array> => {
  const { args, env } = connectionOf(server)
  return outputOf(
    spawn(
      tool.path,
      [
        ...args,
        ...['--format=custom', '--compress=0', '--no-owner', `--snapshot=${snapshot}`],
        // Its locks queue behind a migration that waits for those of this program.
        `--lock-wait-timeout=${lockWaitMs}`,
        ...tables.map((table) => `--table=public."${table.replaceAll('"', '""')}"`),
      ],
      { env, stdio: ['ignore', 'pipe', 'pipe'] },
    ),
    'pg_dump',
  )
}

/** The rows of a dump as text: `COPY … FROM stdin;`, lines, and `\.` for each table. */
export const readDump = (
  tool: PostgresTool,
  dump: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> => {
  const child = spawn(tool.path, ['--data-only', '--no-owner', '--file=-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A program that ends early says why.
  const writing = pipeline(dump, child.stdin).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') child.stdout.destroy(error)
  })
  const output = outputOf(child, 'pg_restore')
  return (async function* () {
    try {
      yield* output
      await writing
    } finally {
      child.stdin.destroy()
    }
  })()
}

async function* outputOf(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
  name: string,
): AsyncGenerator<Uint8Array> {
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-wordsMax)
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  // Awaited below, unless the reader stops early.
  ended.catch(() => undefined)
  try {
    yield* child.stdout as AsyncIterable<Uint8Array>
    const code = await ended
    if (code !== 0) throw new BackupError(`${name} failed: ${words.trim() || `exit code ${code}`}`)
  } finally {
    child.kill()
  }
}

const wordsMax = 2_000

/** The password is passed in the environment: everybody on a machine sees the arguments of programs. */
const connectionOf = ({ host, port, user, password, database, ssl }: PostgresServer) => ({
  args: ['--no-password', '--dbname', database],
  env: {
    ...programEnvironment(),
    PGHOST: host,
    PGPORT: String(port),
    PGSSLMODE: ssl,
    PGAPPNAME: 'selvedge backup',
    ...(user !== undefined && { PGUSER: user }),
    ...(password !== undefined && { PGPASSWORD: password }),
    ...(ssl === 'verify-full' && {
      PGSSLROOTCERT: programEnvironment().NODE_EXTRA_CA_CERTS ?? 'system',
    }),
  },
})
