import type {
  DocumentDeadline,
  DocumentStage,
  Goods,
  Picture,
  Scorecard,
} from './generated/responses.ts'

/** A record of a section, with the records that the section includes. */
export interface SectionRow<R> {
  readonly record: R
  readonly goods?: Goods | null
  /** Quantities in pieces, by name. */
  readonly figures?: { readonly [name: string]: number } | null
}

/** Records that belong to a document. */
export interface Section<R> {
  readonly title: string
  readonly group: string
  /** The exact number of records. */
  readonly totalItems: number
  /** Path of the complete list, or null if there is none. */
  readonly url: string | null
  /** The first records. */
  readonly items: readonly SectionRow<R>[]
}

/** A record `R` with its relations `I` and its sections `S`. */
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
  /** Set for suppliers, otherwise null. */
  readonly scorecard: Scorecard | null
  /** Its parts in quarantine, which are not in the sections; absent if there are none. */
  readonly missingParts?: readonly { readonly collection: string; readonly rows: number }[]
  readonly goods: Goods | null
  readonly record: R & { readonly [N in keyof I]: I[N] | null }
  readonly sections: { readonly [N in keyof S]: Section<S[N]> }
  /** By image id. */
  readonly pictures: { readonly [imageId: string]: Picture }
}
