import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Checks } from '#contract'
import type { Database, Query } from '#database'
import { allChecksQuery, parseChecks } from '../schema/brand-checks.ts'
import { ownerNumber, sharedNumber } from '../schema/owners.ts'
import { type BrandProfile, profileOf } from './brand-profile.ts'
import type { ReadState } from './change-tracker.ts'
import { compileStates, type Dependency, parseState } from './state.ts'

export interface BrandSummary {
  readonly slug: string
  readonly name: string
  /** All records that a key for it can read: its own and the shared ones. */
  readonly records: number
  /** Records that belong to it alone, including the brand's record. */
  readonly own: number
  readonly checks: Checks
}

/** A brand in a list of brands, with the settings to format its dates and amounts. */
export type ListedBrand = Pick<BrandSummary, 'slug' | 'name'> & BrandProfile

export interface CollectionCount {
  readonly collection: string
  readonly records: number
}

export interface Brands {
  /** The state in which a brand exists; null if it does not. */
  find(brand: string): Promise<ReadState | null>
  /** Every brand, with the number of its records. */
  all(): Promise<readonly BrandSummary[]>
  /** The number of a brand's own records by collection, largest first. */
  counts(brand: string): Promise<readonly CollectionCount[]>
  /** The brands with these slugs, or all brands, ordered by slug. */
  list(slugs: Iterable<string> | null): Promise<readonly ListedBrand[]>
}

const brandOnly: readonly Dependency[] = [
  { owner: ({ brand }) => ownerNumber(brand), path: 'brand' },
]

/** Brands per query: a few milliseconds. */
const listBatch = 500

export const createBrands = (database: Database): Brands => {
  const columns = ['name', 'timezone', 'baseCurrencyCode']
    .map((field) => database.dialect.jsonText('b."body"', [field]))
    .join(', ')

  const brandsOf = (slugs: readonly string[]): Query => ({
    text: [
      `select o."slug", ${columns}`,
      `from ${database.dialect.textsIn('?1', 'wanted')}`,
      'join "selvedge_owners" as o on o."slug" = wanted."value"',
      'join "brand" as b on b."owner" = o."owner"',
      'order by o."slug"',
    ].join('\n'),
    values: [JSON.stringify(slugs)],
  })
  const brandsAfter = (slug: string): Query => ({
    text: [
      `select o."slug", ${columns}`,
      'from "selvedge_owners" as o',
      'join "brand" as b on b."owner" = o."owner"',
      'where o."slug" > ?1',
      'order by o."slug"',
      `limit ${listBatch}`,
    ].join('\n'),
    values: [slug],
  })

  return {
    find: async (brand) => {
      const results = await database.read(compileStates(brandOnly, { brand }), ownerNumber(brand))
      const total = Number(results[0]?.[0]?.[1] ?? 0)
      return total > 0 ? parseState(brandOnly, brand, results).readState : null
    },
    all: async () => {
      const queries = [recordsQuery, totalsQuery, allChecksQuery]
      const [records = [], totals = [], checks = []] = await database.read(queries)
      const checksByOwner = new Map(checks.map((row) => [Number(row[1]), row]))
      const totalByOwner = new Map(totals.map(([owner, total]) => [Number(owner), Number(total)]))
      const shared = totalByOwner.get(sharedNumber) ?? 0
      return records.map(([slug, body]) => {
        const owner = ownerNumber(slug as string)
        const own = totalByOwner.get(owner) ?? 0
        const record = JSON.parse(body as string) as { name: string }
        return {
          slug: slug as string,
          name: record.name,
          records: own + shared,
          own,
          checks: parseChecks(checksByOwner.get(owner)),
        }
      })
    },
    counts: async (brand) => {
      const [rows = []] = await database.read([countsQuery(ownerNumber(brand))])
      return rows.map(([collection, records]) => ({
        collection: String(collection),
        records: Number(records),
      }))
    },
    list: async (slugs) => {
      const listed: ListedBrand[] = []
      /** Reads a batch. Other requests get a turn between batches. */
      const add = async (query: Query) => {
        const [rows = []] = await database.read([query])
        for (const [slug, name, timezone, baseCurrency] of rows) {
          listed.push({
            slug: String(slug),
            name: String(name),
            ...profileOf(timezone, baseCurrency),
          })
        }
        await nextTurn()
        return rows.at(-1)?.[0] as string | undefined
      }
      if (slugs) {
        const wanted = [...slugs].sort()
        for (let from = 0; from < wanted.length; from += listBatch) {
          await add(brandsOf(wanted.slice(from, from + listBatch)))
        }
        return listed
      }
      for (let after: string | undefined = ''; after !== undefined; ) {
        after = await add(brandsAfter(after))
      }
      return listed
    },
  }
}

const recordsQuery: Query = {
  text: [
    'select o."slug", b."body"',
    'from "selvedge_owners" as o',
    'join "brand" as b on b."owner" = o."owner"',
    'order by o."slug"',
  ].join('\n'),
  values: [],
}

const countsQuery = (owner: number): Query => ({
  text: [
    'select "collection", "total"',
    'from "selvedge_collections"',
    'where "owner" = ?1 and "total" > 0',
    'order by "total" desc, "collection"',
  ].join('\n'),
  values: [owner],
})

const totalsQuery: Query = {
  text: 'select "owner", sum("total") from "selvedge_collections" group by "owner"',
  values: [],
}
