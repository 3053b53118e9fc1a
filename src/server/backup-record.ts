import { randomUUID } from 'node:crypto'
import { type AuditDetails, createAuditOutbox, createAuditRecorder } from '#audit'
import { createBackupTable, type LastBackup, readLastBackup, storeLastBackup } from '#backup'
import { type Database, DatabaseMissingError, openKeyDatabase } from '#database'
import { type AuditIdentity, auditOrigin } from './service-audit.ts'
import { type DatabaseConfig, openServiceDatabase } from './service-database.ts'

/** The last backup of an installation, in the database of its keys. */
export interface BackupRecord {
  /** Null if there is none. */
  read(): Promise<LastBackup | null>
  /** Stores a backup as the last one and records it in the audit log, in one transaction. */
  write(backup: LastBackup, details: AuditDetails): Promise<void>
}

/**
 * Opens neither the store nor the audit log: a backup before an upgrade must not migrate anything.
 * A running server, or the next one, adds the entry to the chain. Null if there are no keys yet.
 */
export const withBackupRecord = async <T>(
  config: DatabaseConfig & AuditIdentity,
  work: (record: BackupRecord | null) => Promise<T>,
): Promise<T> => {
  const records = openServiceDatabase(config, { creates: false })
  try {
    const keys = openExistingKeys(config.databaseUrl, records)
    try {
      return await work(keys && (await createRecord(keys, config)))
    } finally {
      await keys?.close()
    }
  } finally {
    await records.close()
  }
}

const openExistingKeys = (databaseUrl: string, records: Database): Database | null => {
  try {
    return openKeyDatabase(databaseUrl, records, { creates: false })
  } catch (error) {
    if (error instanceof DatabaseMissingError) return null
    throw error
  }
}

const createRecord = async (keys: Database, identity: AuditIdentity): Promise<BackupRecord> => {
  const record = createAuditRecorder({
    dialect: keys.dialect,
    origin: await auditOrigin(identity),
    now: Date.now,
    newId: randomUUID,
  })
  return {
    read: () => readLastBackup(keys),
    write: async (backup, details) => {
      await createAuditOutbox(keys)
      await createBackupTable(keys)
      await keys.write(async (session) => {
        await storeLastBackup(session, backup)
        await record(session, { action: 'backup.made', subject: backup.place, details })
      })
    },
  }
}
