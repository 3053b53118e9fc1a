export interface DocumentQuery {
  /** Rows per section, 1 to 100. The default is 100. */
  readonly limit?: number | undefined
  /** The day to treat as today. The default is today in the brand's time zone. */
  readonly asOf?: string | undefined
}

export type TodayQuery = Pick<DocumentQuery, 'asOf'>

export interface TrendQuery {
  /** How many days, with today, 2 to 366. The default is 90. */
  readonly days?: number | undefined
}

export interface LineageQuery {
  /**
   * `up` follows the origins of the record, `down` what was made from it. The default is `both`.
   */
  readonly direction?: 'up' | 'down' | 'both' | undefined
  /** Maximum number of steps from the record. */
  readonly depth?: number | undefined
  /** Maximum number of records, 1 to 100. The default is 80. */
  readonly limit?: number | undefined
  /** Ids of records to list first if a list is truncated, at most 100. */
  readonly first?: readonly string[] | undefined
}

export interface SearchQuery {
  /** Maximum number of results, 1 to 50. The default is 20. */
  readonly limit?: number | undefined
  /** Searches only these groups, given by path. */
  readonly groups?: readonly string[] | undefined
}

export interface SourceUnitsQuery {
  /** Maximum number of units, 1 to 50. The default is 20. */
  readonly limit?: number | undefined
}

export interface SourceRowsQuery extends SourceUnitsQuery {
  /** Only rows of this group, given by path. */
  readonly group?: string | undefined
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}
