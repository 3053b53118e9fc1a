import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Query } from '#database'
import { ownerNumber, sharedNumber } from '../schema/owners.ts'
import type { ReadState } from './change-tracker.ts'
import { compileStates, type Dependency, parseState } from './state.ts'

export interface BrandSummary {
  readonly slug: string
  readonly name: string
  /** All records that a key for it can read, in every group: its own and the shared ones. */
  readonly records: number
  /** Those that belong to it alone, the record of the brand itself included. */
  readonly own: number
}

export type BrandName = Pick<BrandSummary, 'slug' | 'name'>

export interface Brands {
  /** The state in which a brand exists; null when it does not. */
  find(brand: string): Promise<ReadState | null>
  /** Every brand, with the number of its records. */
  all(): Promise<readonly BrandSummary[]>
  /** Names by slugs, in order: of those of the slugs that exist, or of all brands. */
  names(slugs: Iterable<string> | null): Promise<readonly BrandName[]>
}

const brandOnly: readonly Dependency[] = [
  { owner: ({ brand }) => ownerNumber(brand), path: 'brand' },
]

/** A query for so many names takes a few milliseconds. */
const namesBatch = 500

export const createBrands = (database: Database): Brands => {
  const name = database.dialect.jsonText('b."body"', ['name'])

  const namesOf = (slugs: readonly string[]): Query => ({
    text: [
      `select o."slug", ${name}`,
      `from ${database.dialect.textsIn('?1', 'wanted')}`,
      'join "selvedge_owners" as o on o."slug" = wanted."value"',
      'join "brand" as b on b."owner" = o."owner"',
      'order by o."slug"',
    ].join('\n'),
    values: [JSON.stringify(slugs)],
  })
  const namesAfter = (slug: string): Query => ({
    text: [
      `select o."slug", ${name}`,
      'from "selvedge_owners" as o',
      'join "brand" as b on b."owner" = o."owner"',
      'where o."slug" > ?1',
      'order by o."slug"',
      `limit ${namesBatch}`,
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
      const [records = [], totals = []] = await database.read([recordsQuery, totalsQuery])
      const totalByOwner = new Map(totals.map(([owner, total]) => [Number(owner), Number(total)]))
      const shared = totalByOwner.get(sharedNumber) ?? 0
      return records.map(([slug, body]) => {
        const own = totalByOwner.get(ownerNumber(slug as string)) ?? 0
        const record = JSON.parse(body as string) as { name: string }
        return { slug: slug as string, name: record.name, records: own + shared, own }
      })
    },
    names: async (slugs) => {
      const names: BrandName[] = []
      /** Reads a batch, and lets other requests have their turn. */
      const add = async (query: Query) => {
        const [rows = []] = await database.read([query])
        for (const row of rows) names.push({ slug: row[0] as string, name: row[1] as string })
        await nextTurn()
        return rows.at(-1)?.[0] as string | undefined
      }
      if (slugs) {
        const wanted = [...slugs].sort()
        for (let from = 0; from < wanted.length; from += namesBatch) {
          await add(namesOf(wanted.slice(from, from + namesBatch)))
        }
        return names
      }
      for (let after: string | undefined = ''; after !== undefined; ) {
        after = await add(namesAfter(after))
      }
      return names
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

const totalsQuery: Query = {
  text: 'select "owner", sum("total") from "selvedge_collections" group by "owner"',
  values: [],
}
