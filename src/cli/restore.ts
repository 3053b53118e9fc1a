import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Command } from 'commander'
import { createAuditRecorder } from '#audit'
import { BackupError, type BackupManifest, readKeyFile, restoreBackup } from '#backup'
import { formatCount } from '#contract'
import { DatabaseBusyError } from '#database'
import { forgetClaims } from '#intake'
import {
  auditOrigin,
  createAllTables,
  forgetAuditHead,
  openServiceDatabase,
  readServiceConfig,
} from '#server'
import { isBucket, openBucketClient } from './bucket.ts'
import { checkServed } from './check-served.ts'
import { identity } from './identity.ts'
import { CommandError, createOutput } from './output.ts'
import { createProgress } from './progress.ts'
import { inspectRestoreTarget, type RestoreTarget } from './restore-target.ts'

interface RestoreOptions {
  readonly yes?: boolean
  readonly verify?: boolean
  readonly keyFile?: string
  readonly json?: boolean
}

export const addRestore = (program: Command): void => {
  program
    .command('restore')
    .description(
      'Replace the database in DATABASE_URL by a backup, of this or the other engine. Stop servers first.',
    )
    .argument('<backup>', 'a file, or s3://bucket/prefix/file?endpoint=…&region=…')
    .option('--yes', 'replace a database that has brands or keys')
    .option(
      '--verify',
      'also check the files, count all records, check the audit log, and serve a page of each collection',
    )
    .option('--key-file <file>', 'the secret that the backup was encrypted with')
    .option('--json', 'print JSON')
    .action((backup: string, options: RestoreOptions) => restore(backup, options))
}

const restore = async (address: string, options: RestoreOptions): Promise<void> => {
  const config = readServiceConfig()
  const secret = options.keyFile === undefined ? null : await readKeyFile(options.keyFile)
  const archive = openArchive(address)
  const output = createOutput(Boolean(options.json))
  const target = await inspectRestoreTarget()
  if (!options.yes && !isEmpty(target)) {
    output.result({ ...target, restored: false }, () => refusal(address, target))
    process.exitCode = 1
    return
  }
  const progress = createProgress()
  const began = performance.now()
  const origin = await auditOrigin({ ...config, ...identity() })
  const { databaseUrl } = config
  let rows = 0
  const manifest = await restoreBackup({
    ...{ databaseUrl, archive, secret, createTables: createAllTables, forgetClaims, now: Date.now },
    open: () => openServiceDatabase(config),
    recordAudit: (dialect) =>
      createAuditRecorder({ dialect, origin, now: Date.now, newId: randomUUID }),
    newestChange: target.change,
    checksAll: Boolean(options.verify),
    temporaryFolder: tmpdir(),
    onProgress: (table, loaded) => {
      rows = loaded
      if (!options.json) progress.show(table, loaded, 'rows', null)
    },
  }).catch((error: unknown) => {
    if (!(error instanceof DatabaseBusyError)) throw error
    throw new CommandError(
      `${error.message} Nothing was restored. Stop servers and commands that use the database, then try again.`,
    )
  })
  if (rows > 0 && !options.json) progress.end('Loaded', rows, 'rows')
  await forgetAuditHead(config)
  const served = options.verify ? await checkServed(config, manifest.counts) : null
  const seconds = Math.round((performance.now() - began) / 100) / 10
  const { takenAt, release, engine, method, change, counts } = manifest
  const records = recordsIn(manifest)
  const details = { takenAt, release, engine, method, change, counts, records, served, seconds }
  output.result({ ...details, restored: true }, () =>
    [
      `Restored ${formatCount(records, 'record')} of ${takenAt} in ${seconds} s.${served === null ? '' : ` Verified: ${formatCount(served, 'list')} served with the records of the backup.`}`,
      'Cursors of the change feed and tokens of writes that are newer are rejected from now on. Images are not part of a backup.',
      'The keys are those of the backup: revoke those again that were revoked since.',
    ].join('\n'),
  )
}

/** Reads the backup from its beginning each time. */
const openArchive = (address: string): (() => AsyncIterable<Uint8Array>) => {
  if (!isBucket(address)) {
    if (!existsSync(address)) throw new CommandError(`There is no file ${address}.`)
    return () => createReadStream(address, { highWaterMark: 1_048_576 })
  }
  const [, folder = '', name = '', query = ''] = /^([^?]*\/)([^/?]+)(\?.*)?$/.exec(address) ?? []
  const { client } = openBucketClient(`${folder}${query}`)
  return async function* () {
    const object = await client.get(decodeURIComponent(name))
    if (!object) throw new BackupError(`There is no object ${name} at ${folder}.`)
    yield* object.body
  }
}

const isEmpty = ({ brands, keys, problem }: RestoreTarget): boolean =>
  brands === 0 && keys === 0 && problem === null

const refusal = (address: string, { brands, records, keys, problem }: RestoreTarget): string =>
  [
    problem === null
      ? `The database in DATABASE_URL has ${formatCount(brands, 'brand')} with ${formatCount(records, 'record')}, and ${formatCount(keys, 'key')}.`
      : `The database in DATABASE_URL cannot be read: ${problem}`,
    `Nothing was restored. To replace it: selvedge restore ${address} --yes`,
  ].join('\n')

const recordsIn = ({ counts }: BackupManifest): number =>
  Object.values(counts)
    .flatMap((own) => Object.values(own))
    .reduce((sum, count) => sum + count, 0)
