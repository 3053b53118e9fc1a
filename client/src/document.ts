/** A sum in one currency. */
export interface CurrencyTotal {
  /** ISO 4217; null where none is known. */
  readonly currency: string | null
  readonly amount: string
}

/** A date that was planned, and when it happened. */
export interface DocumentDeadline {
  readonly name: string
  readonly planned: string
  readonly actual: string | null
  /** Later than planned; negative for earlier. Until today where it has not happened. */
  readonly days: number
  readonly isOpen: boolean
  readonly isLate: boolean
  /** The view that the record is in because it is late. */
  readonly view: string | null
}

/** A stage that goods and money pass. */
export interface DocumentStage {
  readonly name: string
  readonly state: 'open' | 'partly' | 'done'
  /** Null where it does not count pieces. */
  readonly pieces: number | null
  readonly amounts: readonly CurrencyTotal[]
  readonly planned: string | null
  readonly actual: string | null
  readonly days: number | null
}

export interface NamedPart {
  readonly id: string
  readonly code: string | null
  readonly name: string | null
}

/** What a row is about, and the image that shows it: one of `pictures`. */
export interface Goods {
  readonly style: NamedPart | null
  readonly option:
    | (NamedPart & { readonly color: string | null; readonly hexCode: string | null })
    | null
  readonly sku: NamedPart | null
  readonly sizes: readonly string[]
  readonly imageId: string | null
}

/** A temporary URL of an image, which works without a key until it expires. */
export interface Picture {
  readonly url: string
  readonly expiresAt: string
  readonly width: number | null
  readonly height: number | null
  readonly altText: string | null
}

/** Records of a view, and what they add up to. */
export interface OpenTotal {
  readonly items: number
  readonly pieces: number
  readonly amounts: readonly CurrencyTotal[]
  /** In the base currency of the brand. */
  readonly base: { readonly amount: string; readonly withoutRate: number }
}

/** How a supplier has delivered in the last 12 months, or since `from` where it has more than 1,000 orders. */
export interface Scorecard {
  readonly from: string
  readonly orders: number
  readonly onTime: number
  readonly late: number
  readonly withoutDate: number
  readonly daysLate: number
  readonly receiptLines: number
  readonly shortLines: number
  readonly expectedPieces: number
  readonly shortPieces: number
  readonly prices: { readonly higher: number; readonly lower: number; readonly same: number }
  readonly openOrders: OpenTotal
  readonly openBalance: OpenTotal
  readonly overdueBalance: OpenTotal
}

/** A record of a section: with the records that the section includes. */
export interface SectionRow<R> {
  readonly record: R
  readonly goods?: Goods | null
  /** Pieces by name. */
  readonly figures?: { readonly [name: string]: number } | null
}

/** Records that belong to a document. */
export interface Section<R> {
  readonly title: string
  readonly group: string
  /** How many there are, exactly. */
  readonly totalItems: number
  /** Path of the list with all of them; null where there is none. */
  readonly url: string | null
  /** The first of them. */
  readonly items: readonly SectionRow<R>[]
}

/** A record `R` with its relations `I`, and its sections `S`. */
export interface RecordDocument<R, I, S> {
  readonly group: string
  readonly id: string
  readonly title: string | null
  readonly status: string | null
  readonly asOf: string
  readonly timezone: string
  readonly baseCurrency: string
  readonly deadlines: readonly DocumentDeadline[]
  readonly progress: readonly DocumentStage[]
  /** Of a supplier; otherwise null. */
  readonly scorecard: Scorecard | null
  readonly goods: Goods | null
  readonly record: R & { readonly [N in keyof I]: I[N] | null }
  readonly sections: { readonly [N in keyof S]: Section<S[N]> }
  /** By the ids of images. */
  readonly pictures: { readonly [imageId: string]: Picture }
}

export interface DocumentQuery {
  /** Rows of each section, 1 to 100: 100 by default. */
  readonly limit?: number | undefined
  /** The day to take for today. Default: today in the time zone of the brand. */
  readonly asOf?: string | undefined
}
