import type { Resource } from '#contract'
import type { Database, IsCancelled } from '#database'
import { type Body, decodeBody } from '../read/body.ts'
import { dependencyOf } from '../read/change-tracker.ts'
import { compileFeedState } from '../read/feed-query.ts'
import type { Reserve } from '../read/list.ts'
import type { State } from '../read/state.ts'
import { ownerNumber, ownerOf } from '../schema/owners.ts'
import type { Key, Table } from '../schema/tables.ts'
import { cutText } from '../search-index/entries.ts'
import { searchableTables, searchedValues, splitIdentity } from '../search-index/search-table.ts'
import {
  type Candidate,
  type CandidateReader,
  createLongReader,
  createShortReader,
  nameOf,
  ReadInSteps,
  type Values,
} from './candidate-reader.ts'
import { createLookups, type FoundEntry, type Lookup, readFound } from './lookup.ts'
import {
  compareKinds,
  compareMatches,
  compareTexts,
  isNumberMatch,
  type Match,
  matchEntry,
  matchScattered,
  matchWhole,
  matchWords,
} from './match.ts'
import { parseTerms, type SearchTerms } from './terms.ts'

export interface SearchRequest {
  readonly brand: string
  readonly query: string
  readonly limit: number
  /** The collections to search; null for all. */
  readonly groups: readonly Resource[] | null
  readonly reserve?: Reserve | undefined
  readonly isCancelled?: IsCancelled | undefined
}

/** A record that was found, and the value that matched. */
export interface SearchResult {
  readonly resource: Resource
  readonly identity: Key
  readonly body: Body
  /** The parsed body. */
  readonly record: unknown
  readonly match: Match
  readonly field: string
  readonly value: string
}

/** The best matches first, all from one snapshot. */
export interface SearchResults extends State {
  readonly results: readonly SearchResult[]
  /** Whether these are all matches; false if more or better ones may exist beyond those compared. */
  readonly isComplete: boolean
}

export interface Search {
  find(request: SearchRequest): Promise<SearchResults>
  /** Reads the state that results depend on, without searching. */
  state(request: Pick<SearchRequest, 'brand' | 'groups'>): Promise<State>
}

export interface SearchParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Records that are compared with what the index does not have: other words, the end of a value. */
const comparedMax = 200
/** Maximum per collection and word. */
const comparedOfEachMax = 50

/** A candidate that matches. */
interface Hit extends Candidate {
  readonly match: Match
}

interface ReadHit extends Hit, SearchResult {}

