import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres } from '../test/support/postgres.ts'
import { cpuMsOf } from './process-usage.ts'
import type { Sandbox } from './sandbox.ts'
import type { Engine } from './targets.ts'

/** The settings a database of this size would be given; the tests' own are for small ones. */
export const postgresSettings = ['shared_buffers=1GB', 'max_wal_size=4GB']

/** An empty database that lives as long as the sandbox. */
export interface OpenEngine {
  readonly url: string
  /** The processor time of its own processes, in milliseconds; null where that cannot be read. */
  cpuMs(): number | null
}

export const openEngine = async (sandbox: Sandbox, engine: Engine): Promise<OpenEngine> => {
  if (engine === 'sqlite') {
    return { url: `sqlite:${join(sandbox.folder, 'bench.db')}`, cpuMs: () => 0 }
  }
  const postgres = await sandbox.step('starting PostgreSQL', () =>
    openPostgres({ settings: postgresSettings }),
  )
  sandbox.onClose(() => postgres.close())
  return { url: await postgres.url('bench'), cpuMs: () => cpuMsOf(postgres.processes()) }
}

/** Opens empty databases of one engine. */
export interface Databases {
  open(name: string): Promise<string>
  cpuMs(): number
  remove(name: string): void
}

export const openDatabases = async (sandbox: Sandbox, engine: Engine): Promise<Databases> => {
  const fileOf = (name: string) => join(sandbox.folder, `${name}.db`)
  if (engine === 'sqlite') {
    return {
      open: async (name) => `sqlite:${fileOf(name)}`,
      cpuMs: () => 0,
      remove: (name) => rmSync(fileOf(name), { force: true }),
    }
  }
  const server = await openPostgres()
  sandbox.onClose(() => server.close())
  return {
    open: (name) => server.url(name),
    cpuMs: () => cpuMsOf(server.processes()) ?? 0,
    remove: () => undefined,
  }
}
