import { openQueueDatabase } from '#database'
import { type IntakeSource, openSourceReader, type SourceReader } from '#intake'
import type { OperatorParts } from './parts.ts'

type SourceParts = Pick<OperatorParts, 'store' | 'database' | 'databaseUrl'>

/** The sources, of all brands or of one, with the units that wait or are in quarantine. */
export const listSources = (parts: SourceParts, brand?: string): Promise<readonly IntakeSource[]> =>
  withSourceReader(parts, (reader) => reader.list(brand))

/** Reads sources and ended units. Creates nothing. */
export const withSourceReader = async <T>(
  { store, database, databaseUrl }: SourceParts,
  work: (reader: SourceReader) => Promise<T>,
): Promise<T> => {
  const options = { creates: false, readOnly: true }
  const reader = openSourceReader(store.sources, () =>
    openQueueDatabase(databaseUrl, database, options),
  )
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}
