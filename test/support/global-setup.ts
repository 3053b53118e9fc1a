/** What a run prepares before the first test file, and removes after the last. */
import { rmSync } from 'node:fs'
import { compileCache } from './compile-cache.ts'
import { type Postgres, startSharedPostgres } from './postgres.ts'
import { openPreparedFolder } from './prepared.ts'

let folder: string | undefined
let postgres: Postgres | undefined

/** For a part of the tests, as `node --test --test-global-setup` calls it. */
export const globalSetup = async (): Promise<void> => {
  // Test files inherit the environment of the process that starts them.
  process.env['NODE_COMPILE_CACHE'] = compileCache
  folder = openPreparedFolder()
}

/** For a whole tier, which uses everything that can be shared. */
export const setUpTier = async (): Promise<void> => {
  await globalSetup()
  postgres = await startSharedPostgres()
}

export const globalTeardown = async (): Promise<void> => {
  await postgres?.close()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
