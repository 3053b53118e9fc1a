import type { Database, Row } from '#database'
import { createKeyTable, hashesQuery, hasKeyTable, insertOrMergeText, touchQuery } from './table.ts'

/**
 * Moves keys that an earlier version stored with the records to their own database; returns how many
 * there were.
 *
 * They are first added there and then dropped here, while the records' write lock is held. A process
 * that dies in between leaves them in both places, and the next one to open the database moves them
 * again. Where a key is in both, the stricter entry wins: a revocation is never undone, not even by
 * a backup of the records that was made before keys were moved.
 *
 * The old tables are dropped rather than kept, so that an earlier version cannot serve a key from
 * there that has been revoked since.
 */
export const moveKeys = async (from: Database, to: Database): Promise<number> => {
  if (!(await hasKeyTable(from))) return 0
  // The table of an earlier version has fewer columns.
  await createKeyTable(from)
  await createKeyTable(to)
  return from.write(async (session) => {
    // Another process may have moved them while this one waited for the write lock.
    if (!(await hasKeyTable(from))) return 0
    const rows = await session.all(hashesQuery)
    await to.write(async (target) => {
      for (const row of rows)
        await target.run({ text: insertOrMergeText, values: [...(row as Row)] })
      await target.run(touchQuery)
    })
    for (const text of ['drop table "selvedge_keys"', 'drop table "selvedge_keys_version"']) {
      await session.run({ text, values: [] })
    }
    return rows.length
  })
}
