import { type Catalog, collectionsBehind, type Resource } from '#contract'
import type { Database, Row, SqlValue, Steps } from '#database'
import {
  type Collection,
  compileCollectionState,
  compileStoredTotals,
  joinState,
  totalText,
} from '../schema/collection-stats.ts'
import { ownerOf, type Table } from '../schema/tables.ts'
import { dependencyOf, type ReadState } from './change-tracker.ts'
import {
  type CountedTotal,
  createCountCache,
  type ScannedTotal,
  type UnfinishedScan,
} from './count-cache.ts'
import { type Bodies, compileWithIncluded, spliceIncluded, splitIncluded } from './include.ts'
import {
  compileJoined,
  compileKeys,
  compileList,
  countText,
  type Key,
  type ListPlan,
  type ListRequest,
  planList,
} from './list.ts'
import {
  bind,
  createParams,
  createTemplateCache,
  type Param,
  type Params,
  type QueryTemplate,
} from './query-template.ts'
import { readRecords } from './records.ts'
import {
  bindSlice,
  canBeWide,
  chooseDriver,
  compareKeys,
  compileSlice,
  countMatches,
  type Driver,
  type FilterSizes,
  findMatches,
  newProgress,
  type Progress,
  type RunSlice,
} from './scan.ts'

/** What was read, and from which state. */
export interface State {
  /** A text that changes whenever one of the collections behind it does. */
  readonly version: string
  readonly readState: ReadState
}

/** One page: its records' JSON texts, how many match in all, and where the next page begins. */
export interface Page extends State {
  /** Joined by commas, ready to send. */
  readonly items: string
  readonly total: number
  readonly next: Key | null
}

export interface StateRequest {
  readonly resource: Resource
  readonly brand: string
  readonly filters: Iterable<string>
  readonly include: ListRequest['include']
}

export interface PagesParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Reads pages with their exact totals. */
export interface Pages {
  list(request: ListRequest): Promise<Page>
  /** The collections that an answer depends on, the asked one first. */
  dependencies(request: Omit<StateRequest, 'brand'>): readonly Dependency[]
}

export type Dependency = Collection<{ readonly brand: string }>

/** The statements of lists that differ in nothing but their values. */
interface ListStatements {
  readonly plan: ListPlan
  readonly on: readonly Dependency[]
  readonly counts: boolean
  /** The page, the standings and the total in one row, where it can be so. */
  readonly joined: QueryTemplate<ListRequest> | null
  /** Otherwise one by one, the page with what it includes. */
  readonly page: QueryTemplate<ListRequest>
  readonly total: QueryTemplate<ListRequest> | null
  /** The identities of the page alone. */
  readonly keys: QueryTemplate<ListRequest>
}

interface ReadPage extends State {
  /** Null where one of the texts is too long to be read with the others. */
  readonly items: string | null
  readonly next: Key | null
  /** The whole collection's, or what was counted. */
  readonly total: number
}

const countedTotalsMax = 10_000
/** Each has up to 101 identities: about 10 MB in all. */
const scannedTotalsMax = 1_000
const unfinishedMax = 1_000

