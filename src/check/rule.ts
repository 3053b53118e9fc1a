import type { ResourcePath } from '#contract'
import type { Finding } from './finding.ts'

/**
 * `error`: the records contradict each other. `warning`: unusual but possible, and worth a review.
 */
export type Severity = 'error' | 'warning'

/** A business rule, and every way in which records can break it. */
export interface Rule {
  readonly id: string
  readonly severity: Severity
  /** The collections that the rule applies to. */
  readonly collections: readonly ResourcePath[]
  readonly sentence: string
  /** The remedy for a record that breaks the rule. */
  readonly remedy: string
  readonly findings: readonly Finding[]
  /** The check of new and changed records that refuses or reports the same (see `Checks`). */
  readonly check?: string
}

/** A record that breaks a rule. */
export interface Violation {
  /** Id of the rule. */
  readonly rule: string
  readonly collection: string
  /** The key fields of the record, in order. */
  readonly key: readonly string[]
  /** For example `ordered 640, made 700`. */
  readonly detail: string
}

export const rule = (
  id: string,
  severity: Severity,
  collections: readonly ResourcePath[],
  sentence: string,
  remedy: string,
  ...findings: readonly Finding[]
): Rule => ({ id, severity, collections, sentence, remedy, findings })
