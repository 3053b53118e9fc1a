import { createHash, createHmac, randomUUID } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { dirname, join, parse } from 'node:path'
import {
  type Audit,
  type AuditActor,
  type AuditMemory,
  type AuditOrigin,
  type AuditParts,
  createAuditRecorder,
  openAudit,
  type RecordAudit,
} from '#audit'
import { givenSettings, releaseOf } from '#config'
import {
  type Database,
  DatabaseError,
  DatabaseMissingError,
  keyFileOf,
  openQueueDatabase,
  sqliteFileOf,
} from '#database'
import { fileMode, replaceFile, sha256Of } from '#files'
import type { Keys } from '#keys'
import type { Store } from '#store'
import { dataFolderOf } from './host-memory.ts'
import type { DatabaseConfig } from './service-database.ts'

/** Who runs a process, and which command it runs. */
export interface AuditIdentity {
  /** The name given by `--as` or `SELVEDGE_OPERATOR`; null for the user of the system. */
  readonly operator?: string | null
  /** Who acts now, if that is not the one who runs the process; null if it is. */
  readonly actingOperator?: () => AuditActor | null
  /** `serve` by default. */
  readonly command?: string
}

export const auditOrigin = async ({
  operator = null,
  actingOperator = () => null,
  command = 'serve',
}: AuditIdentity): Promise<AuditOrigin> => {
  const user = systemUser()
  const own: AuditActor =
    operator === null ? { kind: 'user', name: user } : { kind: 'operator', name: operator }
  return {
    actor: () => actingOperator() ?? own,
    user,
    host: hostname(),
    program: `selvedge ${await releaseOf()} ${command}`,
  }
}

/** Records what a thread of the server does, which has no log of its own. */
export const createServiceRecorder = async ({ dialect }: Database): Promise<RecordAudit> =>
  createAuditRecorder({
    dialect,
    origin: await auditOrigin({}),
    now: Date.now,
    newId: randomUUID,
  })

/** In a container, the user may have a number only. */
export const systemUser = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

interface AuditedRecords {
  readonly database: Database
  readonly keyDatabase: Database
  readonly store: Store
  readonly keys: Keys
  readonly secret: string
}

export const openServiceAudit = (
  config: DatabaseConfig,
  { database, keyDatabase, store, keys, secret }: AuditedRecords,
  origin: AuditOrigin,
  log: (sentence: string, level: 'warn') => void,
): Promise<Audit> => {
  const onError = (error: unknown) =>
    log(`The audit log: ${(error as Error).message} The entries are added later.`, 'warn')
  return openAudit({
    database: keyDatabase,
    outboxes: [database],
    origin,
    now: Date.now,
    newId: randomUUID,
    memory: auditMemory(config, { database, secret, log }),
    describe: async () => ({
      brands: (await store.brands()).length,
      keys: (await keys.list()).length,
    }),
    onError,
  })
}

/** Beside a SQLite file; with PostgreSQL, in the data folder. Null if there is none. */
const memoryFileOf = ({ databaseUrl, imagesUrl }: DatabaseConfig): string | null => {
  if (databaseUrl.startsWith('sqlite:')) {
    const keyFile = keyFileOf(sqliteFileOf(databaseUrl))
    return join(dirname(keyFile), `${parse(keyFile).name.replace(/keys$/, 'audit')}.json`)
  }
  const folder = imagesUrl === undefined ? null : dataFolderOf(imagesUrl)
  return folder && join(folder, 'audit-head.json')
}

/**
 * Removes what is kept of the head of the log, when the database is replaced on purpose and its log
 * says so itself.
 */
export const forgetAuditHead = async (config: DatabaseConfig): Promise<void> => {
  const file = memoryFileOf(config)
  if (file !== null) await rm(file, { force: true })
}

interface MemoryParts {
  readonly database: Database
  readonly secret: string
  readonly log: (sentence: string, level: 'warn') => void
}