export const createSearch = ({ database, tables }: SearchParts): Search => {
  const { dialect } = database
  const searchable = searchableTables(tables)
  const compileInAll = createLookups(searchable, dialect)
  const positions = new Map([...tables.values()].map((table, index) => [table, index]))

  const parseState = (
    { brand, groups }: Pick<SearchRequest, 'brand' | 'groups'>,
    row: readonly unknown[] | undefined,
  ): State => ({
    version: String(row?.[0] ?? 0),
    readState: {
      change: Number(row?.[1] ?? 0),
      dependencies: (groups ?? [...searchable.values()].map(({ resource }) => resource)).map(
        (resource) => dependencyOf(ownerOf(resource, brand), resource.path),
      ),
    },
  })

  /** Looks up several texts at once. */
  const lookUp = async (
    { read }: CandidateReader,
    { brand, groups }: SearchRequest,
    lookups: readonly Lookup[],
  ): Promise<{ readonly entries: readonly FoundEntry[]; readonly isAll: boolean }> => {
    const searched = groups
      ? new Map([...searchable].filter(([, { resource }]) => groups.includes(resource)))
      : searchable
    if (searched.size === 0) return { entries: [], isAll: true }
    const compile = groups ? createLookups(searched, dialect) : compileInAll
    const results = await read(
      lookups.map((each) => compile({ ...each, limit: each.limit + 1 }, brand)),
    )
    const entries: FoundEntry[] = []
    let isAll = true
    for (const [index, { limit }] of lookups.entries()) {
      const all = (results[index] ?? []).map((row) => readFound(row, searched))
      for (const list of Map.groupBy(all, ({ table }) => table).values()) {
        entries.push(...list.slice(0, limit))
        if (list.length > limit) isAll = false
      }
    }
    return { entries, isAll }
  }

  /** Records of the brand come before equally good ones that all brands share. */
  const compareHits = (one: Hit, other: Hit): number =>
    compareKinds(one.match, other.match) ||
    Number(isShared(one)) - Number(isShared(other)) ||
    compareTexts(one.match, other.match)

  const isBetter = (one: Hit, other: Hit): number =>
    compareHits(one, other) ||
    (positions.get(one.table) ?? 0) - (positions.get(other.table) ?? 0) ||
    Buffer.compare(one.key, other.key)

  /**
   * Sorts the best hits first. Equally good hits alternate between collections: a container number
   * finds the leg that has it before the second of its cartons.
   */
  const inOrder = <Each extends Hit>(hits: Iterable<Each>): readonly Each[] => {
    const counts = new Map<string, number>()
    const numbered = [...hits].toSorted(isBetter).map((hit) => {
      const { order, differsLater, text } = hit.match
      const same = `${order} ${differsLater} ${hit.table.name} ${text}`
      const turn = counts.get(same) ?? 0
      counts.set(same, turn + 1)
      return { hit, turn }
    })
    return numbered
      .toSorted(
        (one, other) =>
          compareHits(one.hit, other.hit) || one.turn - other.turn || isBetter(one.hit, other.hit),
      )
      .map(({ hit }) => hit)
  }

  /** Reads the candidates' records and keeps those that match. */
  const readHits = async (
    reader: CandidateReader,
    candidates: readonly Candidate[],
    matchOf: (values: Values) => Match | null,
  ): Promise<readonly ReadHit[]> => {
    const bodies = await reader.bodies(candidates)
    return candidates.flatMap((candidate) => {
      const body = bodies.get(candidate)
      return (body && readHit(candidate, body, matchOf)) ?? []
    })
  }

  /** Reads the searchable values of the first hits, and keeps those that match. */
  const compareValues = async (
    reader: CandidateReader,
    hits: readonly Candidate[],
    matchOf: (values: Values) => Match | null,
  ): Promise<readonly Hit[]> => {
    const compared = hits.slice(0, comparedMax)
    const values = await reader.values(compared)
    const matching = compared.flatMap((candidate): readonly Hit[] => {
      const own = values.get(candidate)
      const match = own && matchOf(own)
      return match ? [{ table: candidate.table, key: candidate.key, match }] : []
    })
    return inOrder(matching)
  }

  /**
   * Finds records that match the whole query. The index determines the best ones, unless values may
   * be longer than what it has of them.
   */
  const findWhole = async (
    reader: CandidateReader,
    request: SearchRequest,
    terms: SearchTerms,
  ): Promise<Found> => {
    const { limit } = request
    const best = new Map<string, Hit>()
    const most = terms.isCut ? comparedMax : limit
    const lookups = terms.wholes.map((prefix) => ({ prefix, limit: most, containing: [] }))
    const { entries, isAll } = await lookUp(reader, request, lookups)
    for (const entry of entries) addHit(best, entry, terms)
    const indexed = inOrder(best.values())
    const matchOf = (values: Values) => matchWhole(values, terms)
    const hits = terms.isCut ? await compareValues(reader, indexed, matchOf) : indexed
    const results = await readHits(reader, hits.slice(0, limit), matchOf)
    // A record may match better by an entry that was not read.
    return { results: inOrder(results), isComplete: isAll && indexed.length <= limit }
  }

  /**
   * Finds records that contain all words of the query, in one value or in any of them, best first.
   * Reads only searchable values, because few of many records are shown.
   */
  const findWords = async (
    reader: CandidateReader,
    request: SearchRequest,
    terms: SearchTerms,
    matchOf: typeof matchWords,
  ): Promise<{ readonly hits: readonly Hit[]; readonly isComplete: boolean }> => {
    const { drivers, pairs } = terms
    const lookups =
      matchOf === matchWords
        ? [...pairs, ...drivers.map((word) => [word])].map((words) => ({
            prefix: cutText(words.join(' ')),
            limit: request.limit,
            containing: drivers.filter((word) => !words.includes(word)),
          }))
        : drivers.map((prefix) => ({ prefix, limit: comparedOfEachMax, containing: [] }))
    const { entries, isAll } = await lookUp(reader, request, lookups)
    const candidates = new Map(entries.map((entry) => [nameOf(entry), entry]))
    const hits = await compareValues(reader, [...candidates.values()], (values) =>
      matchOf(values, terms),
    )
    return { hits, isComplete: isAll && candidates.size <= comparedMax }
  }

  const find = async (
    reader: CandidateReader,
    request: SearchRequest,
    terms: SearchTerms,
  ): Promise<Found> => {
    const { limit } = request
    const whole = await findWhole(reader, request, terms)
    const [best] = whole.results
    const isNumber = best !== undefined && isNumberMatch(best.match)
    if (terms.drivers.length === 0 || isNumber || whole.results.length >= limit) return whole
    /** Adds as many hits as fit within the limit. */
    const withHits = async (
      { hits, isComplete }: Awaited<ReturnType<typeof findWords>>,
      match: typeof matchWords,
    ): Promise<Found> => {
      const wholeNames = new Set(whole.results.map(nameOf))
      const others = hits.filter((hit) => !wholeNames.has(nameOf(hit)))
      const shown = others.slice(0, limit - whole.results.length)
      const results = await readHits(reader, shown, (values) => match(values, terms))
      return {
        results: [...whole.results, ...results],
        isComplete: whole.isComplete && isComplete && shown.length === others.length,
      }
    }
    const inOne = await withHits(await findWords(reader, request, terms, matchWords), matchWords)
    if (inOne.results.length > 0) return inOne
    return withHits(await findWords(reader, request, terms, matchScattered), matchScattered)
  }

  /**
   * Two or three short reads, which suffice for almost every search. Each returns the state it has
   * seen. If the states differ, everything is read again in steps.
   */
  const findBriefly = async (
    request: SearchRequest,
    terms: SearchTerms,
  ): Promise<SearchResults> => {
    const { brand, groups } = request
    let state: State | null = null
    const read: CandidateReader['read'] = async (queries) => {
      const all = [...queries, compileFeedState(brand, groups)]
      const results = await database.read(all, ownerNumber(brand), { isBrief: true })
      const seen = parseState(request, results.at(-1)?.[0])
      if (state && state.version !== seen.version) throw new ReadInSteps()
      state ??= seen
      return results.slice(0, -1)
    }
    const reader = createShortReader({ read, dialect, brand })
    const results = await find(reader, request, terms)
    return { ...results, ...(state ?? parseState(request, undefined)) }
  }

  const findInSteps = (request: SearchRequest, terms: SearchTerms): Promise<SearchResults> =>
    database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
      const [row] = await steps.all(compileFeedState(request.brand, request.groups))
      const reader = createLongReader({ steps, dialect, request })
      const results = await find(reader, request, terms)
      return { ...results, ...parseState(request, row) }
    })

  return {
    find: async (request) => {
      const terms = parseTerms(request.query)
      if (!terms) return { results: [], isComplete: true, ...(await stateOf(request)) }
      try {
        return await findBriefly(request, terms)
      } catch (error) {
        if (!(error instanceof ReadInSteps)) throw error
        return findInSteps(request, terms)
      }
    },
    state: stateOf,
  }

  async function stateOf(request: Pick<SearchRequest, 'brand' | 'groups'>): Promise<State> {
    const { brand, groups } = request
    const results = await database.read([compileFeedState(brand, groups)], ownerNumber(brand))
    return parseState(request, results[0]?.[0])
  }
}

const isShared = ({ table }: Candidate): boolean => table.resource.scope === 'shared'

type Found = Pick<SearchResults, 'isComplete'> & { readonly results: readonly ReadHit[] }

/** Adds a record by one of its entries, unless it was found by a better one. */
const addHit = (
  best: Map<string, Hit>,
  { table, key, rank, text }: FoundEntry,
  terms: SearchTerms,
): void => {
  const match = matchEntry({ rank, text, value: 0 }, terms)
  const name = nameOf({ table, key })
  const other = best.get(name)?.match
  if (match && (!other || compareMatches(match, other) < 0)) best.set(name, { table, key, match })
}

/** A candidate with its record; null if the record does not match. */
const readHit = (
  { table, key: bytes }: Candidate,
  body: Body,
  matchOf: (values: Values) => Match | null,
): ReadHit | null => {
  const { resource } = table
  const record: unknown = JSON.parse(decodeBody(body))
  const values = searchedValues(resource, record)
  const match = matchOf(values)
  return (
    match && {
      table,
      key: bytes,
      match,
      resource,
      identity: splitIdentity(table, bytes),
      body,
      record,
      field: resource.searchable[match.value] ?? '',
      value: values[match.value] ?? '',
    }
  )
}
