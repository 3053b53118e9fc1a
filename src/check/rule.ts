import type { ResourcePath } from '#contract'
import type { Finding } from './finding.ts'

/**
 * `error`: the records contradict each other. `warning`: possible, but a person should look.
 */
export type Severity = 'error' | 'warning'

/** One business rule: what is always so, and every way in which records can show that it is not. */
export interface Rule {
  readonly id: string
  readonly severity: Severity
  /** The collections it is about. */
  readonly collections: readonly ResourcePath[]
  readonly sentence: string
  readonly findings: readonly Finding[]
}

/** A record that breaks a rule. */
export interface Breach {
  /** The rule's id. */
  readonly rule: string
  readonly collection: string
  /** The record's identity, in the order of its key. */
  readonly key: readonly string[]
  /** What was found: `ordered 640, made 700`. */
  readonly detail: string
}

/** A rule, written as one reads it. */
export const rule = (
  id: string,
  severity: Severity,
  collections: readonly ResourcePath[],
  sentence: string,
  ...findings: readonly Finding[]
): Rule => ({ id, severity, collections, sentence, findings })
