import { randomBytes } from 'node:crypto'
import type { Audit, RecordAudit } from '#audit'
import type { Config } from '#config'
import { catalog } from '#contract'
import { type Database, keyFileOf, openKeyDatabase, sqliteFileOf } from '#database'
import { createKeys, createLinks, type Keys, type Links, moveKeys } from '#keys'
import type { Log } from '#observability'
import { createStore, type Store } from '#store'
import { convertInThread } from './convert-thread.ts'
import { type AuditIdentity, auditOrigin, openServiceAudit } from './service-audit.ts'
import { type DatabaseConfig, openServiceDatabase } from './service-database.ts'

/** The settings that the records depend on. */
export interface RecordsConfig extends DatabaseConfig, AuditIdentity {
  readonly changeFeed?: Config['changeFeed']
  /** Whether to create a missing database; true by default. */
  readonly creates?: boolean
  /** Whether to repair row-level security, which waits for an import; true by default. */
  readonly repairsSecurity?: boolean
  readonly requiresRowSecurity?: Config['requiresRowSecurity']
}

/** Row-level security is missing, and the settings forbid serving without it. */
export class RowSecurityRefused extends Error {
  constructor(missing: string) {
    super(
      `Row-level security is missing, so that nothing but the condition in every statement would keep brands apart. ${missing} To serve without it, set ROW_SECURITY=optional.`,
    )
  }
}

/** The records and keys, shared by commands and the server. */
export interface Records {
  readonly database: Database
  /** The database of the keys. */
  readonly keyDatabase: Database
  readonly store: Store
  readonly keys: Keys
  readonly links: Links
  /** The database's secret, for cursors, tags and links. */
  readonly secret: string
  readonly audit: Audit
  close(): Promise<void>
}

/**
 * Called before a migration to another storage layout, which takes long. This process can respond
 * to clients meanwhile.
 */
export type OnConverting = () => void | Promise<void>

/** Receives sentences: of each step of a migration, and about the servers of the database. */
export type RecordsLog = (sentence: string, level?: 'info' | 'warn') => void

export const openRecords = async (
  { changeFeed = false, creates = true, repairsSecurity = true, ...config }: RecordsConfig,
  log?: RecordsLog,
  onConverting?: OnConverting,
): Promise<Records> => {
  const { databaseUrl } = config
  const origin = await auditOrigin(config)
  let audit: Audit
  // Nothing is recorded before the log is open.
  const recordAudit: RecordAudit = (...entries) => audit.record(...entries)
  const onNotice = (level: 'info' | 'warn', sentence: string) => log?.(sentence, level)
  const database = openServiceDatabase(config, { creates, onNotice })
  try {
    const store = await createStore(catalog, database, {
      ...(log && { log }),
      recordsChanges: changeFeed,
      creates,
      repairsSecurity,
      recordAudit,
      ...(onConverting && {
        convert: async () => {
          await onConverting()
          await convertInThread(config, log ?? (() => undefined))
        },
      }),
    })
    const secret = await store.setting('secret', () => randomBytes(32).toString('base64url'))
    const opened = await openKeysOf(databaseUrl, { database, store, recordAudit }, log)
    const parts = { database, store, secret, ...opened }
    audit = await openServiceAudit(config, parts, origin, log ?? (() => undefined)).catch(
      async (error) => {
        await opened.keyDatabase.close()
        throw error
      },
    )
    const close = async () => {
      await audit.flush()
      await opened.keyDatabase.close()
      await database.close()
    }
    return { ...parts, audit, close }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens the keys, and moves those that an earlier version stored with the records. */
const openKeysOf = async (
  url: string,
  {
    database,
    store,
    recordAudit,
  }: Pick<Records, 'database' | 'store'> & {
    readonly recordAudit: RecordAudit
  },
  log: (sentence: string) => void = () => undefined,
): Promise<Pick<Records, 'keyDatabase' | 'keys' | 'links'>> => {
  const keyDatabase = openKeyDatabase(url, database)
  const parts = { database: keyDatabase, now: Date.now, random: randomBytes, recordAudit }
  const openAll = async () => ({
    keyDatabase,
    keys: await createKeys(parts),
    links: await createLinks(parts),
  })
  try {
    if (!url.startsWith('sqlite:')) return await openAll()
    // Read first: the file exists once this is set.
    const madeAt = await store.findSetting(keysMadeAt)
    const isNew = (await keyDatabase.tables()).size === 0
    const file = keyFileOf(sqliteFileOf(url))
    const moved = await moveKeys(database, keyDatabase)
    if (moved > 0) log(`Migration: moved the keys to ${file}.`)
    if (isNew && moved === 0 && madeAt !== undefined) {
      log(
        `The keys of this database are missing: there was no ${file}. Restore it from a backup, or issue new keys: selvedge keys issue`,
      )
    }
    const opened = await openAll()
    if (madeAt === undefined) await store.setting(keysMadeAt, () => new Date().toISOString())
    return opened
  } catch (error) {
    await keyDatabase.close()
    throw error
  }
}

/** The setting that records when the key file was created. */
const keysMadeAt = 'key file made at'

/** Writes the sentences to the log of a service. */
export const recordsLogOf =
  (log: Log): RecordsLog =>
  (sentence, level = 'info') =>
    log[level](sentence)

/** Opens the records for serving. Throws if required row-level security is missing. */
export const openRecordsToServe = async (
  config: RecordsConfig,
  log?: RecordsLog,
  onConverting?: OnConverting,
): Promise<Records> => {
  const records = await openRecords(config, log, onConverting)
  const { missingSecurity } = records.store
  if (!missingSecurity || !config.requiresRowSecurity) return records
  await records.close()
  throw new RowSecurityRefused(missingSecurity)
}
