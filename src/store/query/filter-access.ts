import type { Query, Row } from '#database'
import { compileStoredTotals } from '../read/collection-state.ts'
import { isWholeKey, type ListPlan, type ListRequest } from '../read/list.ts'
import { countedMax } from '../schema/collection-stats.ts'
import { ownerOf } from '../schema/owners.ts'

/** How to read a contract list with filters. */
export interface FilterAccess {
  /** Whether every filter matches so many records that one statement may be slow. */
  readonly isWide: boolean
  /**
   * The direct filter whose index drives the statement; undefined if the identity or a link drives
   * it.
   */
  readonly drivingIndex: string | undefined
  /** The filter along which a scan reads the fewest records; null for the identity. */
  readonly scannedFilter: string | null
}

/** Rows that match each filter alone; a missing filter matches few. */
export type FilterSizes = ReadonlyMap<string, number>

/** Whether one statement may be slow for a list. A single direct filter is always fast. */
export const canBeWide = ({ own, through }: ListPlan): boolean =>
  own.length > 1 || through.length > 0

/**
 * Picks the index of the direct filter that matches the fewest records. A list is wide if all its
 * direct filters match many records, or if one filter through a link does. Any other list reads at
 * most `countedMax` rows besides those of the page.
 */
export const planAccess = (plan: ListPlan, sizes: FilterSizes): FilterAccess => {
  const { table, own, through } = plan
  const isLarge = (name: string) => (sizes.get(name) ?? 0) > countedMax
  const links = through.filter(({ local }) => isWholeKey(table, local))
  const scanned = smallest([...own, ...links.map(({ name }) => name)], (name) => sizes.get(name))
  return {
    isWide:
      through.length > 0
        ? through.some(({ name }) => isLarge(name))
        : own.length > 1 && own.every(isLarge),
    // Totals are stored only if they are large, so any filter without one is small enough.
    drivingIndex:
      own.length > 1 && through.length === 0
        ? smallest(own, (name) => sizes.get(name) ?? (name === plan.drivingIndex ? 0 : 1))
        : plan.drivingIndex,
    scannedFilter: scanned ?? null,
  }
}

const smallest = (
  names: readonly string[],
  sizeOf: (name: string) => number | undefined,
): string | undefined =>
  [...names].sort((one, other) => (sizeOf(one) ?? 0) - (sizeOf(other) ?? 0))[0]

/** Reads the stored number of records per filter. Only large numbers are stored. */
export const compileSizes = (
  { own, through }: ListPlan,
  { resource, brand, filters }: ListRequest,
): { readonly query: Query; readonly parse: (rows: readonly Row[]) => FilterSizes } => {
  const all = [
    ...own.map((name) => ({ name, of: resource, filter: name })),
    ...through.map(({ name, link, where }) => ({ name, of: link.resource, filter: where })),
  ].map(({ name, of, filter }) => ({
    name,
    owner: ownerOf(of, brand),
    collection: of.path,
    filter,
    value: filters.get(name) ?? null,
  }))
  return {
    query: compileStoredTotals(all),
    parse: (rows) =>
      new Map(rows.map(([index, total]) => [all[Number(index)]?.name ?? '', Number(total)])),
  }
}
