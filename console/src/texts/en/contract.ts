import type { Vocabulary } from '../contract.ts'

/** None: the contract is in English. */
export const contract: Vocabulary | null = null
