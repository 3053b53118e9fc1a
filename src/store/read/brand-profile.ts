import { isTimezone } from '#contract'
import type { Database } from '#database'
import { ownerNumber } from '../schema/owners.ts'

/** The fields of a brand's record that decide how its records are read. */
export interface BrandProfile {
  /** UTC if its record names no known time zone. */
  readonly timezone: string
  readonly baseCurrency: string
}

/** A brand's profile, and the number of the last change of all when it was read. */
export interface ReadProfile extends BrandProfile {
  readonly change: number
}

export interface BrandProfiles {
  /** Null if the brand does not exist. */
  profile(brand: string): Promise<ReadProfile | null>
}

export const createBrandProfiles = (database: Database): BrandProfiles => {
  const { jsonText } = database.dialect
  const text = [
    `select ${jsonText('b."body"', ['timezone'])}, ${jsonText('b."body"', ['baseCurrencyCode'])},`,
    `coalesce(s."value", '0')`,
    'from "brand" as b',
    `left join "selvedge_settings" as s on s."name" = 'change'`,
    'where b."owner" = ?1',
    'limit 1',
  ].join('\n')
  return {
    profile: async (brand) => {
      const owner = ownerNumber(brand)
      const [rows = []] = await database.read([{ text, values: [owner] }], owner)
      const [row] = rows
      return row ? { ...profileOf(row[0], row[1]), change: Number(row[2]) } : null
    },
  }
}

export const profileOf = (timezone: unknown, baseCurrency: unknown): BrandProfile => ({
  timezone: isTimezone(String(timezone)) ? String(timezone) : 'UTC',
  baseCurrency: String(baseCurrency),
})
