import { ApiError } from '#contract'
import { type Database, QueryTimeoutError, type Steps } from '#database'
import { joinBodies } from '../read/body.ts'
import { createCountCache } from '../read/count-cache.ts'
import { type Key, type ListRequest, readKey } from '../read/list.ts'
import type { Page } from '../read/page.ts'
import { compileStates, parseState, readStates, type State } from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { type Driver, keysDriver } from './access.ts'
import { createPageFinder, type FoundPage } from './found-page.ts'
import { projectRecords } from './projection.ts'
import { dependenciesOfQuery, planQuery, type QueryPlan, searchBy, shortMax } from './query-plan.ts'
import { countInSteps, findInSteps, keptMax, newScan, type ScanProgress } from './query-scan.ts'
import type { QueryPage, QueryRequest } from './request.ts'
import {
  compileCount,
  compilePositions,
  compileProbe,
  compileStoredCount,
  gatheredPage,
  type PageText,
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
}

interface UnfinishedScan {
  readonly version: string
  readonly progress: ScanProgress
}

/** About 2 MB of names and totals. A thousand lists of 200 identities each would be 20 MB more. */
const countedMax = 5_000
const unfinishedMax = 500
/** Drivers are compared by how many records they find, counted up to this number. */
const comparedMax = 20_000

/**
 * Reads pages of the query API with their exact totals:
 * - a list without conditions has the total of its collection. It is walked through along the index of
 *   its order;
 * - a list with a condition that few records fulfil is read by that condition, and put in order;
 * - any other list is counted once for each state of its collections, in steps. Its pages are found
 *   along the index of its order; where few records match, by their identities.
 * The event loop runs only statements that look at a bounded number of records.
 */
