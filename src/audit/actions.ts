/** What the audit log records, and what the subject and the details of such an entry are. */
export const auditActions = {
  'audit.begun': 'The log begins: a new database, or the first start after an upgrade.',
  'server.started':
    '`selvedge serve` was started; `settings` has the names of the settings that are set, each with a keyed hash of its value.',
  'database.restored':
    'The database is older than before: restored from a backup, or a failover has lost writes.',
  'backup.made': 'A backup was made and verified; the subject is its place.',
  'brand.added': 'A brand was added.',
  'brand.changed': 'The record of a brand was changed or removed.',
  'brand.removed': 'A brand was removed with everything that belongs to it.',
  'checks.changed': 'Which checks refuse records of a brand, or shared ones, was changed.',
  'view.published': 'A view of a list was published for a brand; the subject is its name.',
  'view.removed': 'A published view was removed.',
  'key.issued': 'A key was issued; the subject is its id.',
  'key.changed': 'What a key may do was changed.',
  'key.rotated': 'A key was replaced; the details name its successor.',
  'key.revoked': 'A key was revoked.',
  'link.issued': 'A link to a download was issued; the subject is its id.',
  'link.removed': 'A link to a download was removed.',
  'unit.committed': 'Records were stored: by a batch, a file, a round of a sync or a command.',
  'unit.refused': 'A unit was refused, and nothing of it stored.',
  'unit.quarantined': 'A unit failed too often or looks wrong, and waits for an operator.',
  'unit.retried': 'An operator lets a unit be tried again.',
  'unit.discarded': 'A unit was discarded.',
  'rows.discarded': 'Rows in quarantine were deleted.',
  'admin.signed-in':
    'An operator signed in to the operator page; the subject is the id of the session.',
  'admin.signed-out': 'An operator signed out.',
  'admin.ended': 'A command ended a session, or a link that had not been used.',
  'mapping.changed': 'A mapping file is used for the first time, or in another version.',
} as const

export type AuditAction = keyof typeof auditActions
