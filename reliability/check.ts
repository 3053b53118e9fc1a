/** A reliability check: a claim, its target, and how to test it in two sizes. */
export interface Check<Size = unknown> {
  /** Its number in the table of checks, such as `R5`. */
  readonly id: string
  /** The promise to users, as a sentence. */
  readonly claim: string
  /** The measurement that proves the claim, as a sentence. */
  readonly target: string
  /** A part of the target that was wrong, and why. It stays on the page of results. */
  readonly earlierTarget?: EarlierTarget
  /** The short form is part of the tests. The full form produces the published result. */
  readonly sizes: Readonly<Record<Form, Size>>
  /** Why the check cannot run here, as a sentence; undefined if it can. */
  missing?(): Promise<string | undefined>
  try(size: Size, task: Task): Promise<Outcome>
}

export interface EarlierTarget {
  readonly target: string
  readonly reason: string
}

export type Form = 'short' | 'full'

export interface Task {
  /** The only source of randomness. */
  readonly seed: number
  /** The folder of an earlier version's checkout, for checks that can use one. */
  readonly before?: string
  /** Reports progress as a sentence. */
  log(sentence: string): void
}

export interface Outcome {
  /** The result as a sentence with its numbers. */
  readonly measured: string
  /** The numbers of the result, for programs. */
  readonly counts: Readonly<Record<string, number>>
  /**
   * Violations of the target, each a sentence with the details to reproduce it. Empty if it is met.
   */
  readonly misses: readonly string[]
}

/** Erases the type of a check's sizes. */
export const check = <Size>(each: Check<Size>): Check =>
  // A size is only passed to the check that it came from.
  each as unknown as Check

export const defaultSeed = 20_261_115
