export interface SearchQuery {
  /** Results, 1 to 50: 20 by default. */
  readonly limit?: number | undefined
  /** Only these groups, by their paths. */
  readonly groups?: readonly string[] | undefined
}

/** A record that was found, and by what. */
export interface SearchResult {
  /** The path of its group. */
  readonly group: string
  /** Its identity, where that is one field. */
  readonly id?: string
  /** Its identity, where that has several fields. */
  readonly key?: { readonly [field: string]: string }
  readonly title: string | null
  /** The field that matches, and its value. */
  readonly field: string
  readonly value: string
  readonly match: string
  /** Path of the record in the API. */
  readonly url: string
  readonly record: { readonly [field: string]: unknown }
}

export interface SearchResults {
  readonly query: string
  /** The best matches first. */
  readonly items: readonly SearchResult[]
  /** Whether these are all. */
  readonly isComplete: boolean
}
