import { type Database, QueryTimeoutError } from '#database'
import { readText } from '../schema/identifier.ts'
import { ownerNumber, ownerOf } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { type Body, joinBodies, noBody } from './body.ts'
import { compileStoredTotals, joinState, totalText } from './collection-state.ts'
import { type CountedTotal, createCountCache } from './count-cache.ts'
import { compileWithIncluded, readBodies, splitIncluded } from './include.ts'
import {
  compileJoined,
  compileKeys,
  compileList,
  countText,
  type Key,
  type ListPlan,
  type ListRequest,
  ownerIn,
  planList,
  readKey,
} from './list.ts'
import {
  bind,
  createParams,
  createTemplateCache,
  type Params,
  type QueryTemplate,
} from './query-template.ts'
import {
  canBeWide,
  chooseDriver,
  compareKeys,
  type Driver,
  type FilterSizes,
  smallestDriver,
} from './scan.ts'
import { createScannedLists, readPage } from './scanned-list.ts'
import {
  compileStates,
  type DependenciesOf,
  type Dependency,
  parseState,
  readStates,
  type State,
  stateOf,
} from './state.ts'

/**
 * One page of a list: its records' JSON texts, how many records match in all, and where the next page
 * begins (specification §List endpoints).
 */
export interface Page extends State {
  /** Joined by commas, ready to send. */
  readonly items: Body
  readonly total: number
  readonly next: Key | null
}

export interface PageReaderParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly dependenciesOf: DependenciesOf
}

/** The statements of lists that differ in nothing but their values. */
interface ListStatements {
  readonly plan: ListPlan
  readonly dependencies: readonly Dependency[]
  readonly counts: boolean
  /**
   * The page and the collection states in one row, where that is possible; with the total, unless the
   * dialect counts apart.
   */
  readonly singleRow: QueryTemplate<ListRequest> | null
  /** Otherwise the page with what it includes, and the total. */
  readonly page: QueryTemplate<ListRequest>
  readonly total: QueryTemplate<ListRequest> | null
  /** The identities of the page alone. */
  readonly keys: QueryTemplate<ListRequest>
}

interface ReadPage extends State {
  /** Null where one of the texts is too long to be read with the others. */
  readonly items: Body | null
  readonly next: Key | null
  /** The whole collection's, or what was counted. */
  readonly total: number
}

const hasItems = (page: ReadPage): page is ReadPage & Page => page.items !== null

/** The column of the first version in a page of one row. */
const firstVersion = 4

const brief = { isBrief: true }
const unhurried = { isBrief: false }

/** The index that a list is read along, or what a scan follows. */
interface Choice {
  readonly drivingIndex: string | undefined
  readonly driver: Driver | null
  /** What a scan follows where one statement turns out to take too long. */
  readonly slowDriver: Driver
}

/** About 3 MB of names and totals. */
const countedTotalsMax = 10_000

/**
 * Reads pages with their exact totals. Where a total comes from is decided here: see the overview in
 * `schema/collection-stats.ts`.
 */
