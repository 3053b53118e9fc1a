import type { Catalog } from '#contract'
import { type Database, type Query, quote, type Row } from '#database'
import { sharedNumber, sharedOwner } from '../schema/owners.ts'
import { tablesOf } from '../schema/tables.ts'

/** Numbers of records by owner, which is a brand or `sharedOwner`, and collection; none is 0. */
export interface RecordCounts {
  readonly [owner: string]: { readonly [collection: string]: number }
}

/** A database of which one state is read. */
export interface CountedDatabase {
  readonly tables: Database['tables']
  readonly all: (query: Query) => Promise<readonly Row[]>
}

/** The stored totals of all collections. */
export const readTotals = async (database: CountedDatabase): Promise<RecordCounts> => {
  if (!(await database.tables()).has('selvedge_owners')) return {}
  const rows = await database.all({
    text: `select "owner", "collection", "total"
      from "selvedge_collections"
      where "total" > 0
      order by "owner", "collection"`,
    values: [],
  })
  return countsOf(rows, await readSlugs(database))
}

/** Counts the rows of all collections. */
export const countRecords = async (
  catalog: Catalog,
  database: CountedDatabase,
): Promise<RecordCounts> => {
  const existing = await database.tables()
  if (!existing.has('selvedge_owners')) return {}
  const rows: Row[] = []
  for (const { name, resource } of tablesOf(catalog).values()) {
    if (!existing.has(name)) continue
    const counted = await database.all({
      text: `select "owner", count(*)
        from ${quote(name)}
        group by "owner"`,
      values: [],
    })
    rows.push(...counted.map(([owner, count]) => [owner, resource.path, count] as Row))
  }
  return countsOf(rows, await readSlugs(database))
}

const readSlugs = async ({ all }: CountedDatabase): Promise<ReadonlyMap<number, string>> => {
  const rows = await all({ text: 'select "owner", "slug" from "selvedge_owners"', values: [] })
  return new Map([
    ...rows.map(([owner, slug]) => [Number(owner), String(slug)] as const),
    [sharedNumber, sharedOwner] as const,
  ])
}

/** In an order that does not depend on the engine. */
const countsOf = (rows: readonly Row[], slugs: ReadonlyMap<number, string>): RecordCounts => {
  const counts = new Map<string, [string, number][]>()
  for (const [number, collection, count] of rows) {
    const owner = slugs.get(Number(number)) ?? `owner ${number}`
    const own = counts.get(owner) ?? []
    own.push([String(collection), Number(count)])
    counts.set(owner, own)
  }
  return Object.fromEntries(
    sorted([...counts]).map(([owner, own]) => [owner, Object.fromEntries(sorted(own))]),
  )
}

const sorted = <E extends readonly [string, unknown]>(entries: readonly E[]): readonly E[] =>
  entries.toSorted(([one], [other]) => (one < other ? -1 : 1))
