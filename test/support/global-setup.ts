/** What a run prepares before the first test file, and removes after the last. */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCache } from './compile-cache.ts'
import { type Postgres, startSharedPostgres } from './postgres.ts'
import { openPreparedFolder } from './prepared.ts'

let folder: string | undefined
let temporary: string | undefined
let postgres: Postgres | undefined

const memory = '/dev/shm'
/** Room for the files of a tier, the large databases of the slow one among them. */
const memoryBytes = 8 * 1024 ** 3

/** The folder of temporary files of a run: in memory if there is room, since tests write and sync many. */
const openTemporaryFolder = (): string => {
  const made = mkdtempSync(join(hasMemory() ? memory : tmpdir(), 'selvedge-run-'))
  // PostgreSQL may run as another user.
  chmodSync(made, 0o755)
  return made
}

const hasMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= memoryBytes
  } catch {
    return false
  }
}

/** For a part of the tests, as `node --test --test-global-setup` calls it. */
export const globalSetup = async (): Promise<void> => {
  // Test files inherit the environment of the process that starts them.
  process.env['NODE_COMPILE_CACHE'] = compileCache
  folder = openPreparedFolder()
}

/** For a whole tier, which uses everything that can be shared. */
export const setUpTier = async (): Promise<void> => {
  temporary = openTemporaryFolder()
  process.env['TMPDIR'] = temporary
  await globalSetup()
  postgres = await startSharedPostgres()
}

export const globalTeardown = async (): Promise<void> => {
  await postgres?.close()
  for (const each of [folder, temporary]) {
    if (each !== undefined) rmSync(each, { recursive: true, force: true })
  }
}
