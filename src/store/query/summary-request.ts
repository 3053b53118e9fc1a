import type { Grouping, Today } from '#contract'
import type { IsCancelled } from '#database'
import type { State } from '../read/state.ts'
import type { Selection } from './request.ts'

/** What to add up and compare, of which records, and by which fields. */
export interface SummaryRequest extends Selection {
  readonly sum: readonly string[]
  readonly min: readonly string[]
  readonly max: readonly string[]
  readonly by: readonly Grouping[]
  /** What ageing counts from, and the time zone of months and weeks. */
  readonly today: Today
  /** Of the brand. */
  readonly baseCurrency: string
  readonly isCancelled?: IsCancelled | undefined
}

/** A sum or a least value in one currency. */
export interface CurrencyAmount {
  readonly currency: string | null
  readonly amount: string
  /** How many records have it. */
  readonly items: number
}

/** Amounts of money: by currency, and together in the base currency as far as that is known. */
export interface MoneySum {
  readonly currencies: readonly CurrencyAmount[]
  readonly base: {
    readonly currency: string
    readonly amount: string
    /** How many records have an amount that is not in this sum, because no rate is known. */
    readonly withoutRate: number
  }
}

/** Whole numbers are exact however large they are; amounts are decimal texts. */
export type SumValue = bigint | string | MoneySum

export type ExtremeValue = number | string | null | readonly CurrencyAmount[]

export type GroupValue = string | number | boolean | null

/** What was counted, added up and compared of some records. */
export interface Figures {
  readonly items: number
  readonly sum: { readonly [field: string]: SumValue }
  readonly min: { readonly [field: string]: ExtremeValue }
  readonly max: { readonly [field: string]: ExtremeValue }
}

export interface SummaryGroup extends Figures {
  /** The value of each field that the summary is grouped by. */
  readonly by: readonly GroupValue[]
}

export interface Summary extends State {
  readonly total: Figures
  readonly groups: readonly SummaryGroup[]
}
