export { BackupError } from './backup-error.ts'
export { openBucketTarget } from './bucket-target.ts'
export { openFolderTarget } from './folder-target.ts'
export { readKeyFile } from './key-file.ts'
export {
  backupAgeSeconds,
  createBackupTable,
  createLastBackupReader,
  isBackupLate,
  type LastBackup,
  readLastBackup,
  storeLastBackup,
} from './last-backup.ts'
export { type BackupStep, type MadeBackup, makeBackup, removeOldBackups } from './make-backup.ts'
export type { BackupManifest } from './manifest.ts'
export { createPostgresSource } from './postgres-source.ts'
export { restoreBackup } from './restore.ts'
export { saltBytes } from './sealed-stream.ts'
export type { BackupSource } from './source.ts'
export { createSqliteSource } from './sqlite-source.ts'
export type { BackupTarget } from './target.ts'
