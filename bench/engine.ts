import { join } from 'node:path'
import { openPostgres } from '../test/support/postgres.ts'
import type { Sandbox } from './sandbox.ts'
import type { Engine } from './targets.ts'

/** The settings a database of this size would be given; the tests' own are for small ones. */
export const postgresSettings = ['shared_buffers=1GB', 'max_wal_size=4GB']

/** The URL of an empty database that lives as long as the sandbox. */
export const openEngine = async (sandbox: Sandbox, engine: Engine): Promise<string> => {
  if (engine === 'sqlite') return `sqlite:${join(sandbox.folder, 'bench.db')}`
  const postgres = await sandbox.step('starting PostgreSQL', () =>
    openPostgres({ settings: postgresSettings }),
  )
  sandbox.onClose(() => postgres.close())
  return postgres.url('bench')
}
