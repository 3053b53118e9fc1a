import { type Database, QueryTimeoutError, ReadLimitError, type Steps } from '#database'
import { createBoundedCache } from '../read/bounded-cache.ts'
import { createResume, readRepeatedly } from '../read/resumable-scan.ts'
import { readStates } from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Key } from '../schema/tables.ts'
import { type Driver, identityDriver, isInIdentityOrder, keysDriver } from './access.ts'
import type { CountedLists, SearchedCount } from './counted-list.ts'
import type { PageFinder } from './found-page.ts'
import { createOrderedKeys, createOrderedLists, type OrderedKeys } from './ordered-keys.ts'
import { type QueryPlan, rangeOf, searchBy, versionOf } from './query-plan.ts'
import {
  countInSteps,
  findInSteps,
  findSmallest,
  keptMax,
  newScan,
  type SearchProgress,
  selectInSteps,
} from './query-scan.ts'
import type { Position, QueryPage, QueryRequest } from './request.ts'
import { compileOrder, gatheredPage, keysPage } from './statements.ts'

export interface WideListsParts {
  readonly database: Database
  readonly counts: CountedLists
  readonly finder: PageFinder
}

/** Reads lists that many records match. */
export interface WideLists {
  /**
   * Reads a page in steps, so that other requests get turns. Progress made within the time limit of
   * a read is cached, and the next read continues it. Counts along `driver` or, if it is null, along the driver that
   * finds the fewest records.
   */
  read(plan: QueryPlan, request: QueryRequest, driver: Driver | null): Promise<QueryPage>
  /** The same in the snapshot of `steps`. */
  readIn(steps: Steps, plan: QueryPlan, request: QueryRequest): Promise<QueryPage>
  /** The identities of a page and the next one; null if the list's order is not cached. */
  orderedKeys(plan: QueryPlan, request: QueryRequest, version: string): readonly Key[] | null
}

/** Falls back to another read if a statement expected to be short timed out because of a bad plan. */
export const readShort = async <T>(
  read: () => Promise<T>,
  readOtherwise: () => Promise<T>,
): Promise<T> => {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof QueryTimeoutError)) throw error
    return readOtherwise()
  }
}

const unfinishedMax = 1_000
/** Drivers are compared by the number of records they find, counted up to this. */
const comparedMax = 20_000
/** Lists up to this size are cached in order, within a total of this many bytes. */
const orderedMax = 50_000
const orderedBytesMax = 16_777_216
/** Records that a walk may read per page before the list is sorted instead. */
const walkedMax = 500