export const createPageReader = (parts: PageReaderParts) => {
  const { database, tables, dependenciesOf } = parts
  const { dialect } = database
  const totals = createCountCache<CountedTotal>(countedTotalsMax)
  const cached = createTemplateCache<ListStatements>()

  const dependenciesOfList = ({ resource, filters, include }: ListRequest) =>
    dependenciesOf({ resource, filters: filters.keys(), include })

  /** The version of what a total depends on, out of that of the page: includes come last. */
  const countVersion = (request: ListRequest, { version }: State): string => {
    const { length } = dependenciesOfList({ ...request, include: [] })
    return version.split('.').slice(0, length).join('.')
  }

  const scanned = createScannedLists({ database, tables, dependenciesOf, countVersion })

  /** How many records each filter matches by itself, where that is stored: where it is many. */
  const readSizes = async (plan: ListPlan, request: ListRequest): Promise<FilterSizes> => {
    const { resource, brand, filters } = request
    const filterOf = (name: string) => filters.get(name) ?? null
    const own = plan.own.map((name) => ({
      name,
      owner: ownerOf(resource, brand),
      collection: resource.path,
      filter: name,
      value: filterOf(name),
    }))
    const through = plan.through.map(({ name, link, where }) => ({
      name,
      owner: ownerOf(link.resource, brand),
      collection: link.resource.path,
      filter: where,
      value: filterOf(name),
    }))
    const all = [...own, ...through]
    const [rows = []] = await database.read([compileStoredTotals(all)], ownerNumber(brand))
    return new Map(
      rows.map(([index, total]) => [all[Number(index)]?.name ?? '', Number(total)] as const),
    )
  }

  /**
   * How to read a list: along the index of the own filter that matches the fewest records; or by a
   * scan that follows a driver, where every filter matches many.
   */
  const choose = async (request: ListRequest): Promise<Choice> => {
    const plan = planList(request, tables)
    const sizes = canBeWide(plan) ? await readSizes(plan, request) : new Map<string, number>()
    const driver = chooseDriver(plan, sizes)
    const slowDriver = smallestDriver(plan, sizes)
    if (!canBeWide(plan) || plan.through.length > 0) {
      return { drivingIndex: plan.drivingIndex, driver, slowDriver }
    }
    // A total that is not stored is small; among several small ones any will do.
    const size = (name: string) => sizes.get(name) ?? (name === plan.drivingIndex ? 0 : 1)
    const [drivingIndex] = [...plan.own].sort((one, other) => size(one) - size(other))
    return { drivingIndex, driver, slowDriver }
  }

  const totalOf = (plan: ListPlan, values: Params<ListRequest>): string => {
    const [only, ...others] = plan.own
    const count = countText(plan, dialect, values)
    const isStored = others.length === 0 && plan.through.length === 0
    if (!isStored || only === undefined) return `(${count})`
    const value = values.add(({ filters }) => String(filters.get(only)))
    return totalText(plan.table, only, value, count)
  }

  /** The total alone. */
  const compileTotal = (plan: ListPlan): QueryTemplate<ListRequest> => {
    const values = createParams(ownerIn(plan.table))
    return { text: `select ${totalOf(plan, values)}`, params: values.all }
  }

  const compileStatements = (
    request: ListRequest,
    drivingIndex: string | undefined,
    counts: boolean,
  ): ListStatements => {
    const { include } = request
    const plan = { ...planList(request, tables), drivingIndex }
    const dependencies = dependenciesOfList(request)
    const isSingleRow = include.length === 0 && plan.table.key.length === 1
    const page = compileList(plan, dialect)
    return {
      plan,
      dependencies,
      counts,
      singleRow: isSingleRow
        ? compileJoined(plan, dialect, (values) => {
            const state = joinState(dependencies, values)
            const total = counts && !dialect.countsApart ? [totalOf(plan, values)] : []
            return { ...state, columns: [...state.columns, ...total] }
          })
        : null,
      page: compileWithIncluded(page, plan.table.key, include, tables, dialect),
      total: counts ? compileTotal(plan) : null,
      keys: compileKeys(plan, dialect),
    }
  }

  const statementsFor = (
    request: ListRequest,
    drivingIndex: string | undefined,
    counts: boolean,
  ): ListStatements => {
    const { resource, filters, after, include } = request
    const filterNames = filters.size === 0 ? '' : [...filters.keys()].join()
    const includeNames = include.length === 0 ? '' : include.map(({ name }) => name).join()
    const name = `${resource.path} ${filterNames} ${includeNames} ${after !== null} ${drivingIndex} ${counts}`
    return cached(name, () => compileStatements(request, drivingIndex, counts))
  }

  const readSingleRow = async (
    { dependencies, counts, total }: ListStatements,
    singleRow: QueryTemplate<ListRequest>,
    request: ListRequest,
  ): Promise<ReadPage> => {
    const { brand } = request
    const page = bind(singleRow, request)
    const [rows, totals] = await database.read(
      total && dialect.countsApart ? [page, bind(total, request)] : [page],
      ownerNumber(brand),
      counts ? brief : unhurried,
    )
    const row = rows?.[0] ?? []
    const [items, last, hasMore, longTexts] = row
    // After the versions come the collection's total, the number of the last change, and the count.
    const afterVersions = firstVersion + dependencies.length
    const counted = totals ? totals[0]?.[0] : row[afterVersions + 2]
    const { version, readState } = stateOf(
      dependencies,
      brand,
      row.slice(firstVersion, afterVersions),
      row[afterVersions + 1],
    )
    return {
      version,
      readState,
      items: Number(longTexts ?? 0) > 0 ? null : ((items ?? noBody) as Body),
      next: Number(hasMore ?? 0) > 0 ? [readText(last ?? null)] : null,
      total: Number((counts ? counted : row[afterVersions]) ?? 0),
    }
  }

  const readRows = async (
    { plan, dependencies, page, total }: ListStatements,
    request: ListRequest,
  ): Promise<ReadPage> => {
    const { brand, include, limit } = request
    const { table } = plan
    const counts = total ? [bind(total, request)] : []
    const [first = [], ...results] = await database.read(
      [bind(page, request), ...compileStates(dependencies, request), ...counts],
      ownerNumber(brand),
      { isBrief: total !== null },
    )
    const { page: unsorted, bodies } = splitIncluded(first, table.key.length, include)
    // No engine promises the order of a union's rows, although both keep it.
    const rows = unsorted.toSorted((one, other) =>
      compareKeys(readKey(one, table), readKey(other, table)),
    )
    const states = results.slice(0, dependencies.length)
    const counted = total ? results.at(-1)?.[0]?.[0] : states[0]?.[0]?.[1]
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const texts = readBodies(shown, table, include, bodies)
    return {
      ...parseState(dependencies, brand, states),
      items: texts && joinBodies(texts),
      next: rows.length > limit && last ? readKey(last, table) : null,
      total: Number(counted ?? 0),
    }
  }

  /** A page with long texts: its identities first, then record by record. */
  const readLong = (statements: ListStatements, request: ListRequest): Promise<Page> =>
    database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
      const { plan, dependencies } = statements
      const { state, total } = await readStates(steps, dependencies, request)
      const [counted] = statements.total
        ? await steps.all(bind(statements.total, request))
        : [[total]]
      const rows = await steps.all(bind(statements.keys, request))
      const keys = rows.map((row) => readKey(row, plan.table))
      const page = await readPage({ database, tables }, steps, plan, request, keys)
      return { ...state, ...page, total: Number(counted?.[0] ?? 0) }
    })

  const read = async (statements: ListStatements, request: ListRequest): Promise<Page> => {
    const page = statements.singleRow
      ? await readSingleRow(statements, statements.singleRow, request)
      : await readRows(statements, request)
    return hasItems(page) ? page : readLong(statements, request)
  }

  const readListState = async (request: ListRequest): Promise<State> => {
    const dependencies = dependenciesOfList(request)
    const results = await database.read(
      compileStates(dependencies, request),
      ownerNumber(request.brand),
    )
    return parseState(dependencies, request.brand, results)
  }

  /**
   * The page of a list that was counted before; null where the total is out of date. The filters of
   * such a list may have become wide, so the state is compared before the page is read.
   */
  const readCounted = async (request: ListRequest, name: string): Promise<Page | null> => {
    const entry = totals.get(name)
    if (!entry) return null
    const isCurrent = (state: State) => countVersion(request, state) === entry.version
    if (!canBeWide(planList(request, tables)) || isCurrent(await readListState(request))) {
      const page = await read(statementsFor(request, entry.drivingIndex, false), request)
      if (isCurrent(page)) return { ...page, total: entry.total }
    }
    totals.delete(name)
    return null
  }

  /**
   * A page and its total. Where counting takes longer than a statement may, it is done in steps, by
   * several requests if it has to be. The pages after it are then read without counting.
   */
  const readAndCount = async (
    request: ListRequest,
    name: string,
    drivingIndex: string | undefined,
    slowDriver: Driver,
  ): Promise<Page> => {
    try {
      return await read(statementsFor(request, drivingIndex, true), request)
    } catch (error) {
      if (!(error instanceof QueryTimeoutError)) throw error
      return scanned.read(request, name, slowDriver)
    }
  }

  const readFiltered = async (request: ListRequest): Promise<Page> => {
    const { resource, brand, filters } = request
    const name = JSON.stringify([ownerOf(resource, brand), resource.path, [...filters].sort()])
    const earlier = (await scanned.readEmpty(request, name)) ?? (await readCounted(request, name))
    if (earlier) return earlier
    const { drivingIndex, driver, slowDriver } = await choose(request)
    if (driver) return scanned.read(request, name, driver)
    const page = await readAndCount(request, name, drivingIndex, slowDriver)
    totals.set(name, { version: countVersion(request, page), total: page.total, drivingIndex })
    return page
  }

  return (request: ListRequest): Promise<Page> =>
    request.filters.size === 0
      ? read(statementsFor(request, undefined, false), request)
      : readFiltered(request)
}
