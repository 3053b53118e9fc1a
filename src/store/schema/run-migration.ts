import { type ConversionParts, convertLayout } from './convert.ts'
import { OldLayoutError } from './layout.ts'
import { type MigrationParts, planMigration } from './migrate.ts'
import { createOccasionalLog } from './occasional-log.ts'
import { type Waiting, whenFree } from './when-free.ts'

/** Another server may be migrating millions of records. */
const giveUpMs = 3_600_000

/**
 * Migrates the database, after converting an earlier storage layout. Returns the additions of a
 * newer version; if there are any, nothing changes.
 */
export const runMigration = async (
  parts: ConversionParts,
  convert = () => convertLayout(parts),
): Promise<readonly string[]> => {
  const { database, log } = parts
  const plan = () => planMigration(parts)
  const planned = await plan().catch(async (error: unknown) => {
    if (!(error instanceof OldLayoutError)) throw error
    await convert()
    return plan()
  })
  if (planned.steps.length === 0) return planned.additions
  const sayWaiting = createOccasionalLog(log)
  const onWait = () =>
    sayWaiting('Another process is writing to the database. The migration waits for it.')
  if (planned.addsColumns) await addMissingColumns(parts, { giveUpMs, onWait })
  const migrate = () =>
    database.write(async (session) => {
      // Another process may have migrated while this one waited for the write lock.
      const { steps, run, isNew } = await plan()
      if (isNew) log('The database is new; its tables are being created.')
      else for (const step of steps) log(`Migration: ${step}.`)
      await run(session, log)
    })
  // Of servers that start at the same time, one migrates, and the others wait for it.
  await whenFree(migrate, { giveUpMs, onWait })
  return []
}

/** Adds columns table by table, each as soon as no long query uses the table. */
const addMissingColumns = async (parts: MigrationParts, waiting: Waiting): Promise<void> => {
  const addToOneTable = () =>
    parts.database.write(async (session) => {
      const { addsColumns, addColumns } = await planMigration(parts)
      if (addsColumns) await addColumns(session)
      return addsColumns
    })
  while (await whenFree(addToOneTable, waiting));
}
