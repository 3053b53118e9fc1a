import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Command } from 'commander'
import {
  type BackupSource,
  type BackupStep,
  type BackupTarget,
  createPostgresSource,
  createSqliteSource,
  type MadeBackup,
  makeBackup,
  openBucketTarget,
  openFolderTarget,
  readKeyFile,
  removeOldBackups,
  saltBytes,
} from '#backup'
import { releaseOf } from '#config'
import { formatCount } from '#contract'
import { readDuration } from '#operator'
import { readServiceConfig, timelinesOf, withBackupRecord } from '#server'
import { isBucket, openBucketClient } from './bucket.ts'
import { errorMessage } from './error-message.ts'
import { identity } from './identity.ts'
import { CommandError, createOutput, logLine, type Output, UsageError } from './output.ts'
import { createProgress } from './progress.ts'
import { createStopSignal, type StopSignal } from './stop-signal.ts'

interface BackupOptions {
  readonly every?: string
  readonly keep?: string
  readonly keyFile?: string
  readonly json?: boolean
}

export const addBackup = (program: Command): void => {
  program
    .command('backup')
    .description(
      'Copy records, units and keys in one state while the server runs, and verify the copy. Images are not included.',
    )
    .argument('<target>', 'a folder, a file, or s3://bucket/prefix?endpoint=…&region=…')
    .option('--every <duration>', 'make a backup again and again, such as every 1h, until stopped')
    .option(
      '--keep <number>',
      "keep this many of this installation's backups in the folder or bucket, and remove older ones",
    )
    .option('--key-file <file>', 'encrypt the backup with the secret in this file')
    .option('--json', 'print JSON, a line for each backup')
    .action((target: string, options: BackupOptions) => backUp(target, options))
}

const backUp = async (address: string, options: BackupOptions): Promise<void> => {
  const everySeconds = options.every === undefined ? null : readEvery(options.every)
  const keep = options.keep === undefined ? null : readKeep(options.keep)
  const secret = options.keyFile === undefined ? null : await readKeyFile(options.keyFile)
  const target = await openTarget(address)
  if (keep !== null && target.isOneFile) {
    throw new UsageError('--keep is for a folder or a bucket. Each backup replaces the file.')
  }
  const stop = createStopSignal()
  const run = { target, keep, secret, everySeconds, stop, out: createOutput(Boolean(options.json)) }
  try {
    if (everySeconds === null) await runOnce(run)
    else {
      log(`Backing up to ${target.name} every ${options.every}. Ctrl+C stops.`)
      await runAgainAndAgain(run, everySeconds)
    }
  } finally {
    stop.close()
  }
}

interface Run {
  readonly target: BackupTarget
  readonly keep: number | null
  readonly secret: Uint8Array | null
  readonly everySeconds: number | null
  readonly stop: StopSignal
  readonly out: Output
}

const [everySecondsMin, everySecondsMax] = [60, 7 * 86_400]

const readEvery = (text: string): number => {
  const seconds = readDuration(text)
  if (seconds >= everySecondsMin && seconds <= everySecondsMax) return seconds
  throw new UsageError(`"${text}" is not a valid value of --every. Use 1m to 7d.`)
}

const readKeep = (text: string): number => {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new UsageError(`"${text}" is not a valid value of --keep. Use a number from 1 to 99999.`)
}

const openTarget = async (address: string): Promise<BackupTarget> => {
  if (!isBucket(address)) return openFolderTarget(address)
  const { name, client } = openBucketClient(address)
  return openBucketTarget(name, client)
}

const openSource = (): BackupSource => {
  const config = readServiceConfig()
  const { databaseUrl } = config
  return databaseUrl.startsWith('sqlite:')
    ? createSqliteSource({ databaseUrl, temporaryFolder: tmpdir(), now: Date.now })
    : createPostgresSource({ databaseUrl, databaseOptions: timelinesOf(config), now: Date.now })
}

