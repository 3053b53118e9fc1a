/** An amount in one currency. */
export interface CurrencyAmount {
  /** ISO 4217; null where none is known. */
  readonly currency: string | null
  readonly amount: string
  /** How many records have it. */
  readonly items: number
}

/** Amounts of money: by currency, and together in the base currency of the brand. */
export interface MoneySum {
  readonly currencies: readonly CurrencyAmount[]
  readonly base: {
    readonly currency: string
    readonly amount: string
    /** How many records are not in this sum, because no rate is known. */
    readonly withoutRate: number
  }
}

/** What was added up and compared, by field. What was not requested is missing. */
export interface Figures {
  /** Whole numbers, decimal numbers as strings, or amounts of money. */
  readonly sum?: { readonly [field: string]: number | string | MoneySum }
  readonly min?: { readonly [field: string]: number | string | null | readonly CurrencyAmount[] }
  readonly max?: { readonly [field: string]: number | string | null | readonly CurrencyAmount[] }
}

export interface SummaryGroup extends Figures {
  /** The value of each grouping. */
  readonly by: { readonly [grouping: string]: string | number | boolean | null }
  readonly items: number
}

/** Figures of the selected records. */
export interface Summary {
  readonly totalItems: number
  /** The day that a view or ageing took for today. */
  readonly asOf?: string
  readonly total: Figures
  readonly groups?: readonly SummaryGroup[]
}

/** A figure of the day. */
export interface Figure extends Figures {
  readonly items: number
  /** The same figure a week ago; null where the records do not say. */
  readonly weekAgo: (Figures & { readonly items: number }) | null
  /** How many days before today the dates were; null without a record. */
  readonly days?: { readonly max: number; readonly median: number } | null
  /** The records with the earliest dates: the worst of what is late, the next of what is due. */
  readonly first?: readonly FirstRecord[]
  /** Path of the list behind it. */
  readonly url: string
}

/** A record of a figure, and its date. */
export interface FirstRecord {
  readonly id: string
  readonly title: string | null
  readonly date: string
  /** How many days it was before today; negative where it is later. */
  readonly days: number
  readonly amount: { readonly currency: string | null; readonly amount: string } | null
  /** Pieces. */
  readonly quantity: number | null
  /** Path of the record. */
  readonly url: string
}

/** A part of a figure, for a chart. */
export interface FigurePart extends Figures {
  /** A value, a group of ageing, or a week such as `2026-W47`; `earlier`, `later` or `none`. */
  readonly name: string
  /** The first and the last day, of parts by dates; null without one. */
  readonly from?: string | null
  readonly to?: string | null
  readonly items: number
  /** Path of the list behind it. */
  readonly url: string
}

export interface TodayQuery {
  /** The day to take for today. Default: today in the time zone of the brand. */
  readonly asOf?: string | undefined
}

/** The figures of a day. */
export interface Today {
  readonly asOf: string
  readonly timezone: string
  readonly baseCurrency: string
  readonly figures: { readonly [name: string]: Figure }
  /** Figures in parts, in order. */
  readonly series: { readonly [name: string]: readonly FigurePart[] }
  /** Records that were changed since yesterday. */
  readonly changed: {
    readonly since: string
    readonly items: number
    readonly groups: readonly {
      readonly group: string
      readonly items: number
      readonly url: string
    }[]
  }
  /** How fresh the records are. Null where that is not known. */
  readonly records: {
    /** When a record of the brand was last added, changed or removed. */
    readonly changedAt: string | null
    /** The last import, whether it changed anything or not. */
    readonly lastImport: { readonly at: string; readonly changed: number } | null
  }
  /** The number of records by group. */
  readonly totals: { readonly [group: string]: number }
}
