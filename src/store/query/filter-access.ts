import type { Query, Row } from '#database'
import { compileStoredTotals } from '../read/collection-state.ts'
import { isWholeKey, type ListPlan, type ListRequest } from '../read/list.ts'
import { countedMax } from '../schema/collection-stats.ts'
import { ownerOf } from '../schema/owners.ts'

/** How a list of the contract with filters is read. */
export interface FilterAccess {
  /** Whether each filter matches so many records that one statement may take long. */
  readonly isWide: boolean
  /** The own filter along whose index one statement reads; none where the identity or a link drives. */
  readonly drivingIndex: string | undefined
  /** The filter along which a scan looks at the fewest records; null for the identity. */
  readonly scannedFilter: string | null
}

/** How many rows match each filter by itself; a filter that is missing matches few. */
export type FilterSizes = ReadonlyMap<string, number>

/** Whether a list can have filters so wide that one statement takes long: one own filter never is. */
export const canBeWide = ({ own, through }: ListPlan): boolean =>
  own.length > 1 || through.length > 0

/**
 * Reads along the index of the own filter that matches the fewest records. A list is wide if all its
 * own filters match many, or one through a link does; any other looks at no more than `countedMax` rows
 * beside those of the page.
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
    // A total that is not stored is small; among several small ones any will do.
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

/** Reads how many records each filter matches by itself, where that is stored: where it is many. */
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
