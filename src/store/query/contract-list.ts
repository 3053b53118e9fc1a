import type { Database } from '#database'
import { type ListRequest, type Page, planList } from '../read/list.ts'
import { readState, type State } from '../read/state.ts'
import { isCut } from '../schema/comparable.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { type Driver, identityDriver } from './access.ts'
import type { CountedLists, PlainCount } from './counted-list.ts'
import {
  canBeWide,
  compileSizes,
  type FilterAccess,
  type FilterSizes,
  planAccess,
} from './filter-access.ts'
import type { PlainPages } from './plain-page.ts'
import { contractName, type Planner, type QueryPlan, versionOf } from './query-plan.ts'
import type { QueryPage, QueryRequest } from './request.ts'
import type { SearchedLists } from './searched-list.ts'
import { readShort, type WideLists } from './wide-list.ts'

export interface ContractListsParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly planOf: Planner
  readonly counts: CountedLists
  readonly plain: PlainPages
  readonly searched: SearchedLists
  readonly wide: WideLists
}

const noSizes: FilterSizes = new Map()

/** Compares every record with a value that is longer than what its column keeps. */
const wholeAccess: FilterAccess = { isWide: true, drivingIndex: undefined, scannedFilter: null }

/**
 * Reads contract lists with exact totals. One statement reads a list, unless every filter matches
 * many records or counting exceeds the statement's time limit. The overview in
 * `schema/collection-stats.ts` says where totals come from.
 */
export const createContractLists = (parts: ContractListsParts) => {
  const { database, tables, planOf, counts, plain, searched, wide } = parts

  const chooseAccess = async (request: ListRequest): Promise<FilterAccess> => {
    const plan = planList(request, tables)
    if (!canBeWide(plan)) return planAccess(plan, noSizes)
    const { query, parse } = compileSizes(plan, request)
    const [rows = []] = await database.read([query], ownerNumber(request.brand))
    return planAccess(plan, parse(rows))
  }

  /**
   * Reads a page with one statement; null if its cached total is out of date. Compares the version
   * before reading the page, because the filters may match many records by now.
   */
  const readPlain = async (request: ListRequest, entry: PlainCount): Promise<Page | null> => {
    const statements = plain.statementsFor(request, entry.drivingIndex, false)
    const isCurrent = (state: State) => versionOf(statements, state) === entry.version
    const { plan, dependencies } = statements
    if (canBeWide(plan) && !isCurrent(await readState(database, dependencies, request.brand))) {
      return null
    }
    const page = await plain.read(statements, request)
    return isCurrent(page) ? { ...page, total: entry.total } : null
  }

  /** Reads a page of a list with a cached count; null if it must be counted again. */
  const readCounted = async (request: ListRequest, name: string): Promise<Page | null> => {
    const entry = counts.get(name)
    if (!entry) return null
    if (entry.kind === 'searched') {
      const query = queryOf(request)
      const plan = planOf(query, true)
      const page = await readShort(
        () => searched.readCounted(plan, query),
        () => wide.read(plan, query, entry.driver),
      )
      return page && fromQuery(page)
    }
    const page = await readPlain(request, entry)
    if (!page) counts.delete(name)
    return page
  }

  /** Reads a page by scanning along the access that finds the fewest records. */
  const readWide = async (request: ListRequest, { scannedFilter }: FilterAccess): Promise<Page> => {
    const query = queryOf(request)
    const plan = planOf(query, true)
    return fromQuery(await wide.read(plan, query, driverOf(plan, query, scannedFilter)))
  }

  const readFiltered = async (request: ListRequest): Promise<Page> => {
    if ([...request.filters.values()].some(isCut)) return readWide(request, wholeAccess)
    const name = contractName(request)
    const earlier = await readCounted(request, name)
    if (earlier) return earlier
    const access = await chooseAccess(request)
    if (access.isWide) return readWide(request, access)
    const { drivingIndex } = access
    const statements = plain.statementsFor(request, drivingIndex, true)
    const page = await readShort(
      () => plain.read(statements, request),
      () => readWide(request, access),
    )
    // Later pages use one statement that does not count.
    const version = versionOf(statements, page)
    counts.set(name, { kind: 'plain', version, total: page.total, drivingIndex })
    return page
  }

  return (request: ListRequest): Promise<Page> =>
    request.filters.size === 0
      ? plain.read(plain.statementsFor(request, undefined, false), request)
      : readFiltered(request)
}

/** Expresses a contract list as a query without conditions, in identity order. */
const queryOf = (request: ListRequest): QueryRequest => ({
  ...request,
  where: [],
  ids: null,
  sort: null,
  fields: null,
  after: request.after && { key: request.after, value: null },
})

const fromQuery = ({ next, missing: _, ...page }: QueryPage): Page => ({
  ...page,
  next: next?.key ?? null,
})

/** The driver of a filter. Each condition of a contract plan is one filter, in the same order. */
const driverOf = (
  { drivers, conditions }: QueryPlan,
  { resource, filters }: QueryRequest,
  filter: string | null,
): Driver => {
  const names = resource.filters.map(({ name }) => name).filter((name) => filters.has(name))
  const condition = filter === null ? undefined : conditions[names.indexOf(filter)]
  return (
    drivers.find(({ implied }) => condition !== undefined && implied.includes(condition)) ??
    identityDriver
  )
}
