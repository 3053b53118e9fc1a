import { ApiError } from '#contract'
import { type Database, type Query, QueryTimeoutError, type Steps } from '#database'
import { createCountCache } from '../read/count-cache.ts'
import { type Key, type ListRequest, readKey } from '../read/list.ts'
import type { Page } from '../read/page.ts'
import { createResume } from '../read/resumable-scan.ts'
import { compileStates, parseState, readStates, type State } from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { type Driver, keysDriver } from './access.ts'
import { createPageFinder, type FoundPage, type PageAfter } from './found-page.ts'
import { createOrderedKeys, createOrderedLists, type OrderedKeys } from './ordered-keys.ts'
import { createPlanner, type QueryPlan, searchBy, shortMax, versionOf } from './query-plan.ts'
import { countInSteps, findInSteps, keptMax, newScan, type SearchProgress } from './query-scan.ts'
import type { Position, QueryPage, QueryRequest } from './request.ts'
import {
  compileCount,
  compileOrder,
  compilePositions,
  compileProbe,
  compileStoredCount,
  gatheredPage,
  keysPage,
  type Search,
  walkedPage,
} from './statements.ts'

export interface QueryReaderParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  /** Reads the lists of the contract. */
  readonly list: (request: ListRequest) => Promise<Page>
}

/** Reads the lists of the query API. */
export interface QueryReader {
  page(request: QueryRequest): Promise<QueryPage>
  /** The state that a page depends on. It is read without reading a record. */
  state(request: QueryRequest): Promise<State>
}

/** A total that was counted, and what the list's pages are read by. */
interface CountedQuery {
  readonly version: string
  readonly total: number
  /** What finds its few records; null where the list is walked through in its order. */
  readonly few: Driver | null
  /** What finds its records and the fewest others. */
  readonly driver: Driver
}

/** A search that looks at few records, how many, and the version of the list that has so many. */
interface FewRecords {
  readonly search: Search
  readonly size: number
  readonly version: string
}

/** About 2 MB of names and totals. A thousand lists of 200 identities each would be 20 MB more. */
const countedMax = 5_000
const unfinishedMax = 500
/** Drivers are compared by how many records they find, counted up to this number. */
const comparedMax = 20_000
/** Lists of so many records are kept in their order, and so many bytes of identities in all. */
const orderedMax = 50_000
const orderedBytesMax = 16_777_216
/** Records that a page may be looked for among before its list is put in order instead. */
const walkedMax = 500

/**
 * Reads pages of the query API with their exact totals:
 * - a list without conditions has the total of its collection. It is walked through along the index of
 *   its order;
 * - a list with a condition that few records fulfil is read by that condition, and put in order;
 * - any other list is counted once for each state of its collections, in steps. Its pages are found
 *   along the index of its order. Where only some of the records along it match, the identities of
 *   the list are put in order once, and pages are read by them.
 * The event loop runs only statements that look at a bounded number of records.
 */
