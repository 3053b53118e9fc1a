import { ageingGroups, compareDecimals, type Decimal, type Grouping, parseDecimal } from '#contract'
import type { Figures, GroupOrder, GroupValue, SumValue } from './summary-request.ts'

/** A group with the value that decides its rank. */
export interface RankedGroup<Group> {
  readonly by: readonly GroupValue[]
  /** Null if groups are ordered by their values of `by`. */
  readonly value: Decimal | null
  readonly group: Group
}

/** The value that groups are ordered by. Amounts of money count in the base currency. */
export const rankValue = (
  { items, sum }: Figures,
  order: GroupOrder | null | undefined,
): Decimal | null => {
  if (!order) return null
  return order.field === null ? { units: BigInt(items), scale: 0 } : decimalOf(sum[order.field])
}

const decimalOf = (sum: SumValue | undefined): Decimal => {
  if (typeof sum === 'bigint') return { units: sum, scale: 0 }
  return parseDecimal(typeof sum === 'object' ? sum.base.amount : (sum ?? '0'))
}

/** Orders groups by rank, and groups of the same rank by their values. */
export const compareRanks =
  (by: readonly Grouping[], order: GroupOrder | null | undefined) =>
  (one: RankedGroup<unknown>, other: RankedGroup<unknown>): number => {
    const rank = one.value && other.value ? compareDecimals(one.value, other.value) : 0
    return (order?.isDescending ? -rank : rank) || compareGroups(by, one.by, other.by)
  }

/** Inserts a group into the first `most` groups of an order. */
export const insertRanked = <Group>(
  ranked: RankedGroup<Group>[],
  group: RankedGroup<Group>,
  compare: (one: RankedGroup<Group>, other: RankedGroup<Group>) => number,
  most: number,
): void => {
  let [from, to] = [0, ranked.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (compare(ranked[middle] as RankedGroup<Group>, group) < 0) from = middle + 1
    else to = middle
  }
  if (from >= most) return
  ranked.splice(from, 0, group)
  if (ranked.length > most) ranked.pop()
}

/** Sorts by the values in sequence: ageing groups from newest to oldest, null last. */
const compareGroups = (
  by: readonly Grouping[],
  one: readonly GroupValue[],
  other: readonly GroupValue[],
): number => {
  for (const [at, { dates }] of by.entries()) {
    const order = compareValues(one[at] ?? null, other[at] ?? null, dates === 'ageing')
    if (order !== 0) return order
  }
  return 0
}

const ageingNames: readonly string[] = ageingGroups.map(({ name }) => name)

const compareValues = (one: GroupValue, other: GroupValue, isAgeing: boolean): number => {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? 1 : -1
  if (isAgeing) return ageingNames.indexOf(String(one)) - ageingNames.indexOf(String(other))
  return one < other ? -1 : 1
}
