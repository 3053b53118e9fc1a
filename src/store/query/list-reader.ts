import type { Database, Steps } from '#database'
import type { ListRequest, Page } from '../read/list.ts'
import { type DependenciesOf, readState, type State } from '../read/state.ts'
import type { Table } from '../schema/tables.ts'
import { createContractLists } from './contract-list.ts'
import { createCountedLists } from './counted-list.ts'
import { createPageFinder } from './found-page.ts'
import { createPlainPages } from './plain-page.ts'
import { createPlanner } from './query-plan.ts'
import type { QueryPage, QueryRequest } from './request.ts'
import { createSearchedLists } from './searched-list.ts'
import { createWideLists, readShort } from './wide-list.ts'

export interface ListReaderParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly dependenciesOf: DependenciesOf
}

/** Reads the lists of the contract and of the query API. */
export interface ListReader {
  list(request: ListRequest): Promise<Page>
  page(request: QueryRequest): Promise<QueryPage>
  /** The same in the snapshot of `steps`. */
  pageIn(steps: Steps, request: QueryRequest): Promise<QueryPage>
  /** Reads the state that a page depends on, without reading records. */
  state(request: QueryRequest): Promise<State>
}

/**
 * Reads pages with exact totals:
 * - One statement reads a contract list. It is compiled once for all values of the filters.
 * - A list without conditions uses the collection's stored total and walks the index of its order.
 * - A list with a selective condition is found by that condition, then sorted.
 * - Any other list is counted in steps, once per version of its collections. Its pages are found
 *   along the index of its order. If only some records along that index match, the list's
 *   identities are sorted once and pages are read by identity.
 * - So are lists in an order that no index has. A page of a very long one compares all its records.
 * The event loop runs only statements that read a bounded number of records.
 */
export const createListReader = ({
  database,
  tables,
  dependenciesOf,
}: ListReaderParts): ListReader => {
  const planOf = createPlanner({ tables, dialect: database.dialect })
  const counts = createCountedLists()
  const finder = createPageFinder({ database, tables })
  const plain = createPlainPages({ database, tables, dependenciesOf, finder })
  const wide = createWideLists({ database, counts, finder })
  const searched = createSearchedLists({ database, counts, finder, wide })
  const list = createContractLists({ database, tables, planOf, counts, plain, searched, wide })

  const readPage = async (request: QueryRequest): Promise<QueryPage> => {
    const plan = planOf(request, false)
    if (request.ids) return searched.readIds(plan, request, request.ids)
    if (plan.conditions.length === 0 && plan.walk) return searched.readAll(plan, request)
    return (
      (await searched.readCounted(plan, request)) ??
      (await searched.readUncounted(plan, request)) ??
      wide.read(plan, request, null)
    )
  }

  return {
    list,
    page: async (request) =>
      isContractList(request)
        ? fromList(await list(listRequest(request)))
        : readShort(
            () => readPage(request),
            () => wide.read(planOf(request, false), request, null),
          ),
    pageIn: (steps, request) => {
      const plan = planOf(request, false)
      return request.ids
        ? searched.readIdsIn(steps, plan, request, request.ids)
        : wide.readIn(steps, plan, request)
    },
    state: (request) => readState(database, planOf(request, false).dependencies, request.brand),
  }
}

/**
 * Whether a query is equivalent to a contract list: only filters, in identity order. The version of
 * a page with totals is compared, so that it has the collections in the order of its plan.
 */
const isContractList = ({ where, ids, sort, fields, totals }: QueryRequest): boolean =>
  !totals && where.length === 0 && ids === null && sort === null && fields === null

const listRequest = ({ after, ...request }: QueryRequest): ListRequest => ({
  ...request,
  after: after?.key ?? null,
})

const fromList = ({ next, ...page }: Page): QueryPage => ({
  ...page,
  next: next && { value: null, key: next },
  missing: [],
})