export const createQueryReader = ({ database, tables, list }: QueryReaderParts): QueryReader => {
  const { dialect } = database
  const counts = createCountCache<CountedQuery>(countedMax)
  const resume = createResume<SearchProgress>(unfinishedMax)
  const ordered = createOrderedLists(orderedBytesMax)
  /** Versions of lists that took longer to put in order than a read may. */
  const unordered = createCountCache<string>(unfinishedMax)
  const { find, readPositions, readShown } = createPageFinder({ database, tables })

  const planOf = createPlanner({ tables, dialect })

  const readState = async ({ dependencies }: QueryPlan, brand: string): Promise<State> => {
    const results = await database.read(compileStates(dependencies, { brand }), ownerNumber(brand))
    return parseState(dependencies, brand, results)
  }

  /** The records of `ids`: at most as many as a request may name. */
  const readIds = async (
    plan: QueryPlan,
    request: QueryRequest,
    ids: readonly Key[],
  ): Promise<QueryPage> => {
    const { target, order, conditions } = plan
    const search = searchBy(conditions, keysDriver(ids))
    const all = gatheredPage(search, { order, after: null, take: ids.length })
    const take = request.limit + 1
    const textOf = (after: Position | null) => gatheredPage(search, { order, after, take })
    const beside = [compilePositions(target, all, order)]
    const result = await find(plan, request, { form: null, textOf }, beside)
    const rows = result.beside[0] ?? []
    const existing = new Set(rows.map((row) => JSON.stringify(readKey(row, target.table))))
    const missing = ids.filter((key) => !existing.has(JSON.stringify(key)))
    return { ...pageOf(result, rows.length), missing }
  }

  /** A page of a list that was counted before; null where it has to be counted again. */
  const readCounted = async (plan: QueryPlan, request: QueryRequest): Promise<QueryPage | null> => {
    const entry = counts.get(plan.name)
    if (!entry) return null
    const inOrder = await readOrdered(plan, request, entry)
    if (inOrder) return inOrder
    // The records of a driver may have become many.
    const isCurrent =
      !entry.few || versionOf(plan, await readState(plan, request.brand)) === entry.version
    if (isCurrent) {
      const result = await find(plan, request, pageAfter(plan, request, entry.few))
      if (versionOf(plan, result.state) === entry.version) {
        return isComplete(plan, request, result, entry)
          ? pageOf(result, entry.total)
          : readWide(plan, request)
      }
    }
    counts.delete(plan.name)
    return null
  }

  /** A page of a list that was put in order before; null where it was not, or has changed. */
  const readOrdered = async (
    plan: QueryPlan,
    request: QueryRequest,
    { version, total }: CountedQuery,
  ): Promise<QueryPage | null> => {
    const { after, limit } = request
    const keys = ordered.get(plan.listName, version)?.after(after?.key ?? null, limit + 1)
    if (!keys) return null
    const result = await find(plan, request, { form: null, textOf: () => keysPage(keys) })
    return versionOf(plan, result.state) === version ? pageOf(result, total) : null
  }

  /** Puts the identities of a list in its order; null where it has too many, or that takes too long. */
  const putInOrder = async (
    steps: Steps,
    { target, conditions, order, listName }: QueryPlan,
    { version, total, driver }: CountedQuery,
  ): Promise<OrderedKeys | null> => {
    const existing = ordered.get(listName, version)
    if (existing) return existing
    const [key] = target.table.key
    const isShort = target.table.key.length === 1 && key?.kind === 'uuid' && total <= orderedMax
    if (!isShort || unordered.get(listName) === version) return null
    unordered.set(listName, version)
    const [row] = await steps.all(compileOrder(target, searchBy(conditions, driver), order))
    unordered.delete(listName)
    const keys = createOrderedKeys(String(row?.[0] ?? ''))
    ordered.set(listName, version, keys)
    return keys
  }

  /** Whether a page has all that it can have: a walk may have ended at the end of its window. */
  const isComplete = (
    { walk }: QueryPlan,
    { limit }: QueryRequest,
    { count }: FoundPage,
    { few, total }: CountedQuery,
  ): boolean => few !== null || walk.others.length === 0 || count > limit || count === total

  /** The driver that finds few records; null where each finds many. */
  const findFew = async (plan: QueryPlan, request: QueryRequest): Promise<FewRecords | null> => {
    const { target, drivers, conditions, dependencies } = plan
    const searches = drivers.map((driver) => searchBy(conditions, driver))
    // The last one finds the whole collection, whose total is stored.
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

  /** A page of a list of few records, with its total. */
  const readFew = async (
    plan: QueryPlan,
    request: QueryRequest,
    { search, size, version }: FewRecords,
  ): Promise<QueryPage> => {
    const { target, walk } = plan
    const { driver } = search
    // Only a link names a record more than once.
    const isCounted = search.others.length === 0 && driver.few === null
    const few = walk.others.length === 0 ? null : driver
    const read = (beside: readonly Query[]) =>
      find(plan, request, pageAfter(plan, request, few), beside)
    const uncounted = isCounted ? await read([]) : null
    // Something may have been committed after the records were counted.
    const isCurrent = uncounted !== null && versionOf(plan, uncounted.state) === version
    const result = isCurrent ? uncounted : await read([compileCount(target, search)])
    const total = isCurrent ? size : Number(result.beside[0]?.[0]?.[0] ?? 0)
    counts.set(plan.name, { version: versionOf(plan, result.state), total, few, driver })
    return pageOf(result, total)
  }

  /** A page of a list whose total is the sum of stored ones; null where it is not found in a window. */
  const readStored = async (
    plan: QueryPlan,
    request: QueryRequest,
    driver: Driver,
  ): Promise<QueryPage | null> => {
    const count = compileStoredCount(plan.target, driver)
    const result = await find(plan, request, pageAfter(plan, request, null), [count])
    const total = Number(result.beside[0]?.[0]?.[0] ?? 0)
    const entry = { version: versionOf(plan, result.state), total, few: null, driver }
    counts.set(plan.name, entry)
    return isComplete(plan, request, result, entry) ? pageOf(result, total) : null
  }

  /** The page of a request: of few records, or along the index of its order. */
  const pageAfter = (
    { walk, conditions, target, order }: QueryPlan,
    { limit }: QueryRequest,
    few: Driver | null,
  ): PageAfter => {
    const take = limit + 1
    if (few) {
      const search = searchBy(conditions, few)
      return { form: null, textOf: (after) => gatheredPage(search, { order, after, take }) }
    }
    const window = walk.others.length > 0 ? shortMax(walk, target) : null
    return {
      form: String(limit),
      textOf: (after) => walkedPage(walk, { order, after, take }, window),
    }
  }

  /** Counts a list along what finds the fewest of its records. */
  const countWide = async (
    steps: Steps,
    { target, drivers, conditions, name }: QueryPlan,
    version: string,
  ): Promise<CountedQuery> => {
    let best: { readonly driver: Driver; readonly size: number } | null = null
    for (const driver of drivers.filter(({ few }) => few === null)) {
      const [row] = await steps.all(compileProbe(target, driver, comparedMax))
      const size = Number(row?.[0] ?? 0)
      if (!best || size < best.size) best = { driver, size }
    }
    if (!best) throw new RangeError('A list has no driver.')
    const search = searchBy(conditions, best.driver)
    const { counted: total, matches } = await resume(name, version, newScan, (progress) =>
      countInSteps(steps, target, search, progress),
    )
    const few = total <= keptMax ? keysDriver(matches.map(({ key }) => key)) : null
    const entry = { version, total, few, driver: best.driver }
    counts.set(name, entry)
    return entry
  }

  /** A page of a list that many records match, in steps that let other requests have their turn. */
  const readInSteps = (plan: QueryPlan, request: QueryRequest): Promise<QueryPage> =>
    database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
      const { target, conditions, name, listName, walk } = plan
      const { state: current, total: ofAll } = await readStates(steps, plan.dependencies, request)
      const version = versionOf(plan, current)
      const cached = counts.get(name)
      const entry = cached?.version === version ? cached : await countWide(steps, plan, version)
      const range = rangeOf(plan, request)
      const isSparse = ((request.limit + 1) * ofAll) / Math.max(1, entry.total) > walkedMax
      const keys =
        !entry.few && isSparse
          ? (await putInOrder(steps, plan, entry))?.after(request.after?.key ?? null, range.take)
          : undefined
      const findPositions = async (): Promise<readonly Position[]> => {
        if (keys) return readPositions(steps, plan, keysPage(keys))
        if (entry.few) {
          return readPositions(steps, plan, gatheredPage(searchBy(conditions, entry.few), range))
        }
        const ofPage = JSON.stringify([listName, request.after, request.limit])
        const { matches } = await resume(ofPage, version, newScan, (progress) =>
          findInSteps(steps, target, walk, range, progress),
        )
        return matches
      }
      const positions = await findPositions()
      const shown = await readShown(steps, plan, request, positions)
      return pageOf({ ...shown, state: current }, entry.total)
    })

  /** The same. What is known when the time of a read is over is kept for the next request. */
  const readWide = async (plan: QueryPlan, request: QueryRequest): Promise<QueryPage> => {
    try {
      return await readInSteps(plan, request)
    } catch (error) {
      throw error instanceof QueryTimeoutError ? takesLonger(error) : error
    }
  }

  const readPage = async (request: QueryRequest): Promise<QueryPage> => {
    const plan = planOf(request)
    if (request.ids) return readIds(plan, request, request.ids)
    if (plan.conditions.length === 0) {
      const result = await find(plan, request, pageAfter(plan, request, null))
      return pageOf(result, result.collectionTotal)
    }
    const earlier = await readCounted(plan, request)
    if (earlier) return earlier
    const few = await findFew(plan, request)
    if (few) return readFew(plan, request, few)
    const stored = storedDriver(plan)
    return (stored && (await readStored(plan, request, stored))) ?? readWide(plan, request)
  }

  return {
    state: (request) => readState(planOf(request), request.brand),
    page: async (request) => {
      if (isContractList(request)) return fromList(await list(listRequest(request)))
      try {
        return await readPage(request)
      } catch (error) {
        // A statement that was expected to be short was not: its plan may have been a bad one.
        if (!(error instanceof QueryTimeoutError)) throw error
        return readWide(planOf(request), request)
      }
    },
  }
}

