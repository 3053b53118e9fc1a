import { ApiError } from '#contract'
import { type Database, QueryTimeoutError, type Steps } from '#database'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { joinBodies, noBody } from './body.ts'
import { createCountCache, type ScannedTotal } from './count-cache.ts'
import { type Key, type ListPlan, type ListRequest, planList, readKey } from './list.ts'
import type { Page } from './page.ts'
import { createTemplateCache } from './query-template.ts'
import { readRecords } from './records.ts'
import { createResume } from './resumable-scan.ts'
import {
  bindSlice,
  compareKeys,
  compileSlice,
  countMatches,
  type Driver,
  findMatches,
  type ListProgress,
  newProgress,
  type RunSlice,
} from './scan.ts'
import { compileStates, type DependenciesOf, parseState, readStates, type State } from './state.ts'

export interface ScannedListsParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly dependenciesOf: DependenciesOf
  /** The version of what a list's total depends on. */
  readonly countVersion: (request: ListRequest, state: State) => string
}

/** Reads lists whose filters each match many records, by scans in steps. */
export interface ScannedLists {
  /** A page that is known to have no records; null where that is not known. */
  readEmpty(request: ListRequest, name: string): Promise<Page | null>
  /** A page, by scans that let other requests have their turn. */
  read(request: ListRequest, name: string, driver: Driver): Promise<Page>
}

/** Each has up to 101 identities: about 10 MB in all. */
const scannedTotalsMax = 1_000
const unfinishedMax = 1_000

export const createScannedLists = (parts: ScannedListsParts): ScannedLists => {
  const { database, tables, dependenciesOf, countVersion } = parts
  const { dialect } = database
  const totals = createCountCache<ScannedTotal>(scannedTotalsMax)
  const resumeScan = createResume<ListProgress>(unfinishedMax)
  const cachedSlice = createTemplateCache<ReturnType<typeof compileSlice>>()

  /** Runs the slices of one list's scans. */
  const sliceRunner =
    (steps: Steps, plan: ListPlan, driver: Driver, request: ListRequest): RunSlice =>
    async (statement, slice) => {
      const { resource, filters } = request
      const [hasFrom, hasTo] = [slice.from !== null, slice.to !== null]
      const ofList = `${resource.path} ${[...filters.keys()]}`
      const ofSlice = `${driver.kind} ${driver.filter} ${statement} ${hasFrom} ${hasTo}`
      const template = cachedSlice(`${ofList} ${ofSlice}`, () =>
        compileSlice(plan, driver, dialect, statement, { hasFrom, hasTo }),
      )
      const rows = await steps.all(bindSlice(template, request, slice))
      return statement === 'count' ? rows : rows.map((row) => readKey(row, plan.table))
    }

  const resume = async (
    name: string,
    version: string,
    driver: Driver,
    from: Key | null,
    scan: (progress: ListProgress) => Promise<void>,
  ): Promise<ListProgress> => {
    // The positions of another driver's scan say nothing about this one.
    const ofDriver = `${name} ${driver.kind} ${driver.filter}`
    try {
      return await resumeScan(ofDriver, version, () => newProgress(from), scan)
    } catch (error) {
      throw error instanceof QueryTimeoutError ? takesLonger(error) : error
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
    totals.set(name, entry)
    return entry
  }

  return {
    readEmpty: async (request, name) => {
      const entry = totals.get(name)
      if (!entry || cachedKeys(entry, request)?.length !== 0) return null
      const { resource, brand, filters, include } = request
      const dependencies = dependenciesOf({ resource, filters: filters.keys(), include })
      const results = await database.read(compileStates(dependencies, request), ownerNumber(brand))
      const state = parseState(dependencies, brand, results)
      if (countVersion(request, state) !== entry.version) return null
      return { ...state, items: noBody, next: null, total: entry.total }
    },
    read: (request, name, driver) =>
      database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
        const { resource, filters, include, after, limit } = request
        const dependencies = dependenciesOf({ resource, filters: filters.keys(), include })
        const { state } = await readStates(steps, dependencies, request)
        const version = countVersion(request, state)
        const plan = planList(request, tables)
        const run = sliceRunner(steps, plan, driver, request)
        const cached = totals.get(name)
        const entry =
          cached?.version === version ? cached : await count(steps, run, name, version, driver)
        const search = (progress: ListProgress) =>
          findMatches(steps, run, progress, limit + 1, entry.last)
        const keys =
          cachedKeys(entry, request) ??
          (await resume(`${name} ${limit} ${after}`, version, driver, after, search)).keys
        const page = await readPage({ database, tables }, steps, plan, request, keys)
        return { ...state, ...page, total: entry.total }
      }),
  }
}

const takesLonger = (cause: QueryTimeoutError): ApiError =>
  new ApiError(
    'store_unavailable',
    'Many records match each of these filters, and comparing them takes longer than one request may. Send the same request again: it continues where this one stopped.',
    { cause, retryAfterSeconds: 1 },
  )

/** The records of a page, once its identities and whether one follows are known. */
export const readPage = async (
  {
    database,
    tables,
  }: { readonly database: Database; readonly tables: ReadonlyMap<string, Table> },
  steps: Steps,
  { table }: ListPlan,
  { brand, include, limit, reserve }: ListRequest,
  keys: readonly Key[],
): Promise<Pick<Page, 'items' | 'next'>> => {
  const shown = keys.slice(0, limit)
  const wanted = { table, brand, include, keys: shown, reserve }
  const bodies = await readRecords({ dialect: database.dialect, tables }, steps, wanted)
  return { items: joinBodies(bodies), next: keys.length > limit ? (shown.at(-1) ?? null) : null }
}

/** The identities of a page and the one after it, where those that are cached of the list suffice. */
const cachedKeys = (
  { total, keys, last }: ScannedTotal,
  { after, limit }: ListRequest,
): readonly Key[] | null => {
  if (last === null || (after && compareKeys(after, last) >= 0)) return []
  const later = after ? keys.filter((key) => compareKeys(key, after) > 0) : keys
  return total === keys.length || later.length > limit ? later.slice(0, limit + 1) : null
}
