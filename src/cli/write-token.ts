import { createWriteTokens } from '#cursors'
import type { Records } from '#server'

/** The token of a write of an owner; null if nothing was written. */
export const writeTokenOf = (
  { secret }: Pick<Records, 'secret'>,
  owner: string,
  change: number | null,
): string | null => (change === null ? null : createWriteTokens(secret).seal({ owner, change }))
