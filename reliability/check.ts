/** What a bench of trust is: a claim, what must hold, and how it is tried in two sizes. */
export interface Check<Size = unknown> {
  /** Its number in the table of checks, such as `R5`. */
  readonly id: string
  /** What users may rely on, as a sentence. */
  readonly claim: string
  /** What must be measured for the claim to hold, as a sentence. */
  readonly target: string
  /** The short form is part of the tests; the full form gives the check that is published. */
  readonly sizes: Readonly<Record<Form, Size>>
  /** Why it cannot be tried here, as a sentence; nothing when it can. */
  missing?(): Promise<string | undefined>
  try(size: Size, task: Task): Promise<Outcome>
}

export type Form = 'short' | 'full'

export interface Task {
  /** All that is random comes from it. */
  readonly seed: number
  /** The folder of an earlier version's checkout, for a check that can use one. */
  readonly before?: string
  /** Tells how far it is: a sentence, for people. */
  log(sentence: string): void
}

export interface Outcome {
  /** What was seen, as a sentence with its numbers. */
  readonly measured: string
  /** The same for programs. */
  readonly counts: Readonly<Record<string, number>>
  /** What the target misses, each a sentence with what is needed to repeat it. None: it is met. */
  readonly misses: readonly string[]
}

/** Lets a check's sizes have a type of their own. */
export const check = <Size>(each: Check<Size>): Check =>
  // A size is only ever given back to the check that it came from.
  each as unknown as Check

export const defaultSeed = 20_261_115
