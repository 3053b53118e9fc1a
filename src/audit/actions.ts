/** What the audit log records, and what the subject and the details of such an entry are. */
export const auditActions = {
  'audit.begun': 'The log begins: a new database, or the first start after an upgrade.',
  'server.started':
    '`selvedge serve` was started; `settings` has the names of the settings that are set, each with a keyed hash of its value.',
  'database.restored':
    'The database is older than before: restored from a backup, or a failover has lost writes.',
  'brand.added': 'A brand was added.',
  'brand.changed': 'The record of a brand was changed or removed.',
  'brand.removed': 'A brand was removed with everything that belongs to it.',
  'checks.changed': 'Which checks refuse records of a brand, or shared ones, was changed.',
  'key.issued': 'A key was issued; the subject is its id.',
  'key.changed': 'What a key may do was changed.',
  'key.rotated': 'A key was replaced; the details name its successor.',
  'key.revoked': 'A key was revoked.',
  'unit.committed': 'Records were stored: by a batch, a file, a round of a sync or a command.',
  'unit.refused': 'A unit was refused, and nothing of it stored.',
  'unit.quarantined': 'A unit failed too often or looks wrong, and waits for an operator.',
  'unit.retried': 'An operator lets a unit be tried again.',
  'unit.discarded': 'A unit was discarded.',
  'rows.discarded': 'Rows in quarantine were deleted.',
  'mapping.changed': 'A mapping file is used for the first time, or in another version.',
} as const

export type AuditAction = keyof typeof auditActions
