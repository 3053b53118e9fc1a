import { conditionCollections } from '#contract'
import type { Database } from '#database'
import { readRepeatedly } from '../read/resumable-scan.ts'
import { readState, type State } from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import { conjunctsOf } from './conjuncts.ts'
import type { ListReader } from './list-reader.ts'
import type { QueryPage, QueryRequest } from './request.ts'
import type { Summaries } from './summary.ts'
import type { SummaryRequest } from './summary-request.ts'

export interface TotalledListsParts {
  readonly database: Database
  readonly lists: Pick<ListReader, 'page' | 'pageIn' | 'state'>
  readonly summaries: Summaries
}

/** Reads pages of the query API, with sums of the whole list if the request wants them. */
export type TotalledLists = Pick<ListReader, 'page' | 'state'>

/**
 * The page and the sums are read by themselves, because both are cached. If a write comes between
 * them, both are read again from one snapshot, however often others write.
 */
export const createTotalledLists = (parts: TotalledListsParts): TotalledLists => {
  const { database, lists, summaries } = parts

  const readTogether = (request: QueryRequest, totals: SummaryRequest): Promise<QueryPage> =>
    readRepeatedly(database, 'Adding up so many records', () =>
      database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
        const page = await lists.pageIn(steps, request)
        const { state, figures } = await summaries.stateIn(steps, totals)
        return { ...page, ...joined(page, state), totals: figures.total }
      }),
    )

  const readPage = async (request: QueryRequest, totals: SummaryRequest): Promise<QueryPage> => {
    const summary = await summaries.read(totals)
    const page = await lists.page(request)
    const selected = selectedCollections(request)
    return versionOf(page, selected) === versionOf(summary, selected)
      ? { ...page, ...joined(page, summary), totals: summary.total }
      : readTogether(request, totals)
  }

  return {
    page: (request) => {
      const { totals, isCancelled } = request
      return totals ? readPage(request, { ...totals, isCancelled }) : lists.page(request)
    },
    state: async (request) => {
      const state = await lists.state(request)
      if (!request.totals) return state
      const dependencies = summaries.dependencies(request.totals)
      return joined(state, await readState(database, dependencies, request.brand))
    },
  }
}

/** How many collections select the records. A page and its summary depend on them first, in one order. */
const selectedCollections = (request: QueryRequest): number =>
  new Set([request.resource.path, ...conjunctsOf(request).flatMap(conditionCollections)]).size

const versionOf = ({ version }: State, collections: number): string =>
  version.split('.').slice(0, collections).join('.')

/** The state that both were read from. */
const joined = (one: State, other: State): State => ({
  version: `${one.version} ${other.version}`,
  readState: {
    change: Math.min(one.readState.change, other.readState.change),
    dependencies: [...new Set([...one.readState.dependencies, ...other.readState.dependencies])],
  },
})
