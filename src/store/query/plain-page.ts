import type { Database } from '#database'
import { type Body, noBody } from '../read/body.ts'
import { joinState, totalText } from '../read/collection-state.ts'
import { compileWithIncluded } from '../read/include.ts'
import {
  compileJoined,
  compileKeys,
  compileList,
  countText,
  type ListPlan,
  type ListRequest,
  ownerIn,
  type Page,
  planList,
  readKey,
} from '../read/list.ts'
import {
  bind,
  createParams,
  createTemplateCache,
  type Params,
  type QueryTemplate,
} from '../read/query-template.ts'
import { type DependenciesOf, type Dependency, stateOf } from '../read/state.ts'
import { readText } from '../schema/identifier.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import type { FoundPage, PageFinder } from './found-page.ts'

export interface PlainPagesParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly dependenciesOf: DependenciesOf
  readonly finder: PageFinder
}

/** The statements of lists that differ only in their values. */
export interface PlainStatements {
  readonly plan: ListPlan
  readonly dependencies: readonly Dependency[]
  /** How many of the first dependencies the total depends on. */
  readonly countedDependencies: number
  readonly counts: boolean
  /**
   * Reads the page and the collection states in one row, if possible. Includes the total, unless
   * the dialect counts in a separate statement.
   */
  readonly singleRow: QueryTemplate<ListRequest> | null
  /** Used otherwise: the page with included records, and the total. */
  readonly page: QueryTemplate<ListRequest>
  readonly total: QueryTemplate<ListRequest> | null
  /** Reads only the identities of the page. */
  readonly keys: QueryTemplate<ListRequest>
}

/**
 * Reads pages of contract lists with one statement, compiled once for all lists that differ only in
 * their values: most requests are for such a page.
 */
export interface PlainPages {
  /** Statements along the index of a filter or of the identity. `counts` adds the filtered total. */
  statementsFor(
    request: ListRequest,
    drivingIndex: string | undefined,
    counts: boolean,
  ): PlainStatements
  /** Returns the counted total or, if `counts` is false, that of the whole collection. */
  read(statements: PlainStatements, request: ListRequest): Promise<Page>
}

/** The column of the first version in a single-row page. */
const firstVersion = 4

const brief = { isBrief: true }
const unhurried = { isBrief: false }

export const createPlainPages = (parts: PlainPagesParts): PlainPages => {
  const { database, tables, dependenciesOf, finder } = parts
  const { dialect } = database
  const cached = createTemplateCache<PlainStatements>()

  const totalOf = (plan: ListPlan, values: Params<ListRequest>): string => {
    const [only, ...others] = plan.own
    const count = countText(plan, dialect, values)
    const isStored = others.length === 0 && plan.through.length === 0
    if (!isStored || only === undefined) return `(${count})`
    const value = values.add(({ filters }) => String(filters.get(only)))
    return totalText(plan.table, only, value, count)
  }

  const compileTotal = (plan: ListPlan): QueryTemplate<ListRequest> => {
    const values = createParams(ownerIn(plan.table))
    return { text: `select ${totalOf(plan, values)}`, params: values.all }
  }

  const compileStatements = (
    request: ListRequest,
    drivingIndex: string | undefined,
    counts: boolean,
  ): PlainStatements => {
    const { resource, filters, include } = request
    const plan = { ...planList(request, tables), drivingIndex }
    const dependencies = dependenciesOf({ resource, filters: filters.keys(), include })
    const counted = dependenciesOf({ resource, filters: filters.keys(), include: [] })
    const isSingleRow = include.length === 0 && plan.table.key.length === 1
    const page = compileList(plan, dialect)
    return {
      plan,
      dependencies,
      countedDependencies: counted.length,
      counts,
      singleRow: isSingleRow
        ? compileJoined(plan, dialect, (values) => {
            const state = joinState(dependencies, values)
            const total = counts && !dialect.countsApart ? [totalOf(plan, values)] : []
            return { ...state, columns: [...state.columns, ...total] }
          })
        : null,
      page:
        include.length === 0
          ? page
          : compileWithIncluded(page, plan.table.key, include, tables, dialect),
      total: counts ? compileTotal(plan) : null,
      keys: compileKeys(plan, dialect),
    }
  }

  const statementsFor = (
    request: ListRequest,
    drivingIndex: string | undefined,
    counts: boolean,
  ): PlainStatements => {
    const { resource, filters, after, include } = request
    const filterNames = filters.size === 0 ? '' : [...filters.keys()].join()
    const includeNames = include.length === 0 ? '' : include.map(({ name }) => name).join()
    const name = `${resource.path} ${filterNames} ${includeNames} ${after !== null} ${drivingIndex} ${counts}`
    return cached(name, () => compileStatements(request, drivingIndex, counts))
  }

  /** Null if a text is too long to be read with the others. */
  const readSingleRow = async (
    { dependencies, counts, total }: PlainStatements,
    singleRow: QueryTemplate<ListRequest>,
    request: ListRequest,
  ): Promise<Page | null> => {
    const { brand, limit } = request
    const page = bind(singleRow, request)
    const [rows, totals] = await database.read(
      total && dialect.countsApart ? [page, bind(total, request)] : [page],
      ownerNumber(brand),
      counts ? brief : unhurried,
    )
    const row = rows?.[0] ?? []
    const [items, last, records, longTexts] = row
    if (Number(longTexts ?? 0) > 0) return null
    // One more than the limit if there is a next page.
    const rowCount = Number(records ?? 0)
    // After the versions: the collection's total, the number of the last change, and the count.
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
      items: (items ?? noBody) as Body,
      count: Math.min(rowCount, limit),
      next: rowCount > limit ? [readText(last ?? null)] : null,
      total: Number((counts ? counted : row[afterVersions]) ?? 0),
    }
  }

  const readRows = (
    { plan: { table }, dependencies, page, total }: PlainStatements,
    request: ListRequest,
  ): Promise<FoundPage | null> =>
    finder.readRows(
      { query: bind(page, request), table, order: null, dependencies, isBrief: total !== null },
      request,
      total ? [bind(total, request)] : [],
    )

  const readLong = (
    { plan: { table }, dependencies, keys, total }: PlainStatements,
    request: ListRequest,
  ): Promise<FoundPage> =>
    finder.readLong(
      { table, dependencies },
      request,
      total ? [bind(total, request)] : [],
      async (steps) => {
        const rows = await steps.all(bind(keys, request))
        return rows.map((row) => ({ key: readKey(row, table), value: null }))
      },
    )

  return {
    statementsFor,
    read: async (statements, request) => {
      const { singleRow } = statements
      if (singleRow) {
        const page = await readSingleRow(statements, singleRow, request)
        if (page) return page
        return pageOf(statements, request, await readLong(statements, request))
      }
      const page = (await readRows(statements, request)) ?? (await readLong(statements, request))
      return pageOf(statements, request, page)
    },
  }
}

const pageOf = (
  { counts }: PlainStatements,
  { limit }: ListRequest,
  { state, items, count, next, collectionTotal, beside }: FoundPage,
): Page => ({
  ...state,
  items,
  count: Math.min(count, limit),
  next: next?.key ?? null,
  total: counts ? Number(beside[0]?.[0]?.[0] ?? 0) : collectionTotal,
})
