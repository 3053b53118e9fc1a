/** A rule that records break. */
export interface Finding {
  /** Id of the rule. */
  readonly rule: string
  /** `error`: records contradict each other. `warning`: unusual, and worth a review. */
  readonly severity: 'error' | 'warning'
  readonly sentence: string
  /** What to do. */
  readonly remedy: string
  readonly groups: readonly string[]
  /** How many records break it. */
  readonly count: number
  readonly checkedAt: string
  /** Whether no record that was read has changed since. */
  readonly isCurrent: boolean
  /** The first of the records, at most 20. */
  readonly records: readonly {
    readonly group: string
    /** The parts of its identity, joined by colons. */
    readonly id: string
    readonly title: string | null
    readonly detail: string
  }[]
}

/** What the last checks of a brand's records have found. */
export interface Quality {
  /** Null where no rule was ever checked. */
  readonly checkedAt: string | null
  readonly isCurrent: boolean
  readonly rules: {
    readonly total: number
    readonly passed: number
    readonly unchecked: number
    readonly outdated: number
  }
  /** Errors first, then warnings. */
  readonly findings: readonly Finding[]
  /** The last checks, at most 100, the oldest first. */
  readonly history: readonly {
    readonly checkedAt: string
    readonly errors: number
    readonly warnings: number
    readonly counts: { readonly [rule: string]: number }
  }[]
}
