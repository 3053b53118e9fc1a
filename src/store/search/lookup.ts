import type { Dialect, Query, Row } from '#database'
import { asInteger } from '../schema/collection-stats.ts'
import { ownerNumber, ownerOf, sharedNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import type { Rank } from './entries.ts'
import { searchTable } from './search-table.ts'

/** The tables that are searched, by their numbers in the index. */
export type SearchedTables = ReadonlyMap<number, Table>

/** Entries that begin with a text, in each of the searched collections. */
export interface Lookup {
  readonly prefix: string
  /** Entries of each collection that are read; the first ones in the order of their texts. */
  readonly limit: number
  /** Texts that entries have to contain as well: among the first `scannedMax` of each collection. */
  readonly containing: readonly string[]
}

/** An entry that was found. */
export interface FoundEntry {
  readonly table: Table
  readonly rank: Rank
  readonly text: string
  readonly key: Uint8Array
}

/** Entries of a collection that are compared with other words: about a millisecond's work. */
const scannedMax = 1_000

/** After every text that begins with another: no entry has this character. */
const lastCharacter = '\u{10ffff}'

/**
 * The query of a look-up. Each collection has its own limit, so that a number that thousands of
 * cartons share does not hide the shipment that has it too.
 */
export const compileLookup = (
  { prefix, limit, containing }: Lookup,
  tables: SearchedTables,
  brand: string,
  dialect: Dialect,
): Query => {
  const owners = [ownerNumber(brand), sharedNumber]
  const range = [prefix, prefix + lastCharacter, limit, ...containing]
  const numbers = [...tables].map(([number, { resource }]) => ({
    number: String(number),
    owner: resource.scope === 'shared' ? '?2' : '?1',
  }))
  if (!dialect.joinsLaterally) {
    const texts = numbers.map(({ number, owner }) =>
      lookupText(owner, number, 3, containing.length, dialect),
    )
    const text = texts.map((each) => `select * from (${each})`).join('\nunion all\n')
    return { text, values: [...owners, ...range] }
  }
  const collection = asInteger(dialect.jsonText('c."value"', ['number']), dialect)
  const owner = asInteger(dialect.jsonText('c."value"', ['owner']), dialect)
  const searched = [...tables].map(([number, { resource }]) =>
    JSON.stringify({ number, owner: ownerOf(resource, brand) }),
  )
  const text = [
    'select n.*',
    `from ${dialect.textsIn('?1', 'c')}`,
    `cross join lateral (${lookupText(owner, collection, 2, containing.length, dialect)}) as n`,
  ].join('\n')
  return { text, values: [JSON.stringify(searched), ...range] }
}

/** The entries of one collection. Its range begins with the parameter of this number. */
const lookupText = (
  owner: string,
  collection: string,
  first: number,
  containing: number,
  dialect: Dialect,
): string => {
  const limit = dialect.limit(`?${first + 2}`)
  const entries = [
    `select ${collection} as "collection", s."rank", s."text", s."key"`,
    `from "${searchTable}" as s`,
    `where s."owner" = ${owner} and s."collection" = ${collection}`,
    `and s."text" >= ?${first} and s."text" < ?${first + 1}`,
    'order by s."text", s."key"',
    `limit ${containing > 0 ? scannedMax : limit}`,
  ].join('\n')
  if (containing === 0) return entries
  const conditions = Array.from(
    { length: containing },
    // A pattern that is a bare parameter would make SQLite prepare the statement at every execution.
    (_, index) => `e."text" like ('%' || ?${first + 3 + index} || '%')`,
  )
  return [
    'select e.*',
    `from (${entries}) as e`,
    `where ${conditions.join(' and ')}`,
    'order by e."text", e."key"',
    `limit ${limit}`,
  ].join('\n')
}

export const readFound = (row: Row, tables: SearchedTables): FoundEntry => {
  const [collection, rank, text, key] = row
  return {
    table: tables.get(Number(collection)) as Table,
    rank: Number(rank) as Rank,
    text: text as string,
    key: key as Uint8Array,
  }
}
