import { columnsOf, type Table } from '../schema/tables.ts'
import type { Merge } from './merge.ts'
import { type Counted, canBeLarge } from './totals.ts'

/** How what was staged is reduced before it is compared with the stored records. */
export interface StagingPlan {
  /** Looks each staged record up by itself, instead of reading what is stored as a whole. */
  readonly looksUp: boolean
  readonly indexesStaged: boolean
  /** Keeps one row of each identity. */
  readonly dropsRepeated: boolean
  /** Takes back removals of what is staged too. */
  readonly dropsStagedRemovals: boolean
  /** Removes stored records that are neither staged nor kept. */
  readonly removesUnstaged: boolean
  /** Whether anything can be removed. */
  readonly removes: boolean
}

/** Where so many times more records are stored than staged, each staged one is looked up by itself. */
const storedPerLookup = 20

/** Plans the first half of a merge from what was staged and how many records are stored. */
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

/** What is staged, compared with what is stored. Records that are stored as they are do not count. */
export interface Comparison {
  /** How many records are staged. */
  readonly moving: number
  /** How many stored records are staged too. */
  readonly changed: number
  /** The columns beside the key in which any of them differs; null where that makes no difference. */
  readonly differing: ReadonlySet<string> | null
}

export interface Upsert {
  /** The columns that stored records take from the staged ones. */
  readonly assigned: readonly string[]
  /** Only staged records that differ from the stored ones in this column; null for all. */
  readonly differing: string | null
  /** Whether whole records are written, with all their index entries. */
  readonly isWhole: boolean
}

/** What is deleted, written and counted. */
export interface MergePlan {
  readonly added: number
  readonly changed: number
  readonly removed: number
  /** How many records are added, changed and removed. Nothing is done where there are none. */
  readonly records: number
  readonly upserts: readonly Upsert[]
  /** The columns whose totals can change; null for all. */
  readonly movedColumns: ReadonlySet<string> | null
  /** The values that are counted afterwards, as they may have become large; null for none. */
  readonly largeTotals: Counted | null
}

/** Below this, adding rows to an index takes less time than creating it again. */
export const rowsWorthRebuilding = 20_000

/** Plans the second half of a merge, once what is staged differs from all that is stored. */
export const planMerge = (
  table: Table,
  comparison: Comparison & { readonly stored: number; readonly removed: number },
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
 * A statement that assigns a column writes the entries of its indexes again, whether or not the value
 * changes. Where the columns that differ are known, each is assigned to the records that need it.
 */
const planUpserts = (table: Table, { moving, differing }: Comparison): readonly Upsert[] => {
  if (moving === 0) return []
  if (!differing || moving >= rowsWorthRebuilding) {
    const columns = columnsOf(table).slice(table.key.length)
    const assigned = [...columns.map(({ name }) => name), 'body']
    return [{ assigned, differing: null, isWhole: true }]
  }
  return [
    { assigned: ['body'], differing: null, isWhole: false },
    ...[...differing].map((name) => ({ assigned: [name], differing: name, isWhole: false })),
  ]
}
