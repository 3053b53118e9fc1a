import type { Certainty, ProposedField } from './proposal.ts'

/** The proposed expression of a field, and its columns. */
export interface MadeField {
  readonly field: Omit<ProposedField, 'name'>
  readonly columns: readonly string[]
}

export const made = (
  expression: string,
  certainty: Certainty,
  columns: readonly string[] = [],
  note = '',
): MadeField => ({ field: { expression, certainty, note }, columns })