const runOnce = async (run: Run): Promise<void> => {
  const { target, keep, secret, stop, out, everySeconds } = run
  const showStep = createStepProgress(everySeconds === null)
  const made = await makeBackup({
    source: openSource(),
    target,
    release: await releaseOf(),
    encryption: secret && { secret, salt: randomBytes(saltBytes) },
    now: Date.now,
    onProgress: showStep,
    signal: stop.abort,
  }).catch((error: unknown) => {
    if (!stop.abort.aborted) throw error
    throw new CommandError('The backup was stopped. Nothing of it was kept.')
  })
  showStep(null)
  await record(run, made)
  const removed = keep === null ? [] : await removeOld(target, made, keep)
  const { manifest, ...rest } = made
  const { engine, method, change, files, images } = manifest
  const records = recordsIn(made)
  out.result({ ...rest, engine, method, change, records, files, images, removed }, () =>
    sentenceOf(made, removed),
  )
}

/** Removes older backups. That it fails does not make the new one worse. */
const removeOld = async (
  target: BackupTarget,
  made: MadeBackup,
  keep: number,
): Promise<readonly string[]> => {
  try {
    return await removeOldBackups(target, made, keep)
  } catch (error) {
    log(`Older backups could not be removed: ${errorMessage(error)}`)
    return []
  }
}

/** Stores the backup as the last one, for /readyz, metrics and the audit log. */
const record = async ({ everySeconds, secret }: Run, made: MadeBackup): Promise<void> => {
  const { place, takenAt, bytes, durationMs, manifest } = made
  const finishedAt = new Date().toISOString()
  const backup = { takenAt, finishedAt, place, bytes, durationMs, everySeconds }
  const details = {
    ...{ takenAt, bytes, durationMs: Math.round(durationMs), encrypted: secret !== null },
    ...{ change: manifest.change, records: recordsIn(made) },
  }
  try {
    await withBackupRecord({ ...readServiceConfig(), ...identity() }, async (last) => {
      await last?.write(backup, details)
    })
  } catch (error) {
    log(
      `The backup is complete, but /readyz and the audit log do not know it: ${errorMessage(error)}`,
    )
  }
}

/** One at a time. One that fails is tried again at the next time. */
const runAgainAndAgain = async (run: Run, everySeconds: number): Promise<void> => {
  const { stop, target } = run
  const everyMs = everySeconds * 1_000
  let dueAt = await firstTime(target, everyMs)
  while (!stop.isStopping) {
    await stop.wait(Math.max(0, dueAt - Date.now()))
    if (stop.isStopping) return
    dueAt = Date.now() + everyMs
    try {
      await runOnce(run)
    } catch (error) {
      log(errorMessage(error))
    }
  }
}

/** A command that is started again does not make more backups than it should. */
const firstTime = async (target: BackupTarget, everyMs: number): Promise<number> => {
  try {
    const last = await withBackupRecord(readServiceConfig(), async (each) => each?.read())
    const isHere = `${last?.place}/`.startsWith(`${target.name}/`)
    const takenAt = last && isHere ? Date.parse(last.takenAt) : null
    // A later time is one of a clock that was set back since.
    if (takenAt !== null && takenAt <= Date.now()) return takenAt + everyMs
  } catch {
    // The backup itself says what is wrong with the database.
  }
  return Date.now()
}

const log = (sentence: string): void => {
  process.stderr.write(`${logLine(sentence)}\n`)
}

/** Shows the bytes of each step; null ends the last one. */
const createStepProgress = (saysEnds: boolean) => {
  const progress = createProgress()
  let current: { readonly step: BackupStep; readonly megabytes: number } | null = null
  return (step: BackupStep | null, bytes = 0, expected: number | null = null): void => {
    if (current && current.step !== step && saysEnds) {
      progress.end(current.step, current.megabytes, 'MB')
    }
    const megabytes = Math.ceil(bytes / 1_000_000)
    current = step && { step, megabytes }
    if (step) progress.show(step, megabytes, 'MB', expected && bytes / expected)
  }
}

const recordsIn = ({ manifest: { counts } }: MadeBackup): number =>
  Object.values(counts)
    .flatMap((own) => Object.values(own))
    .reduce((sum, count) => sum + count, 0)

const sentenceOf = (made: MadeBackup, removed: readonly string[]): string => {
  const { place, takenAt, bytes, durationMs } = made
  const size = `${Math.ceil(bytes / 1_000).toLocaleString('en')} kB`
  const removal =
    removed.length === 0 ? '' : ` Removed ${formatCount(removed.length, 'older backup')}.`
  return `${place}: ${formatCount(recordsIn(made), 'record')} of ${takenAt}, ${size}, verified, in ${(durationMs / 1_000).toFixed(1)} s. Images are not included.${removal}`
}