export const createWideLists = ({ database, counts, finder }: WideListsParts): WideLists => {
  const resume = createResume<SearchProgress>(unfinishedMax)
  const ordered = createOrderedLists(orderedBytesMax)
  /** Versions of lists whose sort exceeded the time limit. */
  const unordered = createBoundedCache<string>(unfinishedMax)

  /** Counts a list and caches the total. That of a whole collection is stored. */
  const count = async (
    steps: Steps,
    plan: QueryPlan,
    version: string,
    driver: Driver,
    collectionTotal: number,
  ): Promise<SearchedCount> => {
    const { target, conditions, name } = plan
    if (conditions.length === 0) {
      const total = collectionTotal
      return { kind: 'searched', version, total, few: null, driver: identityDriver, last: null }
    }
    const search = searchBy(conditions, driver)
    const scan = scanName(plan, name, driver)
    const progress = await resume(scan, version, newScan, (each) =>
      countInSteps(steps, target, search, each),
    )
    const { counted: total, matches, last } = progress
    const few = total <= keptMax ? keysDriver(matches.map(({ key }) => key)) : null
    const entry: SearchedCount = { kind: 'searched', version, total, few, driver, last }
    counts.set(name, entry)
    return entry
  }

  /** Sorts the identities of a list; null if there are too many or it takes too long. */
  const putInOrder = async (
    steps: Steps,
    { target, conditions, order, listName }: QueryPlan,
    { version, total, driver }: SearchedCount,
  ): Promise<OrderedKeys | null> => {
    const existing = ordered.get(listName, version)
    if (existing) return existing
    const [key] = target.table.key
    const isShort = target.table.key.length === 1 && key?.kind === 'uuid' && total <= orderedMax
    if (!isShort || unordered.get(listName) === version) return null
    try {
      const [row] = await steps.all(compileOrder(target, searchBy(conditions, driver), order))
      const keys = createOrderedKeys(String(row?.[0] ?? ''))
      ordered.set(listName, version, keys)
      return keys
    } catch (error) {
      if (error instanceof ReadLimitError) unordered.set(listName, version)
      throw error
    }
  }

  /**
   * Finds a page along the index of the list's order, or along the driver with the fewest records. An
   * order without an index compares all of them.
   */
  const walk = async (
    steps: Steps,
    plan: QueryPlan,
    request: QueryRequest,
    { version, driver, last }: SearchedCount,
  ): Promise<readonly Position[]> => {
    const { target, conditions, order, listName } = plan
    const isDriven = order.value === null && isInIdentityOrder(driver)
    const search = isDriven || !plan.walk ? searchBy(conditions, driver) : plan.walk
    const page = JSON.stringify([listName, request.after, request.limit])
    const scan = scanName(plan, page, search.driver)
    const range = rangeOf(plan, request)
    const { matches } = await resume(scan, version, newScan, (progress) =>
      plan.walk
        ? findInSteps(steps, target, search, range, progress, isDriven ? last : null)
        : selectInSteps(steps, target, search, range, progress),
    )
    return matches
  }

  const findPositions = async (
    steps: Steps,
    plan: QueryPlan,
    request: QueryRequest,
    entry: SearchedCount,
    collectionTotal: number,
  ): Promise<readonly Position[]> => {
    const range = rangeOf(plan, request)
    if (entry.few) {
      const page = gatheredPage(searchBy(plan.conditions, entry.few), range)
      return finder.readPositions(steps, plan, page)
    }
    const isSparse =
      !plan.walk || (range.take * collectionTotal) / Math.max(1, entry.total) > walkedMax
    const keys =
      isSparse && !plan.isContract
        ? (await putInOrder(steps, plan, entry))?.after(request.after?.key ?? null, range.take)
        : null
    return keys
      ? finder.readPositions(steps, plan, keysPage(keys))
      : walk(steps, plan, request, entry)
  }

  const readIn = async (
    steps: Steps,
    plan: QueryPlan,
    request: QueryRequest,
    driver: Driver | null,
  ): Promise<QueryPage> => {
    const { state, total: collectionTotal } = await readStates(steps, plan.dependencies, request)
    const version = versionOf(plan, state)
    const cached = counts.get(plan.name)
    const entry =
      cached?.kind === 'searched' && cached.version === version
        ? cached
        : await count(
            steps,
            plan,
            version,
            driver ?? (await findSmallest(steps, plan, comparedMax)).driver,
            collectionTotal,
          )
    const positions = await findPositions(steps, plan, request, entry, collectionTotal)
    const shown = await finder.readShown(steps, plan.target.table, request, positions)
    const { items, next } = shown
    const shownCount = Math.min(shown.count, request.limit)
    return { ...state, items, count: shownCount, next, total: entry.total, missing: [] }
  }

  return {
    read: (plan, request, driver) =>
      readRepeatedly(database, 'Comparing so many records', () =>
        database.readInSteps(ownerNumber(request.brand), request.isCancelled, (steps) =>
          readIn(steps, plan, request, driver),
        ),
      ),
    readIn: (steps, plan, request) => readIn(steps, plan, request, null),
    orderedKeys: ({ listName }, { after, limit }, version) =>
      ordered.get(listName, version)?.after(after?.key ?? null, limit + 1) ?? null,
  }
}

/** The progress of a scan is valid only for its driver. */
const scanName = ({ drivers }: QueryPlan, name: string, driver: Driver): string =>
  `${name} ${drivers.indexOf(driver)}`
