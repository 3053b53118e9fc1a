import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalog } from '#contract'
import { DatabaseMissingError, openDatabase } from '#database'
import { addBrand, type OperatorParts } from '#operator'
import { createStore, sharedOwner } from '#store'
import { withRecords } from './records.ts'

/** Records to try an import with. */
export interface TrialStore extends Pick<OperatorParts, 'store' | 'database' | 'now'> {
  /** Whether these are the stored records, and not an empty database for the trial alone. */
  readonly isStored: boolean
}

/**
 * Opens the database, if it has the brand. Otherwise work has an empty database in the temporary
 * folder, with the brand: a mapping can be checked before anything is stored.
 */
export const withTrialStore = async <T>(
  owner: string,
  work: (parts: TrialStore) => Promise<T>,
): Promise<T> => {
  const stored = await withStored(owner, work)
  if (stored) return stored.value
  const folder = await mkdtemp(join(tmpdir(), 'selvedge-check-'))
  // No request waits for these reads.
  const database = openDatabase(`sqlite:${join(folder, 'check.db')}`, { queryMs: 600_000 })
  try {
    const store = await createStore(catalog, database)
    const parts = { store, database, now: Date.now }
    if (owner !== sharedOwner) {
      await addBrand({ ...parts, newId: randomUUID }, { slug: owner, name: owner })
    }
    return await work({ ...parts, isStored: false })
  } finally {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Null if there is no database, or if it does not have the brand. */
const withStored = async <T>(
  owner: string,
  work: (parts: TrialStore) => Promise<T>,
): Promise<{ readonly value: T } | null> => {
  try {
    return await withRecords(
      async ({ store, database }) =>
        owner === sharedOwner || (await store.has(owner))
          ? { value: await work({ store, database, now: Date.now, isStored: true }) }
          : null,
      { repairsSecurity: false },
    )
  } catch (error) {
    if (error instanceof DatabaseMissingError) return null
    throw error
  }
}
