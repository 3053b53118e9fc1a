import { columnsOf, type Table } from '../schema/tables.ts'
import type { Merge } from './merge.ts'
import { type Counted, canBeLarge } from './totals.ts'

/** How to reduce the staged rows before they are compared with stored records. */
export interface StagingPlan {
  /** Looks up each staged record individually instead of reading all stored records. */
  readonly looksUp: boolean
  readonly indexesStaged: boolean
  /** Keeps one row per identity. */
  readonly dropsRepeated: boolean
  /** Drops removals of identities that are also staged. */
  readonly dropsStagedRemovals: boolean
  /** Removes stored records that are neither staged nor kept. */
  readonly removesUnstaged: boolean
  /** Whether anything can be removed. */
  readonly removes: boolean
}

/** Staged records are looked up individually if at least this many times more are stored. */
const storedPerLookup = 20

/** Plans the first half of a merge from the staged rows and the number of stored records. */
export const planStaging = (
  {
    replace,
    removalCount,
    stagedRows,
    distinct,
  }: Pick<Merge, 'replace' | 'removalCount' | 'stagedRows' | 'distinct'>,
  stored: number,
): StagingPlan => {
  const removesUnstaged = replace && stored > 0
  const hasRemovals = removalCount > 0
  const removes = removesUnstaged || hasRemovals
  return {
    looksUp: !replace && (stagedRows + removalCount) * storedPerLookup < stored,
    indexesStaged: !distinct || removes,
    dropsRepeated: !distinct,
    dropsStagedRemovals: hasRemovals,
    removesUnstaged,
    removes,
  }
}

/** Staged records compared with stored ones, not counting unchanged records. */
export interface Comparison {
  /** Staged records. */
  readonly moving: number
  /** Staged records that are already stored. */
  readonly changed: number
  /** Those that are stored with the same columns: they may differ only in the spelling of amounts. */
  readonly alike: number
  /** The non-key columns in which any of them differs; null if the engine does not need them. */
  readonly differing: ReadonlySet<string> | null
}

export interface Upsert {
  /** The columns that stored records take from staged ones. */
  readonly assigned: readonly string[]
  /** Restricts the upsert to records that differ in this column; null for all. */
  readonly differing: string | null
  /** Whether it is the only one: so many records may be written without the indexes. */
  readonly isWhole: boolean
}

/** What a merge deletes, writes and counts. */
export interface MergePlan {
  readonly added: number
  readonly changed: number
  readonly removed: number
  /** Records added, changed and removed. The merge does nothing if this is 0. */
  readonly records: number
  readonly upserts: readonly Upsert[]
  /** The columns whose totals can change; null for all. */
  readonly movedColumns: ReadonlySet<string> | null
  /** The values to count afterwards, because their totals may have become large; null for none. */
  readonly largeTotals: Counted | null
}

/** Below this, adding rows to an index is faster than rebuilding it. */
export const rowsWorthRebuilding = 20_000

/** Plans the second half of a merge, after unchanged rows were dropped from the staging table. */
export const planMerge = (
  table: Table,
  comparison: Omit<Comparison, 'alike'> & { readonly stored: number; readonly removed: number },
): MergePlan => {
  const { moving, changed, differing, stored, removed } = comparison
  const added = moving - changed
  const after = stored + added - removed
  const isMostOfIt = moving * 2 > after
  return {
    added,
    changed,
    removed,
    records: moving + removed,
    upserts: planUpserts(table, comparison),
    movedColumns: added + removed > 0 ? null : differing,
    largeTotals: canBeLarge(after) ? (isMostOfIt ? 'all' : 'touched') : null,
  }
}

/**
 * Assigning a column rewrites the entries of its indexes even if the value stays the same. If the
 * differing columns are known, only they are assigned; and if there are few records, each only to
 * those that need it.
 */
const planUpserts = (
  table: Table,
  { moving, differing }: Pick<Comparison, 'moving' | 'differing'>,
): readonly Upsert[] => {
  if (moving === 0) return []
  if (!differing || moving >= rowsWorthRebuilding) {
    const names = columnsOf(table)
      .slice(table.key.length)
      .map(({ name }) => name)
    const assigned = names.filter((name) => differing?.has(name) ?? true)
    return [{ assigned: [...assigned, 'body'], differing: null, isWhole: true }]
  }
  return [
    { assigned: ['body'], differing: null, isWhole: false },
    ...[...differing].map((name) => ({ assigned: [name], differing: name, isWhole: false })),
  ]
}
