import type { Database, Query } from '#database'
import { lastChange } from '../schema/collection-stats.ts'
import { sharedNumber } from '../schema/owners.ts'

/** The brands that have changed, and the number of the last change. */
export interface ChangedBrands {
  readonly change: number
  readonly slugs: readonly string[]
}

/**
 * Finds the brands whose rules may read a record that changed after a number; null finds all brands.
 * A shared record belongs to every brand.
 */
export const readChangedBrands = async (
  database: Database,
  since: number | null,
): Promise<ChangedBrands> => {
  const [[[last] = []] = []] = await database.read([
    { text: `select ${lastChange(database.dialect)}`, values: [] },
  ])
  const change = Number(last ?? 0)
  if (change === since) return { change, slugs: [] }
  const owners = since === null ? null : await ownersChangedAfter(database, since)
  const query = owners === null || owners.has(sharedNumber) ? allBrands : brandsOf([...owners])
  const [rows = []] = await database.read([query])
  return { change, slugs: rows.map(([slug]) => String(slug)) }
}

const ownersChangedAfter = async (
  database: Database,
  since: number,
): Promise<ReadonlySet<number>> => {
  const text = 'select distinct "owner" from "selvedge_collections" where "version" > ?1'
  const [rows = []] = await database.read([{ text, values: [since] }])
  return new Set(rows.map(([owner]) => Number(owner)))
}

const select = [
  'select o."slug"',
  'from "selvedge_owners" as o',
  'join "brand" as b on b."owner" = o."owner"',
].join('\n')

const allBrands: Query = { text: `${select}\norder by o."slug"`, values: [] }

/** The numbers come from the database, never from a request. */
const brandsOf = (owners: readonly number[]): Query => ({
  text: `${select}\nwhere o."owner" in (${[...owners, -1].join(', ')})\norder by o."slug"`,
  values: [],
})
