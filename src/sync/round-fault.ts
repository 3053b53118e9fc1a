import { SourceError } from '#ingest'
import { type Fault, faultOf } from '#intake'
import { SourceDatabaseError } from './source-database.ts'

/**
 * What a failed round says. `refused`: the source or its mapping is at fault, and somebody has to
 * change one of them.
 */
export type RoundFault = Fault | 'refused'

export const roundFault = (error: unknown): RoundFault => {
  if (error instanceof SourceDatabaseError) return error.isTransient ? 'unavailable' : 'refused'
  return error instanceof SourceError ? 'refused' : faultOf(error)
}
