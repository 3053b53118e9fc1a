import { isTimezone } from '#contract'
import type { Database, Query } from '#database'
import { ownerNumber, sharedNumber } from '../schema/owners.ts'

/** What of a brand's own record decides how its records are read. */
export interface BrandProfile {
  /** UTC where its record names none that is known. */
  readonly timezone: string
  readonly baseCurrency: string
}

export interface BrandProfiles {
  /** Null where the brand does not exist. */
  profile(brand: string): Promise<BrandProfile | null>
  /** A text that changes whenever any record that the brand reads changes. */
  version(brand: string): Promise<string>
}

export const createBrandProfiles = (database: Database): BrandProfiles => {
  const { jsonText } = database.dialect
  const text = [
    `select ${jsonText('b."body"', ['timezone'])}, ${jsonText('b."body"', ['baseCurrencyCode'])}`,
    'from "brand" as b',
    'where b."owner" = ?1',
    'limit 1',
  ].join('\n')
  return {
    profile: async (brand) => {
      const owner = ownerNumber(brand)
      const [rows = []] = await database.read([{ text, values: [owner] }], owner)
      const [row] = rows
      if (!row) return null
      const timezone = String(row[0])
      return { timezone: isTimezone(timezone) ? timezone : 'UTC', baseCurrency: String(row[1]) }
    },
    version: async (brand) => {
      const owner = ownerNumber(brand)
      const [rows = []] = await database.read([versionsOf(owner)], owner)
      return rows.map(([collection, version]) => `${collection} ${version}`).join('.')
    },
  }
}

const versionsOf = (owner: number): Query => ({
  text: [
    'select "collection", "version"',
    'from "selvedge_collections"',
    'where "owner" in (?1, ?2)',
    'order by "owner", "collection"',
  ].join('\n'),
  values: [owner, sharedNumber],
})
