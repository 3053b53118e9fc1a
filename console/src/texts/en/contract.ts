import type { Vocabulary } from '../../../../src/contract/index.ts'

/** None: the contract is in English. */
export const contract: Vocabulary | null = null