/** Whether a list is one of the contract, with its filters and in its order. */
const isContractList = ({ where, ids, sort, fields }: QueryRequest): boolean =>
  where.length === 0 && ids === null && sort === null && fields === null

const listRequest = (request: QueryRequest): ListRequest => {
  const { resource, brand, filters, limit, after, include, reserve, isCancelled } = request
  const key = after?.key ?? null
  return { resource, brand, filters, limit, after: key, include, reserve, isCancelled }
}

const fromList = ({ items, total, next, version, readState }: Page): QueryPage => ({
  items,
  total,
  next: next && { value: null, key: next },
  missing: [],
  version,
  readState,
})

/** Values of one filter alone: their totals are stored where they are many. */
const storedDriver = ({ conditions, drivers }: QueryPlan): Driver | null =>
  drivers.find(
    ({ counted, implied }) => counted !== null && conditions.length === 1 && implied.length === 1,
  ) ?? null

/** One more than the page has, to know whether another page follows. */
const rangeOf = ({ order }: QueryPlan, { after, limit }: QueryRequest) => ({
  order,
  after,
  take: limit + 1,
})

const pageOf = (
  { state, items, next }: Pick<FoundPage, 'state' | 'items' | 'next'>,
  total: number,
): QueryPage => ({ ...state, items, total, next, missing: [] })

const takesLonger = (cause: QueryTimeoutError): ApiError =>
  new ApiError(
    'store_unavailable',
    'Many records have to be compared for these parameters, which takes longer than one request may. Send the same request again: it continues where this one stopped. A filter or a narrower range makes it faster.',
    { cause, retryAfterSeconds: 1 },
  )