export const createPageReader = (parts: PagesParts): Pages => {
  const { catalog, database, tables } = parts
  const { dialect } = database
  const totals = createCountCache<CountedTotal>(countedTotalsMax)
  const scanned = createCountCache<ScannedTotal>(scannedTotalsMax)
  const unfinished = createCountCache<UnfinishedScan>(unfinishedMax)
  const cachedStatements = createTemplateCache<ListStatements>()
  const cachedSlice = createTemplateCache<ReturnType<typeof compileSlice>>()
  const cachedDependencies = createTemplateCache<readonly Dependency[]>()

  const dependencies: Pages['dependencies'] = ({ resource, filters, include }) => {
    const names = [...filters]
    const includes = include.map(({ name }) => name)
    return cachedDependencies(`${resource.path} ${names} ${includes}`, () => {
      const paths = [...collectionsBehind(catalog, resource, names), ...include.map(({ to }) => to)]
      return [...new Set(paths)].map((path) => {
        const owned = catalog.byPath.get(path) ?? resource
        return { path, owner: ({ brand }) => ownerOf(owned, brand) }
      })
    })
  }

  /** The version of what a total depends on, out of that of the page: includes come last. */
  const countVersion = ({ resource, filters }: ListRequest, { version }: State): string => {
    const { length } = dependencies({ resource, filters: filters.keys(), include: [] })
    return version.split('.').slice(0, length).join('.')
  }

  /** How many records each filter leaves by itself, as far as that is kept: where it is many. */
  const readSizes = async (plan: ListPlan, request: ListRequest): Promise<FilterSizes> => {
    const { resource, brand, filters } = request
    const given = (name: string) => filters.get(name) ?? null
    const own = plan.own.map((name) => ({
      name,
      owner: ownerOf(resource, brand),
      collection: resource.path,
      filter: name,
      value: given(name),
    }))
    const through = plan.through.map(({ name, link, where }) => ({
      name,
      owner: ownerOf(link.resource, brand),
      collection: link.resource.path,
      filter: where,
      value: given(name),
    }))
    const all = [...own, ...through]
    const [rows = []] = await database.read([compileStoredTotals(all)], brand)
    return new Map(
      rows.map(([place, total]) => [all[Number(place)]?.name ?? '', Number(total)] as const),
    )
  }

  /**
   * How to read a list: along the index of the own filter that leaves the fewest records; or by a
   * scan along a driver, where every filter leaves many.
   */
  const choose = async (
    request: ListRequest,
  ): Promise<{ readonly drivingIndex: string | undefined; readonly driver: Driver | null }> => {
    const plan = planList(request, tables)
    if (!canBeWide(plan)) return { drivingIndex: plan.drivingIndex, driver: null }
    const sizes = await readSizes(plan, request)
    const driver = chooseDriver(plan, sizes)
    if (plan.through.length > 0) return { drivingIndex: plan.drivingIndex, driver }
    // What is not kept is small; among several of those any will do.
    const size = (name: string) => sizes.get(name) ?? (name === plan.drivingIndex ? 0 : 1)
    const [drivingIndex] = [...plan.own].sort((one, other) => size(one) - size(other))
    return { drivingIndex, driver }
  }

  const totalOf = (plan: ListPlan, values: Params<ListRequest>): string => {
    const [only, ...others] = plan.own
    const count = countText(plan, dialect, values)
    const isKept = others.length === 0 && plan.through.length === 0
    if (!isKept || only === undefined) return `(${count})`
    const value = values.add(({ filters }) => String(filters.get(only)))
    return totalText(plan.table, only, value, count)
  }

  /** The total alone. */
  const compileTotal = (plan: ListPlan): QueryTemplate<ListRequest> => {
    const values = createParams<Param<ListRequest>>(({ brand }) =>
      ownerOf(plan.table.resource, brand),
    )
    return { text: `select ${totalOf(plan, values)}`, params: values.all }
  }

  const compileStatements = (
    request: ListRequest,
    drivingIndex: string | undefined,
    counts: boolean,
  ): ListStatements => {
    const { resource, filters, include } = request
    const plan = { ...planList(request, tables), drivingIndex }
    const on = dependencies({ resource, filters: filters.keys(), include })
    const joins = include.length === 0 && plan.table.key.length === 1
    const page = compileList(plan, dialect)
    return {
      plan,
      on,
      counts,
      joined: joins
        ? compileJoined(plan, dialect, (values) => {
            const standings = joinState(on, values)
            const total = counts ? [totalOf(plan, values)] : []
            return { ...standings, columns: [...standings.columns, ...total] }
          })
        : null,
      page: compileWithIncluded(page, plan.table.key.length, include, tables),
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
    const names = `${[...filters.keys()]} ${include.map(({ name }) => name)}`
    const name = `${resource.path} ${names} ${after !== null} ${drivingIndex} ${counts}`
    return cachedStatements(name, () => compileStatements(request, drivingIndex, counts))
  }

  const readJoined = async (
    { on, counts }: ListStatements,
    joined: QueryTemplate<ListRequest>,
    request: ListRequest,
  ): Promise<ReadPage> => {
    const { brand } = request
    const [rows] = await database.read([bind(joined, request)], brand)
    const row = rows?.[0] ?? []
    const at = 4 + on.length
    return {
      ...stateOf(on, brand, row.slice(4, at), row[at + 1]),
      items: Number(row[3] ?? 0) > 0 ? null : ((row[0] ?? '') as string),
      next: Number(row[2] ?? 0) > 0 ? [row[1] as string] : null,
      total: Number(row[counts ? at + 2 : at] ?? 0),
    }
  }

  const readRows = async (form: ListStatements, request: ListRequest): Promise<ReadPage> => {
    const { plan, on, page, total } = form
    const { brand, include, limit } = request
    const standings = on.map(({ owner, path }) => compileCollectionState(owner(request), path))
    const counts = total ? [bind(total, request)] : []
    const results = await database.read([bind(page, request), ...standings, ...counts], brand)
    const { page: unsorted, bodies } = splitIncluded(
      results[0] ?? [],
      plan.table.key.length,
      include,
    )
    // No engine promises the order of a union's rows, although both keep it.
    const rows = unsorted.toSorted((one, other) =>
      compareKeys(readKey(one, plan.table), readKey(other, plan.table)),
    )
    const states = results.slice(1, 1 + on.length)
    const counted = total ? results.at(-1)?.[0]?.[0] : states[0]?.[0]?.[1]
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    return {
      ...parseState(on, brand, states),
      items: readBodies(shown, plan.table, include, bodies)?.join(',') ?? null,
      next: rows.length > limit && last ? readKey(last, plan.table) : null,
      total: Number(counted ?? 0),
    }
  }

  const readCollectionStates = async (
    on: readonly Dependency[],
    request: ListRequest,
    steps: Steps,
  ): Promise<{ readonly state: State; readonly total: number }> => {
    const standings: (readonly Row[])[] = []
    for (const { owner, path } of on) {
      standings.push(await steps.all(compileCollectionState(owner(request), path)))
    }
    const total = Number(standings[0]?.[0]?.[1] ?? 0)
    return { state: parseState(on, request.brand, standings), total }
  }

  /** The records of a page, once their identities are known. */
  const readShown = async (
    steps: Steps,
    { table }: ListPlan,
    { brand, include, limit, reserve }: ListRequest,
    keys: readonly Key[],
  ): Promise<Pick<Page, 'items' | 'next'>> => {
    const shown = keys.slice(0, limit)
    const request = { table, brand, include, keys: shown, reserve }
    const bodies = await readRecords({ dialect, tables }, steps, request)
    return { items: bodies.join(','), next: keys.length > limit ? (shown.at(-1) ?? null) : null }
  }

  /** A page with long texts: its identities first, then record by record. */
  const readLong = (form: ListStatements, request: ListRequest): Promise<Page> =>
    database.readInSteps(request.brand, async (steps) => {
      const { state, total } = await readCollectionStates(form.on, request, steps)
      const [counted] = form.total ? await steps.all(bind(form.total, request)) : [[total]]
      const rows = await steps.all(bind(form.keys, request))
      const keys = rows.map((row) => readKey(row, form.plan.table))
      const shown = await readShown(steps, form.plan, request, keys)
      return { ...state, ...shown, total: Number(counted?.[0] ?? 0) }
    })

  const read = async (form: ListStatements, request: ListRequest): Promise<Page> => {
    const page = form.joined
      ? await readJoined(form, form.joined, request)
      : await readRows(form, request)
    const { items } = page
    return items === null ? readLong(form, request) : { ...page, items }
  }

  /** Runs the slices of one list's scans. */
  const sliceRunner =
    (steps: Steps, plan: ListPlan, driver: Driver, request: ListRequest): RunSlice =>
    (statement, slice) => {
      const { resource, filters } = request
      const [hasFrom, hasTo] = [slice.from !== null, slice.to !== null]
      const name = `${resource.path} ${[...filters.keys()]} ${driver.kind} ${driver.filter} ${statement} ${hasFrom} ${hasTo}`
      const shape = cachedSlice(name, () =>
        compileSlice(plan, driver, dialect, statement, { hasFrom, hasTo }),
      )
      return steps.all(bindSlice(shape, request, slice))
    }

  /**
   * Runs a scan from where an earlier one of its name ended, or from its beginning. One whose time
   * is over is kept, so that a scan that takes longer than a query may is done by several requests.
   */
  const resume = async (
    name: string,
    version: string,
    driver: Driver,
    from: Key | null,
    scan: (progress: Progress) => Promise<void>,
  ): Promise<Progress> => {
    const earlier = unfinished.find(name)
    const isSame =
      earlier?.version === version &&
      earlier.driver.kind === driver.kind &&
      earlier.driver.filter === driver.filter
    // A copy: two requests may continue the same scan.
    const progress = isSame
      ? { ...earlier.progress, keys: [...earlier.progress.keys] }
      : newProgress(from)
    try {
      await scan(progress)
      return progress
    } catch (error) {
      unfinished.keep(name, { version, driver, progress })
      throw error
    }
  }

  /** Counts a list by a scan. */
  const count = async (
    steps: Steps,
    run: RunSlice,
    name: string,
    version: string,
    driver: Driver,
  ): Promise<ScannedTotal> => {
    const progress = await resume(name, version, driver, null, (each) =>
      countMatches(steps, run, each),
    )
    const { counted: total, keys, last } = progress
    const entry = { version, total, driver, keys, last }
    scanned.keep(name, entry)
    return entry
  }

  /** A page of a list whose filters are wide, by scans that let other requests in between. */
  const readScanned = (request: ListRequest, name: string, driver: Driver): Promise<Page> =>
    database.readInSteps(request.brand, async (steps) => {
      const { resource, filters, include, after, limit } = request
      const on = dependencies({ resource, filters: filters.keys(), include })
      const { state } = await readCollectionStates(on, request, steps)
      const version = countVersion(request, state)
      const plan = planList(request, tables)
      const run = sliceRunner(steps, plan, driver, request)
      const known = scanned.find(name)
      const entry =
        known?.version === version ? known : await count(steps, run, name, version, driver)
      const search = (progress: Progress) =>
        findMatches(steps, run, progress, limit + 1, entry.last)
      const keys =
        knownKeys(entry, request) ??
        (await resume(`${name} ${limit} ${after}`, version, driver, after, search)).keys
      return { ...state, ...(await readShown(steps, plan, request, keys)), total: entry.total }
    })

  /** The state of what a list depends on, without its records. */
  const readListState = async (request: ListRequest): Promise<State> => {
    const { resource, brand, filters, include } = request
    const on = dependencies({ resource, filters: filters.keys(), include })
    const standings = on.map(({ owner, path }) => compileCollectionState(owner(request), path))
    return parseState(on, brand, await database.read(standings, brand))
  }

  /** The page of a list that was scanned before, where it is known that it has no records. */
  const readEmpty = async (request: ListRequest, entry: ScannedTotal): Promise<Page | null> => {
    if (knownKeys(entry, request)?.length !== 0) return null
    const state = await readListState(request)
    if (countVersion(request, state) !== entry.version) return null
    return { ...state, items: '', next: null, total: entry.total }
  }

  /**
   * The page of a list that was counted before; null where the total is out of date. The filters of
   * such a list may have become wide, so the state is compared before the page is read.
   */
  const readCounted = async (
    request: ListRequest,
    name: string,
    entry: CountedTotal,
  ): Promise<Page | null> => {
    const isCurrent = (state: State) => countVersion(request, state) === entry.version
    if (!canBeWide(planList(request, tables)) || isCurrent(await readListState(request))) {
      const page = await read(statementsFor(request, entry.drivingIndex, false), request)
      if (isCurrent(page)) return { ...page, total: entry.total }
    }
    totals.drop(name)
    return null
  }

  return {
    dependencies,
    list: async (request) => {
      const { resource, brand, filters } = request
      if (filters.size === 0) return read(statementsFor(request, undefined, false), request)
      const owner = ownerOf(resource, brand)
      const name = JSON.stringify([owner, resource.path, [...filters].sort()])
      const entry = scanned.find(name)
      const empty = entry && (await readEmpty(request, entry))
      if (empty) return empty
      const known = totals.find(name)
      const counted = known && (await readCounted(request, name, known))
      if (counted) return counted
      const { drivingIndex, driver } = await choose(request)
      if (driver) return readScanned(request, name, driver)
      const page = await read(statementsFor(request, drivingIndex, true), request)
      totals.keep(name, { version: countVersion(request, page), total: page.total, drivingIndex })
      return page
    },
  }
}

/** The identities of a page and the one after it, where those that are kept of the list tell them. */
const knownKeys = (
  { total, keys, last }: ScannedTotal,
  { after, limit }: ListRequest,
): readonly Key[] | null => {
  if (last === null || (after && compareKeys(after, last) >= 0)) return []
  const later = after ? keys.filter((key) => compareKeys(key, after) > 0) : keys
  return total === keys.length || later.length > limit ? later.slice(0, limit + 1) : null
}

export const readKey = (row: Row, table: Table): Key => row.slice(0, table.key.length) as string[]

/** The texts of records with what they include; null where one is too long to have been read. */
export const readBodies = (
  rows: readonly Row[],
  table: Table,
  include: ListRequest['include'],
  bodies: readonly Bodies[],
): readonly string[] | null => {
  const place = table.key.length
  if (rows.some((row) => row[place] === null)) return null
  if (bodies.some((each) => [...each.values()].includes(null))) return null
  if (include.length === 0) return rows.map((row) => row[place] as string)
  const included = include.map(({ name }, index) => ({
    name,
    bodies: bodies[index] ?? new Map<string, string>(),
  }))
  return rows.map((row) => spliceIncluded(row[place] as string, row.slice(place + 1), included))
}

/** The state of an answer, from the standings of what is behind it. */
export const parseState = (
  on: readonly Dependency[],
  brand: string,
  standings: readonly (readonly Row[])[],
): State =>
  stateOf(
    on,
    brand,
    standings.map((rows) => rows[0]?.[0] ?? 0),
    standings[0]?.[0]?.[2],
  )

export const stateOf = (
  on: readonly Dependency[],
  brand: string,
  versions: readonly SqlValue[],
  change: SqlValue | undefined,
): State => ({
  version: versions.join('.'),
  readState: {
    change: Number(change ?? 0),
    dependencies: on.map(({ owner, path }) => dependencyOf(owner({ brand }), path)),
  },
})
