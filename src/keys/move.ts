import type { Database, Row } from '#database'
import { createKeyTable, hashesQuery, hasKeyTable, insertOrMergeText, touchQuery } from './table.ts'

/**
 * Moves keys that an earlier version stored with the records to the key database; returns their
 * number.
 *
 * Adds them there first and then drops them here, while holding the records' write lock. A process
 * that dies in between leaves them in both places, and the next one to open the database moves them
 * again. If a key is in both, the stricter entry wins: nothing undoes a revocation, not even a
 * backup of the records from before the move.
 *
 * Drops the old tables, so that an earlier version cannot accept a key from there that has since
 * been revoked.
 */
export const moveKeys = async (from: Database, to: Database): Promise<number> => {
  if (!(await hasKeyTable(from))) return 0
  // An earlier version's table has fewer columns.
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
