import type { Database, Query, Row, Steps } from '#database'
import type { BodyPieces } from '../read/body.ts'
import { readBodies, splitIncluded } from '../read/include.ts'
import { readRecords } from '../read/records.ts'
import { compileStates, parseState, readStates, type State } from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { dependenciesOfQuery, type QueryPlan } from './query-plan.ts'
import type { Position, QueryRequest } from './request.ts'
import { comparePositions, readPosition } from './sort-order.ts'
import { compilePage, compilePositions, type PageText } from './statements.ts'

/** A page that was found by one statement, and what was read beside it from the same state. */
export interface FoundPage {
  readonly state: State
  /** Those of the page, and one more where another page follows. */
  readonly positions: readonly Position[]
  /** The texts of the page's records. */
  readonly bodies: readonly BodyPieces[]
  readonly collectionTotal: number
  readonly beside: readonly (readonly Row[])[]
}

export interface FoundPageParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Reads pages that one statement finds. */
export const createPageFinder = ({ database, tables }: FoundPageParts) => {
  const { dialect } = database

  const readPositions = async (
    steps: Steps,
    { target, order }: QueryPlan,
    page: PageText,
  ): Promise<readonly Position[]> => {
    const rows = await steps.all(compilePositions(target, page, order))
    return rows
      .map((row) => readPosition(row, target.table, order, dialect))
      .sort(comparePositions(order))
  }

  const readShown = (
    steps: Steps,
    { target: { table } }: QueryPlan,
    { brand, include, reserve, limit }: QueryRequest,
    positions: readonly Position[],
  ): Promise<readonly BodyPieces[]> => {
    const keys = positions.slice(0, limit).map(({ key }) => key)
    return readRecords({ dialect, tables }, steps, { table, brand, keys, include, reserve })
  }

  /** Positions first, then record by record: for texts that are long. */
  const findLong = (
    plan: QueryPlan,
    request: QueryRequest,
    page: PageText,
    beside: readonly Query[],
  ): Promise<FoundPage> =>
    database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
      const { dependencies } = dependenciesOfQuery(request, tables)
      const { state, total } = await readStates(steps, dependencies, request)
      const results: (readonly Row[])[] = []
      for (const query of beside) results.push(await steps.all(query))
      const positions = await readPositions(steps, plan, page)
      const bodies = await readShown(steps, plan, request, positions)
      return { state, positions, bodies, collectionTotal: total, beside: results }
    })

  /** A page that is found by a short statement, and other short ones beside it. */
  const find = async (
    plan: QueryPlan,
    request: QueryRequest,
    page: PageText,
    beside: readonly Query[] = [],
  ): Promise<FoundPage> => {
    const { brand, include } = request
    const { target, order } = plan
    const { dependencies } = dependenciesOfQuery(request, tables)
    const [rows = [], ...results] = await database.read(
      [
        compilePage(target, page, order, include),
        ...compileStates(dependencies, request),
        ...beside,
      ],
      ownerNumber(brand),
      { isBrief: true },
    )
    const { positions, bodies } = readRows(rows, plan, request)
    if (bodies === null) return findLong(plan, request, page, beside)
    const states = results.slice(0, dependencies.length)
    return {
      positions,
      bodies,
      state: parseState(dependencies, brand, states),
      collectionTotal: Number(states[0]?.[0]?.[1] ?? 0),
      beside: results.slice(dependencies.length),
    }
  }

  /** The positions and texts of a page's rows; null where a text is too long to have been read. */
  const readRows = (
    rows: readonly Row[],
    { target: { table }, order }: QueryPlan,
    { include, limit }: QueryRequest,
  ): Pick<FoundPage, 'positions'> & { readonly bodies: readonly BodyPieces[] | null } => {
    const keyColumns = table.key.length
    const { page, bodies } =
      include.length === 0
        ? { page: rows, bodies: [] }
        : splitIncluded(rows, keyColumns + 1, include)
    const compare = comparePositions(order)
    // No engine promises the order of what is joined or united.
    const sorted = page
      .map((row) => ({ row, position: readPosition(row, table, order, dialect) }))
      .sort((one, other) => compare(one.position, other.position))
    const shown = sorted
      .slice(0, limit)
      .map(({ row }) => [...row.slice(0, keyColumns), ...row.slice(keyColumns + 1)])
    return {
      positions: sorted.map(({ position }) => position),
      bodies: readBodies(shown, table, include, bodies),
    }
  }

  return { find, readPositions, readShown }
}