/** Best effort: without it, only a restore is not noticed. */
const auditMemory = (
  config: DatabaseConfig,
  { database, secret, log }: MemoryParts,
): AuditParts['memory'] => {
  const file = memoryFileOf(config)
  if (file === null) return null
  let hasFailed = false
  return {
    installation: createHash('sha256').update(`audit ${secret}`).digest('hex').slice(0, 16),
    read: async () => {
      try {
        return JSON.parse(await readFile(file, 'utf8')) as AuditMemory
      } catch {
        return null
      }
    },
    write: async (memory) => {
      const text = `${JSON.stringify(memory)}\n`
      const draft = `${file}.${randomUUID()}.part`
      const write = (part: string) => writeFile(part, text, { mode: fileMode })
      try {
        await replaceFile(file, write, draft)
        hasFailed = false
      } catch (error) {
        await rm(draft, { force: true }).catch(() => undefined)
        const { message } = error as Error
        // It is written every second while batches arrive.
        if (!hasFailed) {
          log(
            `The head of the audit log could not be written to ${file}, so a restore would not be recorded: ${message}`,
            'warn',
          )
        }
        hasFailed = true
      }
    },
    lastChange: async () => {
      const text = `select "value" from "selvedge_settings" where "name" = 'change'`
      const [row] = await database.snapshot((all) => all({ text, values: [] }))
      return Number(row?.[0] ?? 0)
    },
  }
}

/** Lets the log take entries about units too. The returned function ends that. */
export const openQueueOutbox = async (
  { databaseUrl }: DatabaseConfig,
  { database, audit }: { readonly database: Database; readonly audit: Audit },
): Promise<() => Promise<void>> => {
  const queue = openExistingQueue(databaseUrl, database)
  if (queue === null) return async () => undefined
  const remove = await audit.addOutbox(queue)
  return async () => {
    remove()
    await queue.close()
  }
}

/** Null if there never was a unit. */
const openExistingQueue = (databaseUrl: string, database: Database): Database | null => {
  try {
    return openQueueDatabase(databaseUrl, database, { creates: false })
  } catch (error) {
    if (error instanceof DatabaseMissingError) return null
    throw error
  }
}

/**
 * Adds the entries of this server's threads to the log, and those that other processes have left.
 * The returned function ends that.
 */
export const followAudit = async (
  config: DatabaseConfig & { readonly ingestMaps: string | null },
  records: { readonly database: Database; readonly audit: Audit },
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> => {
  const close = await openQueueOutbox(config, records)
  const noteMaps = createMapsNote(config.ingestMaps, records.audit)
  let following: Promise<void> = Promise.resolve()
  let isFailing = false
  const followOnce = async () => {
    try {
      await noteMaps()
      await records.audit.chain()
      isFailing = false
    } catch (error) {
      // A database that is away fails every time.
      if (!isFailing) onError(error)
      isFailing = true
    }
  }
  const follow = () => {
    following = following.then(followOnce)
    return following
  }
  const timer = setInterval(follow, followMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await follow()
    await close()
  }
}

/** The time between two looks at what waits. Entries of many commits are added together. */
const followMs = 1_000

/** Notes which versions of mappings senders can name, when one of them has changed. */
const createMapsNote = (folder: string | null, audit: Audit) => {
  const seen = new Map<string, string>()
  let notedAt = Number.NEGATIVE_INFINITY
  return async (): Promise<void> => {
    if (folder === null || performance.now() - notedAt < mapsMs) return
    notedAt = performance.now()
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((each) => each.endsWith('.map.yaml')).slice(0, mapsMax)) {
      const file = join(folder, name)
      const status = await stat(file).catch(() => null)
      const version = `${status?.mtimeMs} ${status?.size}`
      if (!status?.isFile() || seen.get(name) === version) continue
      await audit.noteMapping({ brand: null, name, sha256: await sha256Of(file) })
      seen.set(name, version)
    }
  }
}

/** The time between two looks at the mappings of senders, and how many are looked at. */
const mapsMs = 10_000
const mapsMax = 1_000

/** Records the start of a server, with the settings that are set. */
export const recordStart = async (
  { audit, secret }: { readonly audit: Audit; readonly secret: string },
  log: (sentence: string, level: 'warn') => void = () => undefined,
): Promise<void> => {
  const settings = Object.fromEntries(
    givenSettings().map(([name, value]) => [name, settingHash(secret, name, value)]),
  )
  try {
    await audit.note({ action: 'server.started', details: { settings } })
    await audit.chain()
  } catch (error) {
    // A server that only reads works with a database that is full or read-only.
    if (!(error instanceof DatabaseError)) throw error
    log(`The start of the server is not in the audit log. ${error.message}`, 'warn')
  }
}

/**
 * Shows whether a value has changed, and nothing else: without the secret of the installation,
 * values cannot be tried out.
 */
const settingHash = (secret: string, name: string, value: string): string =>
  createHmac('sha256', `audit settings ${secret}`)
    .update(`${name}=${value}`)
    .digest('hex')
    .slice(0, 16)
