/** Sums by field, as `totals` and `summary` return them. */
export type Sums = { readonly [field: string]: number | string | MoneySum }

/** Exact sums of amounts of money. */
export type MoneySum = {
  readonly currencies: readonly { readonly currency: string | null; readonly amount: string }[]
  /** Absent if the amounts cannot be converted here. */
  readonly base?: {
    readonly currency: string
    readonly amount: string
    readonly withoutRate: number
  }
}

/** The groups of a list, with their numbers of records and sums. */
export type Summary = {
  readonly items: number
  readonly sum: Sums
  readonly groupCount: number
  readonly groups: readonly {
    readonly by: { readonly [field: string]: unknown }
    readonly items: number
    readonly sum: Sums
  }[]
}
