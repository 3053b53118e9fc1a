import type { Dialect, Query, Row } from '#database'
import { asInteger } from '../schema/collection-stats.ts'
import { ownerNumber, ownerOf, sharedNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import type { Rank } from '../search-index/entries.ts'
import { searchTable } from '../search-index/search-table.ts'

/** The searched tables, by their numbers in the index. */
export type SearchedTables = ReadonlyMap<number, Table>

/** Finds entries with a prefix in each of the searched collections. */
export interface Lookup {
  readonly prefix: string
  /** Maximum entries per collection; the first ones in text order. */
  readonly limit: number
  /** Texts that entries must also contain, among the first `scannedMax` of each collection. */
  readonly containing: readonly string[]
}

export interface FoundEntry {
  readonly table: Table
  readonly rank: Rank
  readonly text: string
  readonly key: Uint8Array
}

/** Entries of a collection that are compared with other words: about a millisecond of work. */
const scannedMax = 1_000

/** Sorts after every text with the same prefix: no entry contains this character. */
const lastCharacter = '\u{10ffff}'

/**
 * Compiles lookups in some collections. Each collection has its own limit, so that a number that
 * thousands of cartons share does not hide the shipment that has it too. Caches the statements,
 * which are long and depend only on how many other words are compared.
 */
export const createLookups = (tables: SearchedTables, dialect: Dialect) => {
  const texts = new Map<number, string>()
  const textOf = (containing: number): string => {
    const existing = texts.get(containing)
    if (existing !== undefined) return existing
    const text = dialect.joinsLaterally
      ? lateralText(containing, dialect)
      : unitedText(tables, containing, dialect)
    texts.set(containing, text)
    return text
  }
  return ({ prefix, limit, containing }: Lookup, brand: string): Query => {
    const range = [prefix, prefix + lastCharacter, limit, ...containing]
    const searched = () =>
      JSON.stringify(
        [...tables].map(([number, { resource }]) =>
          JSON.stringify({ number, owner: ownerOf(resource, brand) }),
        ),
      )
    const owners = dialect.joinsLaterally ? [searched()] : [ownerNumber(brand), sharedNumber]
    return { text: textOf(containing.length), values: [...owners, ...range] }
  }
}

const unitedText = (tables: SearchedTables, containing: number, dialect: Dialect): string =>
  [...tables]
    .map(([number, { resource }]) => {
      const owner = resource.scope === 'shared' ? '?2' : '?1'
      return `select * from (${lookupText(owner, String(number), 3, containing, dialect)})`
    })
    .join('\nunion all\n')

const lateralText = (containing: number, dialect: Dialect): string => {
  const collection = asInteger(dialect.jsonText('c."value"', ['number']), dialect)
  const owner = asInteger(dialect.jsonText('c."value"', ['owner']), dialect)
  return [
    'select n.*',
    `from ${dialect.textsIn('?1', 'c')}`,
    `cross join lateral (${lookupText(owner, collection, 2, containing, dialect)}) as n`,
  ].join('\n')
}

/** The entries of one collection. `first` is the number of the parameter that begins its range. */
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
  const conditions = Array.from({ length: containing }, (_, index) =>
    dialect.contains('e."text"', `?${first + 3 + index}`),
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
