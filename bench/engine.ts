import { join } from 'node:path'
import { openPostgres } from '../test/support/postgres.ts'
import type { Sandbox } from '../tools/sandbox.ts'
import { cpuMsOf } from './process-usage.ts'
import type { Engine } from './targets.ts'

/** Settings for a database of this size; the settings of the tests are for small ones. */
export const postgresSettings = ['shared_buffers=1GB', 'max_wal_size=4GB']

/** An empty database that exists as long as the sandbox. */
export interface OpenEngine {
  readonly url: string
  /** CPU time of the database processes in milliseconds; null if it cannot be read. */
  cpuMs(): number | null
}

export const openEngine = async (
  sandbox: Sandbox,
  engine: Engine,
  name = 'bench',
): Promise<OpenEngine> => {
  if (engine === 'sqlite') {
    return { url: `sqlite:${join(sandbox.folder, `${name}.db`)}`, cpuMs: () => 0 }
  }
  const postgres = await sandbox.step('starting PostgreSQL', () =>
    openPostgres({ settings: postgresSettings }),
  )
  sandbox.onClose(() => postgres.close())
  return { url: await postgres.url(name), cpuMs: () => cpuMsOf(postgres.processes()) }
}
