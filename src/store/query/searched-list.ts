import type { Database, Query, Steps } from '#database'
import { noBody } from '../read/body.ts'
import { compareKeys, readKey } from '../read/list.ts'
import { compileStates, parseState, readState, readStates } from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Key } from '../schema/tables.ts'
import { type Driver, identityDriver, isDistinct, keysDriver } from './access.ts'
import type { CountedLists, SearchedCount } from './counted-list.ts'
import type { FoundPage, PageAfter, PageFinder } from './found-page.ts'
import { type QueryPlan, rangeOf, searchBy, shortMax, versionOf } from './query-plan.ts'
import type { Position, QueryPage, QueryRequest } from './request.ts'
import { comparePositions } from './sort-order.ts'
import {
  compileCount,
  compilePositions,
  compileProbe,
  compileStoredCount,
  gatheredPage,
  keysPage,
  type Search,
  walkedPage,
} from './statements.ts'
import type { WideLists } from './wide-list.ts'

export interface SearchedListsParts {
  readonly database: Database
  readonly counts: CountedLists
  readonly finder: PageFinder
  readonly wide: WideLists
}

/** Reads lists whose pages are found by short statements. */
export interface SearchedLists {
  /** Reads the records of `ids`; the request limits how many. */
  readIds(plan: QueryPlan, request: QueryRequest, ids: readonly Key[]): Promise<QueryPage>
  /** The same in the snapshot of `steps`. */
  readIdsIn(
    steps: Steps,
    plan: QueryPlan,
    request: QueryRequest,
    ids: readonly Key[],
  ): Promise<QueryPage>
  /** Reads a page of a list without conditions. */
  readAll(plan: QueryPlan, request: QueryRequest): Promise<QueryPage>
  /** Reads a page of a list with a cached count; null if it must be counted again. */
  readCounted(plan: QueryPlan, request: QueryRequest): Promise<QueryPage | null>
  /** Reads a page of a list without a cached count; null if every condition matches many records. */
  readUncounted(plan: QueryPlan, request: QueryRequest): Promise<QueryPage | null>
}

/** A search that compares few records, their number, and the version in which it was counted. */
interface FewRecords {
  readonly search: Search
  readonly size: number
  readonly version: string
}

export const createSearchedLists = (parts: SearchedListsParts): SearchedLists => {
  const { database, counts, finder, wide } = parts
  const { find } = finder

  const readIds = async (
    plan: QueryPlan,
    request: QueryRequest,
    ids: readonly Key[],
  ): Promise<QueryPage> => {
    const { target, order, conditions } = plan
    const search = searchBy(conditions, keysDriver(ids))
    const all = gatheredPage(search, { order, after: null, take: ids.length })
    const { textOf } = pageAfter(plan, request, keysDriver(ids))
    const beside = [compilePositions(target, all, order)]
    const result = await find(plan, request, { form: null, textOf }, beside)
    const present = (result.beside[0] ?? []).map((row) => readKey(row, target.table))
    return { ...pageOf(request, result, present.length), missing: missingOf(ids, present) }
  }

  const readIdsIn = async (
    steps: Steps,
    plan: QueryPlan,
    request: QueryRequest,
    ids: readonly Key[],
  ): Promise<QueryPage> => {
    const { target, order, conditions, dependencies } = plan
    const { state } = await readStates(steps, dependencies, request)
    const search = searchBy(conditions, keysDriver(ids))
    const all = { order, after: null, take: ids.length }
    const positions = await finder.readPositions(steps, plan, gatheredPage(search, all))
    const compare = comparePositions(order)
    const { after, limit } = request
    const rest = after ? positions.filter((each) => compare(each, after) > 0) : positions
    const shown = rest.slice(0, limit + 1)
    const result = await finder.readShown(steps, target.table, request, shown)
    const present = positions.map(({ key }) => key)
    const page = pageOf(request, { ...result, state }, present.length)
    return { ...page, missing: missingOf(ids, present) }
  }

  /** Reads a page by cached ordered identities; null if there are none or the list has changed. */
  const readOrdered = async (
    plan: QueryPlan,
    request: QueryRequest,
    { version, total }: SearchedCount,
  ): Promise<QueryPage | null> => {
    const keys = wide.orderedKeys(plan, request, version)
    if (!keys) return null
    const result = await find(plan, request, { form: null, textOf: () => keysPage(keys) })
    return versionOf(plan, result.state) === version ? pageOf(request, result, total) : null
  }

  const readCounted = async (plan: QueryPlan, request: QueryRequest): Promise<QueryPage | null> => {
    const entry = counts.get(plan.name)
    if (entry?.kind !== 'searched') return null
    const inOrder = await readOrdered(plan, request, entry)
    if (inOrder) return inOrder
    const isEmpty = isKnownEmpty(plan, request, entry)
    if (isEmpty || entry.few) {
      // The driver may find many records by now.
      const state = await readState(database, plan.dependencies, request.brand)
      const isCurrent = versionOf(plan, state) === entry.version
      if (!isCurrent) {
        counts.delete(plan.name)
        return null
      }
      if (isEmpty) {
        return { ...state, items: noBody, count: 0, next: null, total: entry.total, missing: [] }
      }
    }
    const { walk } = plan
    if (!walk && !entry.few) return wide.read(plan, request, entry.driver)
    const result = await find(plan, request, pageAfter(plan, request, entry.few))
    if (versionOf(plan, result.state) !== entry.version) {
      counts.delete(plan.name)
      return null
    }
    return isComplete(plan, request, result, entry)
      ? pageOf(request, result, entry.total)
      : wide.read(plan, request, entry.driver)
  }

  /** The driver that finds few records; null if every driver finds many. */
  const findFew = async (plan: QueryPlan, request: QueryRequest): Promise<FewRecords | null> => {
    const { target, drivers, conditions, dependencies } = plan
    const searches = drivers.map((driver) => searchBy(conditions, driver))
    // The last driver finds the whole collection, whose total is stored.
    const results = await database.read(
      [
        ...searches
          .slice(0, -1)
          .map((search) => compileProbe(target, search.driver, shortMax(search, target) + 1)),
        ...compileStates(dependencies, request),
      ],
      ownerNumber(request.brand),
    )
    const states = results.slice(drivers.length - 1)
    const sizeOf = (index: number): number =>
      Number(results[index]?.[0]?.[index === drivers.length - 1 ? 1 : 0] ?? 0)
    const few = searches
      .map((search, index) => ({ search, size: sizeOf(index) }))
      .filter(({ search, size }) => size <= shortMax(search, target))
    const [smallest] = few.sort((one, other) => one.size - other.size)
    if (!smallest) return null
    return {
      ...smallest,
      version: versionOf(plan, parseState(dependencies, request.brand, states)),
    }
  }

  /** Reads a page of a list of few records, with its total. */
  const readFew = async (
    plan: QueryPlan,
    request: QueryRequest,
    { search, size, version: countedVersion }: FewRecords,
  ): Promise<QueryPage> => {
    const { target, walk } = plan
    const { driver } = search
    const isCounted = search.others.length === 0 && driver.stretches.every(isDistinct)
    const few = walk?.others.length === 0 ? null : driver
    const read = (beside: readonly Query[]) =>
      find(plan, request, pageAfter(plan, request, few), beside)
    const uncounted = isCounted ? await read([]) : null
    // Another commit may have followed the count.
    const isCurrent = uncounted !== null && versionOf(plan, uncounted.state) === countedVersion
    const result = isCurrent ? uncounted : await read([compileCount(target, search)])
    const total = isCurrent ? size : Number(result.beside[0]?.[0]?.[0] ?? 0)
    const version = versionOf(plan, result.state)
    counts.set(plan.name, { kind: 'searched', version, total, few, driver, last: null })
    return pageOf(request, result, total)
  }

  /**
   * Reads a page of a list whose total is a sum of stored totals; null if the window does not
   * contain the whole page.
   */
  const readStored = async (
    plan: QueryPlan,
    request: QueryRequest,
    driver: Driver,
  ): Promise<QueryPage | null> => {
    const count = compileStoredCount(plan.target, driver)
    const result = await find(plan, request, pageAfter(plan, request, null), [count])
    const total = Number(result.beside[0]?.[0]?.[0] ?? 0)
    const version = versionOf(plan, result.state)
    counts.set(plan.name, { kind: 'searched', version, total, few: null, driver, last: null })
    return isComplete(plan, request, result, { few: null, total })
      ? pageOf(request, result, total)
      : null
  }

  return {
    readIds,
    readIdsIn,
    readAll: async (plan, request) => {
      const result = await find(plan, request, pageAfter(plan, request, null))
      return pageOf(request, result, result.collectionTotal)
    },
    readCounted,
    readUncounted: async (plan, request) => {
      const few = await findFew(plan, request)
      if (few) return readFew(plan, request, few)
      const stored = plan.walk && storedDriver(plan)
      return stored && readStored(plan, request, stored)
    },
  }
}

