import { existsSync } from 'node:fs'
import {
  DatabaseError,
  type InspectedDatabase,
  inspectDatabase,
  keyFileOf,
  type Row,
  restoredFileOf,
} from '#database'
import { openServiceDatabase, readServiceConfig } from '#server'

/** What is at the address that a backup is restored to. */
export interface RestoreTarget {
  readonly brands: number
  readonly records: number
  /** Keys that are not revoked. */
  readonly keys: number
  /** The number of the last change of records. */
  readonly change: number
  /** Why it cannot be read; null if it can. */
  readonly problem: string | null
}

const nothing: RestoreTarget = { brands: 0, records: 0, keys: 0, change: 0, problem: null }

export const inspectRestoreTarget = async (): Promise<RestoreTarget> => {
  const config = readServiceConfig()
  const { databaseUrl } = config
  if (!databaseUrl.startsWith('sqlite:')) {
    return withInspected(openServiceDatabase(config), async (database) => ({
      ...(await readRecords(database)),
      ...(await readKeys(database)),
    }))
  }
  const file = restoredFileOf(databaseUrl)
  const keyFile = keyFileOf(file)
  try {
    return {
      ...nothing,
      ...(existsSync(file) && (await withInspected(inspectDatabase(databaseUrl), readRecords))),
      ...(existsSync(keyFile) &&
        (await withInspected(inspectDatabase(`sqlite:${keyFile}`), readKeys))),
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    return { ...nothing, problem: error.message }
  }
}

const withInspected = async <T>(
  database: InspectedDatabase,
  work: (database: InspectedDatabase) => Promise<T>,
): Promise<T> => {
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const readRecords = async (database: InspectedDatabase): Promise<RestoreTarget> => {
  if (!(await database.tables()).has('selvedge_owners')) return nothing
  const [brands, records, change] = await firstCells(database, [
    `select count(*) from "selvedge_owners" where "slug" <> '*'`,
    'select coalesce(sum("total"), 0) from "selvedge_collections"',
    `select "value" from "selvedge_settings" where "name" = 'change'`,
  ])
  return {
    ...nothing,
    brands: Number(brands),
    records: Number(records),
    change: Number(change ?? 0),
  }
}

const readKeys = async (database: InspectedDatabase): Promise<Pick<RestoreTarget, 'keys'>> => {
  if (!(await database.tables()).has('selvedge_keys')) return { keys: 0 }
  const text = 'select count(*) from "selvedge_keys" where "revoked_at" is null'
  return { keys: Number((await firstCells(database, [text]))[0]) }
}

const firstCells = async (
  database: InspectedDatabase,
  texts: readonly string[],
): Promise<readonly Row[number][]> => {
  const results = await database.read(texts.map((text) => ({ text, values: [] })))
  return results.map(([row]) => row?.[0] ?? null)
}