export const createQueryReader = ({ database, tables, list }: QueryReaderParts): QueryReader => {
  const { dialect } = database
  const counts = createCountCache<CountedQuery>(countedMax)
  const unfinished = createCountCache<UnfinishedScan>(unfinishedMax)
  const { find, readPositions, readShown } = createPageFinder({ database, tables })

  const versionOf = (request: QueryRequest, { version }: State): string =>
    version.split('.').slice(0, dependenciesOfQuery(request, tables).ofTotal).join('.')

  const state = async (request: QueryRequest): Promise<State> => {
    const { dependencies } = dependenciesOfQuery(request, tables)
    const owner = ownerNumber(request.brand)
    const results = await database.read(compileStates(dependencies, request), owner)
    return parseState(dependencies, request.brand, results)
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
    const page = gatheredPage(search, rangeOf(plan, request))
    const result = await find(plan, request, page, [compilePositions(target, all, order)])
    const rows = result.beside[0] ?? []
    const existing = new Set(rows.map((row) => JSON.stringify(readKey(row, target.table))))
    const missing = ids.filter((key) => !existing.has(JSON.stringify(key)))
    return { ...(await pageOf(result, request, rows.length)), missing }
  }

  /** A page of a list that was counted before; null where it has to be counted again. */
  const readCounted = async (plan: QueryPlan, request: QueryRequest): Promise<QueryPage | null> => {
    const entry = counts.get(plan.name)
    if (!entry) return null
    // The records of a driver may have become many.
    const isCurrent = !entry.few || versionOf(request, await state(request)) === entry.version
    if (isCurrent) {
      const result = await find(plan, request, pageText(plan, request, entry.few))
      if (versionOf(request, result.state) === entry.version) {
        return isComplete(plan, request, result, entry)
          ? pageOf(result, request, entry.total)
          : readWide(plan, request)
      }
    }
    counts.delete(plan.name)
    return null
  }

  /** Whether a page has all that it can have: a walk may have ended at the end of its window. */
  const isComplete = (
    { walk }: QueryPlan,
    { limit }: QueryRequest,
    { positions }: FoundPage,
    { few, total }: CountedQuery,
  ): boolean =>
    few !== null ||
    walk.others.length === 0 ||
    positions.length > limit ||
    positions.length === total

  /** The driver that finds few records; null where each finds many. */
  const findFew = async (plan: QueryPlan, request: QueryRequest): Promise<Driver | null> => {
    const { target, drivers, conditions } = plan
    const searches = drivers.map((driver) => searchBy(conditions, driver))
    const limits = searches.map((search) => shortMax(search, target))
    const results = await database.read(
      searches.map(({ driver }, index) => compileProbe(target, driver, (limits[index] ?? 0) + 1)),
      ownerNumber(request.brand),
    )
    const sizes = results.map((rows) => Number(rows[0]?.[0] ?? 0))
    const few = [...drivers.keys()].filter((index) => (sizes[index] ?? 0) <= (limits[index] ?? 0))
    const [smallest] = few.sort((one, other) => (sizes[one] ?? 0) - (sizes[other] ?? 0))
    return smallest === undefined ? null : (drivers[smallest] ?? null)
  }

  /** A page of a list that has a total without a scan: of few records, or of values of one filter. */
  const readAndCount = async (
    plan: QueryPlan,
    request: QueryRequest,
    few: Driver | null,
    stored: Driver | null,
  ): Promise<QueryPage | null> => {
    const { target, conditions, name } = plan
    const count = stored
      ? compileStoredCount(target, stored)
      : few && compileCount(target, searchBy(conditions, few))
    if (!count) return null
    const result = await find(plan, request, pageText(plan, request, few), [count])
    const total = Number(result.beside[0]?.[0]?.[0] ?? 0)
    const entry = { version: versionOf(request, result.state), total, few }
    counts.set(name, entry)
    return isComplete(plan, request, result, entry) ? pageOf(result, request, total) : null
  }

  const pageText = (plan: QueryPlan, request: QueryRequest, few: Driver | null): PageText => {
    const { walk, conditions, target } = plan
    const range = rangeOf(plan, request)
    if (few) return gatheredPage(searchBy(conditions, few), range)
    return walkedPage(walk, range, walk.others.length > 0 ? shortMax(walk, target) : null)
  }

  /**
   * Runs a scan from where an earlier one of its name ended, or from its beginning. The progress of one
   * whose time is over is kept, so that several requests together do what takes longer than one may.
   */
  const resume = async (
    name: string,
    version: string,
    scan: (progress: ScanProgress) => Promise<void>,
  ): Promise<ScanProgress> => {
    const earlier = unfinished.get(name)
    // A copy: two requests may continue the same scan.
    const progress =
      earlier?.version === version
        ? { ...earlier.progress, matches: [...earlier.progress.matches] }
        : newScan()
    try {
      await scan(progress)
      return progress
    } catch (error) {
      unfinished.set(name, { version, progress })
      throw error instanceof QueryTimeoutError ? takesLonger(error) : error
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
    const { counted: total, matches } = await resume(name, version, (progress) =>
      countInSteps(steps, target, search, progress),
    )
    const few = total <= keptMax ? keysDriver(matches.map(({ key }) => key)) : null
    const entry = { version, total, few }
    counts.set(name, entry)
    return entry
  }

  /** A page of a list that many records match, in steps that let other requests have their turn. */
  const readWide = (plan: QueryPlan, request: QueryRequest): Promise<QueryPage> =>
    database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
      const { target, conditions, name, walk } = plan
      const { dependencies } = dependenciesOfQuery(request, tables)
      const { state: current, total: collectionTotal } = await readStates(
        steps,
        dependencies,
        request,
      )
      const version = versionOf(request, current)
      const cached = counts.get(name)
      const entry = cached?.version === version ? cached : await countWide(steps, plan, version)
      const range = rangeOf(plan, request)
      const ofPage = JSON.stringify([name, request.sort, request.after, request.limit])
      const positions = entry.few
        ? await readPositions(steps, plan, gatheredPage(searchBy(conditions, entry.few), range))
        : (
            await resume(ofPage, version, (progress) =>
              findInSteps(steps, target, walk, range, progress),
            )
          ).matches
      const bodies = await readShown(steps, plan, request, positions)
      const result = { state: current, positions, bodies, collectionTotal, beside: [] }
      return pageOf(result, request, entry.total)
    })

  const readPage = async (request: QueryRequest): Promise<QueryPage> => {
    const plan = planQuery(request, { tables, dialect })
    if (request.ids) return readIds(plan, request, request.ids)
    if (plan.conditions.length === 0) {
      const result = await find(plan, request, pageText(plan, request, null))
      return pageOf(result, request, result.collectionTotal)
    }
    const earlier = await readCounted(plan, request)
    if (earlier) return earlier
    const few = await findFew(plan, request)
    const counted = await readAndCount(plan, request, few, few ? null : storedDriver(plan))
    return counted ?? readWide(plan, request)
  }

  return {
    state,
    page: async (request) => {
      if (isContractList(request)) return fromList(await list(listRequest(request)))
      try {
        return await readPage(request)
      } catch (error) {
        // A statement that was expected to be short was not: its plan may have been a bad one.
        if (!(error instanceof QueryTimeoutError)) throw error
        return readWide(planQuery(request, { tables, dialect }), request)
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

const pageOf = async (
  { state, positions, bodies }: FoundPage,
  { limit, fields }: QueryRequest,
  total: number,
): Promise<QueryPage> => ({
  ...state,
  items: joinBodies(fields ? await projectRecords(bodies, new Set(fields)) : bodies),
  total,
  next: positions.length > limit ? (positions[limit - 1] ?? null) : null,
  missing: [],
})

const takesLonger = (cause: QueryTimeoutError): ApiError =>
  new ApiError(
    'store_unavailable',
    'Many records have to be compared for these parameters, which takes longer than one request may. Send the same request again: it continues where this one stopped. A filter or a narrower range makes it faster.',
    { cause, retryAfterSeconds: 1 },
  )
