import type { Grouping, Today } from '#contract'
import type { IsCancelled } from '#database'
import type { State } from '../read/state.ts'
import type { Selection } from './request.ts'

/** Which records to aggregate, which fields, and how to group them. */
export interface SummaryRequest extends Selection {
  readonly sum: readonly string[]
  readonly min: readonly string[]
  readonly max: readonly string[]
  readonly by: readonly Grouping[]
  /** The order of groups. Default: the order of their values. */
  readonly order?: GroupOrder | null
  /** Only so many groups, the first of the order. Default: all. */
  readonly top?: number | null
  /** The date that ageing counts from, and the time zone of months and weeks. */
  readonly today: Today
  /** The brand's base currency. */
  readonly baseCurrency: string
  readonly isCancelled?: IsCancelled | undefined
}

/** Orders groups by the sum of a field, or by their number of records. */
export interface GroupOrder {
  /** Null for the number of records. */
  readonly field: string | null
  readonly isDescending: boolean
}

/** A sum or an extreme value in one currency. */
export interface CurrencyAmount {
  readonly currency: string | null
  readonly amount: string
  /** How many records have it. */
  readonly items: number
}

/** Amounts of money by currency, and their total in the base currency as far as rates are known. */
export interface MoneySum {
  readonly currencies: readonly CurrencyAmount[]
  readonly base: BaseSum
}

export interface BaseSum {
  readonly currency: string
  readonly amount: string
  /** Records that are left out because no rate is known. */
  readonly withoutRate: number
  /** The amounts of these records by currency. */
  readonly leftOut: readonly CurrencyAmount[]
}

/** Whole numbers are exact at any size; amounts are decimal strings. */
export type SumValue = bigint | string | MoneySum

export type ExtremeValue = number | string | null | readonly CurrencyAmount[]

export type GroupValue = string | number | boolean | null

/** The count, sums and extremes of some records. */
export interface Figures {
  readonly items: number
  readonly sum: { readonly [field: string]: SumValue }
  readonly min: { readonly [field: string]: ExtremeValue }
  readonly max: { readonly [field: string]: ExtremeValue }
  /** Records by field of `sum` that are in no sum, because their amount has too many digits. */
  readonly tooLong: { readonly [field: string]: number }
}

export interface SummaryGroup extends Figures {
  /** The value of each grouping field. */
  readonly by: readonly GroupValue[]
}

export interface SummaryFigures {
  readonly total: Figures
  readonly groups: readonly SummaryGroup[]
  /** How many groups there are, with those that `top` leaves out. */
  readonly groupCount: number
}

export interface Summary extends State, SummaryFigures {}
