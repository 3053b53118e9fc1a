import type { Query } from '../database.ts'
import {
  createSnapshotRegister,
  type HeldSnapshots,
  type HoldLimits,
  holdAges,
} from '../held-snapshots.ts'

/** Rows that were updated or deleted in this database, by transactions that have ended. */
export const replacedRows: Query = {
  text: [
    'select tup_updated + tup_deleted',
    'from pg_stat_database',
    'where datname = current_database()',
  ].join('\n'),
  values: [],
}

/** About as much space as the limit of SQLite, at 2 KB for a row with its index entries. */
const rowsMax = 250_000

/**
 * Ends old reads once many rows were replaced during them, which vacuum cannot remove while they
 * last. The most rows between two looks do not count: one import, however large, ends no read.
 */
export const createHeldRows = (
  readReplaced: () => Promise<number>,
  limits: HoldLimits = { ...holdAges, heldMax: rowsMax },
): HeldSnapshots => {
  let last: number | null = null
  let mostAtOnce = 0

  const endOld = async () => {
    const replaced = await readReplaced()
    if (last !== null) mostAtOnce = Math.max(mostAtOnce, replaced - last)
    last = replaced
    for (const each of register.all) {
      each.from ??= replaced
      const held = replaced - each.from - mostAtOnce
      if (each.ageMs >= limits.ageMs && held > limits.heldMax) each.end()
    }
  }
  const register = createSnapshotRegister(endOld, limits.everyMs)

  return {
    begin: async (end) => {
      if (register.isEmpty) {
        last = null
        mostAtOnce = 0
      }
      return register.add(end, null)
    },
    figures: register.figures,
  }
}
