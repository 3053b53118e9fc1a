export interface DocumentQuery {
  /** Rows of each section, 1 to 100: 100 by default. */
  readonly limit?: number | undefined
  /** The day to take for today. Default: today in the time zone of the brand. */
  readonly asOf?: string | undefined
}

export type TodayQuery = Pick<DocumentQuery, 'asOf'>

export interface LineageQuery {
  /** `up`: what the record came from; `down`: what follows from it. Default: `both`. */
  readonly direction?: 'up' | 'down' | 'both' | undefined
  /** Maximum number of steps from the record. */
  readonly depth?: number | undefined
  /** Maximum number of records, 1 to 100: 80 by default. */
  readonly limit?: number | undefined
  /** Identities of records that come first where a list is truncated: at most 100. */
  readonly first?: readonly string[] | undefined
}

export interface SearchQuery {
  /** Results, 1 to 50: 20 by default. */
  readonly limit?: number | undefined
  /** Only these groups, by their paths. */
  readonly groups?: readonly string[] | undefined
}
