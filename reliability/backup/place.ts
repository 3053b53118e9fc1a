/** Installations that are backed up, and empty ones that backups are restored into. */
import { join } from 'node:path'
import pg from 'pg'
import { openSandbox, type Sandbox } from '../../test/support/command.ts'
import { findDebianPostgres, openDebianPostgres } from '../../test/support/debian-postgres.ts'
import { openPostgres, type Postgres } from '../../test/support/postgres.ts'
import { storyBrand } from '../../test/support/queue.ts'
import { patient } from '../engine.ts'
import {
  issueIngestKey,
  openServedIngest,
  type ServedIngest,
} from '../ingest-kill/served-ingest.ts'

/** The ways to copy a database, by their names for people. */
export const copies = {
  sqlite: 'SQLite',
  rows: 'PostgreSQL',
  pg_dump: "PostgreSQL with Debian's pg_dump",
} as const
export type CopyName = keyof typeof copies
export const copyNames = Object.keys(copies) as readonly CopyName[]

export interface BackupPlace {
  readonly sandbox: Sandbox
  readonly server: ServedIngest
  readonly ingestKey: string
  /** Provides an empty database, and removes it after the work. */
  restored<Result>(work: (sandbox: Sandbox) => Promise<Result>): Promise<Result>
}

/** The brand that imports write, and one that only makes the database larger. */
export const importBrand = 'corvane'
const largeBrand = 'birkholm'

/** A server that receives records, on a database of some size. */
export const onBackupPlace = <Result>(
  copy: CopyName,
  { orders }: { readonly orders: number },
  work: (place: BackupPlace) => Promise<Result>,
): Promise<Result> =>
  withDatabases(copy, async ({ source, restored }) => {
    const sandbox = openSandbox(source)
    try {
      const run = async (...args: readonly string[]) => {
        const { code, stderr } = await sandbox.runProcess(args)
        if (code !== 0) throw new Error(stderr)
      }
      await run('demo', '--brand', largeBrand, '--orders', String(orders))
      for (const brand of [storyBrand, importBrand]) {
        await run('brands', 'add', brand, '--name', brand)
      }
      const ingestKey = await issueIngestKey(sandbox.databaseUrl, [storyBrand])
      const server = await openServedIngest(sandbox.folder, sandbox.databaseUrl)
      try {
        return await work({ sandbox, server, ingestKey, restored })
      } finally {
        await server.close()
      }
    } finally {
      sandbox.close()
    }
  })

interface Databases {
  /** Undefined for a file in the folder of the sandbox. */
  readonly source: string | undefined
  readonly restored: BackupPlace['restored']
}

const withDatabases = async <Result>(
  copy: CopyName,
  work: (databases: Databases) => Promise<Result>,
): Promise<Result> => {
  if (copy === 'sqlite') {
    return work({ source: undefined, restored: (inside) => inRestored(undefined, inside) })
  }
  const postgres = copy === 'pg_dump' ? await openDebian() : await openPostgres()
  let databases = 0
  try {
    return await work({
      source: patient(await postgres.url('records')),
      restored: async (inside) => {
        databases += 1
        const name = `restored_${databases}`
        try {
          return await inRestored(patient(await postgres.url(name)), inside)
        } finally {
          await dropDatabase(postgres.port, name)
        }
      },
    })
  } finally {
    await postgres.close()
  }
}

const inRestored = async <Result>(
  url: string | undefined,
  work: (sandbox: Sandbox) => Promise<Result>,
): Promise<Result> => {
  const sandbox = openSandbox(url)
  try {
    return await work(sandbox)
  } finally {
    sandbox.close()
  }
}

const openDebian = async (): Promise<Postgres> => {
  const program = await findDebianPostgres()
  if ('missing' in program) throw new Error(program.missing)
  return openDebianPostgres(program)
}

const dropDatabase = async (port: number, name: string): Promise<void> => {
  const client = new pg.Client(`postgres://postgres@127.0.0.1:${port}/postgres`)
  await client.connect()
  await client.query(`drop database if exists "${name}" with (force)`)
  await client.end()
}

/** The folder for the temporary files of backups in a sandbox. */
export const temporaryIn = ({ folder }: Sandbox): string => join(folder, 'temporary')
