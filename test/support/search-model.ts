/** Search as a plain evaluation over records in memory, and what the index has to hold. */
import assert from 'node:assert/strict'
import { type Catalog, type Resource, valueAt } from '#contract'
import type { Database } from '#database'
import { tablesOf } from '../../src/store/schema/tables.ts'
import {
  compareMatches,
  isNumberMatch,
  type Match,
  matchScattered,
  matchWhole,
  matchWords,
} from '../../src/store/search/match.ts'
import type { SearchResults } from '../../src/store/search/search.ts'
import { parseTerms, type SearchTerms } from '../../src/store/search/terms.ts'
import { searchEntries } from '../../src/store/search-index/entries.ts'
import { collectionNumber, identityBytes } from '../../src/store/search-index/search-table.ts'

export type Records = ReadonlyMap<Resource, readonly object[]>

const valuesOf = ({ searchable }: Resource, record: object) =>
  searchable.map((field) => valueAt(record, field) as string | null)

const identityOf = ({ key }: Resource, record: object) =>
  key.map((field) => String(valueAt(record, field)))

interface Hit {
  readonly resource: Resource
  readonly record: object
  readonly match: Match
}

/** All results of a query, in order, each as its collection and identity. */
export const searchModel = (
  catalog: Catalog,
  records: Records,
  query: string,
): readonly string[] => {
  const terms = parseTerms(query)
  if (!terms) return []
  const hitsBy = (
    matchOf: (values: readonly (string | null)[], terms: SearchTerms) => Match | null,
  ) =>
    [...records].flatMap(([resource, own]) =>
      own.flatMap((record): readonly Hit[] => {
        const match = matchOf(valuesOf(resource, record), terms)
        return match ? [{ resource, record, match }] : []
      }),
    )
  const whole = hitsBy(matchWhole)
  const best = whole.some(({ match }) => isNumberMatch(match))
    ? whole
    : hitsBy((values) => matchWhole(values, terms) ?? matchWords(values, terms))
  const hits = best.length > 0 ? best : hitsBy(matchScattered)
  return fromEachGroup(catalog, hits).map(nameOf)
}

const nameOf = ({ resource, record }: Pick<Hit, 'resource' | 'record'>) =>
  [resource.path, ...identityOf(resource, record)].join(' ')

/** By kind, those of the brand before those that all share, then the shorter text. */
const compareHits = (one: Hit, other: Hit): number => {
  const [left, right] = [one, other].map(({ match, resource }) => ({
    ...match,
    order: match.order * 4 + Number(match.differsLater) * 2 + Number(resource.scope === 'shared'),
    differsLater: false,
  })) as [Match, Match]
  return compareMatches(left, right)
}

/** Equally good hits: the first of each collection, then the second of each. */
const fromEachGroup = (catalog: Catalog, hits: readonly Hit[]): readonly Hit[] => {
  const sorted = hits.toSorted(
    (one, other) =>
      compareHits(one, other) ||
      catalog.resources.indexOf(one.resource) - catalog.resources.indexOf(other.resource) ||
      (identityOf(one.resource, one.record).join() < identityOf(other.resource, other.record).join()
        ? -1
        : 1),
  )
  const result: Hit[] = []
  for (const equal of groupEqual(sorted)) {
    const lists = [...Map.groupBy(equal, ({ resource }) => resource).values()]
    for (let turn = 0; turn < equal.length; turn += 1) {
      for (const list of lists) result.push(...list.slice(turn, turn + 1))
    }
  }
  return result
}

const groupEqual = (hits: readonly Hit[]): readonly (readonly Hit[])[] => {
  const groups: Hit[][] = []
  for (const hit of hits) {
    const last = groups.at(-1)
    if (last?.[0] && compareHits(last[0], hit) === 0) last.push(hit)
    else groups.push([hit])
  }
  return groups
}

/** Results in the same form. */
export const namesOf = ({ results }: SearchResults): readonly string[] =>
  results.map(({ resource, identity }) => [resource.path, ...identity].join(' '))

/** Asserts that the index holds exactly the entries of the stored records, of every owner. */
export const assertIndex = async (database: Database, catalog: Catalog): Promise<void> => {
  const expected: string[] = []
  for (const table of tablesOf(catalog).values()) {
    const { name, resource } = table
    const query = { text: `select "owner", "body" from "${name}"`, values: [] }
    const [rows = []] = await database.read([query])
    for (const [owner, body] of rows) {
      const record = JSON.parse(body as string)
      const key = Buffer.from(identityBytes(table, identityOf(resource, record)))
      for (const { rank, text } of searchEntries(valuesOf(resource, record))) {
        const place = [owner, collectionNumber(resource.path), rank, text]
        expected.push([...place, key.toString('hex')].join(' '))
      }
    }
  }
  const [rows = []] = await database.read([
    {
      text: 'select "owner", "collection", "rank", "text", "key" from "selvedge_search"',
      values: [],
    },
  ])
  const stored = rows.map(([owner, collection, rank, text, key]) =>
    [owner, collection, rank, text, Buffer.from(key as Uint8Array).toString('hex')].join(' '),
  )
  assert.deepEqual(stored.sort(), expected.sort())
}