const missingOf = (ids: readonly Key[], present: readonly Key[]): readonly Key[] => {
  const existing = new Set(present.map((key) => JSON.stringify(key)))
  return ids.filter((key) => !existing.has(JSON.stringify(key)))
}

/** The page of a request: gathered from few records, or walked along the index of its order. */
const pageAfter = (plan: QueryPlan, request: QueryRequest, few: Driver | null): PageAfter => {
  const { walk, conditions, target } = plan
  const rangeFrom = (after: Position | null) => rangeOf(plan, { after, limit: request.limit })
  if (few || !walk) {
    const search = searchBy(conditions, few ?? identityDriver)
    return { form: null, textOf: (after) => gatheredPage(search, rangeFrom(after)) }
  }
  const window = walk.others.length > 0 ? shortMax(walk, target) : null
  return {
    form: String(request.limit),
    textOf: (after) => walkedPage(walk, rangeFrom(after), window),
  }
}

/** Whether a page is known to be empty: the list is, or the page begins after the last record. */
const isKnownEmpty = (
  { order }: QueryPlan,
  { after }: QueryRequest,
  { total, last }: SearchedCount,
): boolean => {
  if (total === 0) return true
  const isAfter = (key: Key) => after !== null && compareKeys(after.key, key) >= 0
  return order.value === null && last !== null && isAfter(last)
}

/** Whether a page is complete: a walk may have stopped at the end of its window. */
const isComplete = (
  { walk }: QueryPlan,
  { limit }: QueryRequest,
  { count }: FoundPage,
  { few, total }: Pick<SearchedCount, 'few' | 'total'>,
): boolean => few !== null || walk?.others.length === 0 || count > limit || count === total

/** The driver of a list with one filter only: its totals are stored if they are large. */
const storedDriver = ({ conditions, drivers }: QueryPlan): Driver | null =>
  drivers.find(
    ({ counted, implied }) => counted !== null && conditions.length === 1 && implied.length === 1,
  ) ?? null

const pageOf = (
  { limit }: QueryRequest,
  { state, items, count, next }: Pick<FoundPage, 'state' | 'items' | 'count' | 'next'>,
  total: number,
): QueryPage => ({
  ...state,
  items,
  count: Math.min(count, limit),
  total,
  next,
  missing: [],
})
