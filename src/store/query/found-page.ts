import type { Database, Query, Row, Steps } from '#database'
import { type Body, type BodyPieces, joinBodies, noBody } from '../read/body.ts'
import { readBodies, splitIncluded } from '../read/include.ts'
import { bind, type Param } from '../read/query-template.ts'
import { readRecords } from '../read/records.ts'
import { compileStates, parseState, readStates, type State, stateOf } from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { projectRecords } from './projection.ts'
import type { QueryPlan } from './query-plan.ts'
import type { Position, QueryRequest } from './request.ts'
import { comparePositions, readPosition } from './sort-order.ts'
import { compileJoinedPage, compilePage, compilePositions, type PageText } from './statements.ts'

/** A page that was found by one statement, and what was read beside it from the same state. */
export interface FoundPage {
  readonly state: State
  /** How many records were found: one more than the page has where another page follows. */
  readonly count: number
  /** The last record of the page, where another page follows. */
  readonly next: Position | null
  /** The texts of the page's records, joined by commas. */
  readonly items: Body
  readonly collectionTotal: number
  readonly beside: readonly (readonly Row[])[]
}

/** A page of a list after any of its positions. */
export interface PageAfter {
  /** Pages of one form have the same statement but for the position; null where each has its own. */
  readonly form: string | null
  readonly textOf: (after: Position | null) => PageText
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

  /** The page of some positions, one more than it has where another page follows. */
  const readShown = async (
    steps: Steps,
    { target: { table } }: QueryPlan,
    request: QueryRequest,
    positions: readonly Position[],
  ): Promise<Pick<FoundPage, 'count' | 'next' | 'items'>> => {
    const { brand, include, reserve, limit } = request
    const keys = positions.slice(0, limit).map(({ key }) => key)
    const parts = { table, brand, keys, include, reserve }
    return pageOf(positions, await readRecords({ dialect, tables }, steps, parts), request)
  }

  /** Positions first, then record by record: for texts that are long. */
  const findLong = (
    plan: QueryPlan,
    request: QueryRequest,
    page: PageAfter,
    beside: readonly Query[],
  ): Promise<FoundPage> =>
    database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
      const { state, total } = await readStates(steps, plan.dependencies, request)
      const results: (readonly Row[])[] = []
      for (const query of beside) results.push(await steps.all(query))
      const positions = await readPositions(steps, plan, page.textOf(request.after))
      const shown = await readShown(steps, plan, request, positions)
      return { ...shown, state, collectionTotal: total, beside: results }
    })

  /** The texts of the page as one, with the state of its collections, in one row; null as below. */
  const findJoined = async (
    plan: QueryPlan,
    { brand, limit, after }: QueryRequest,
    page: PageAfter,
    beside: readonly Query[],
  ): Promise<FoundPage | null> => {
    const { target, order, dependencies } = plan
    const [rows, ...results] = await database.read(
      [joinedPage(plan, page, limit, after), ...beside],
      ownerNumber(brand),
      { isBrief: true },
    )
    const [items, texts, records, ...rest] = rows?.[0] ?? []
    const count = Number(records ?? 0)
    if (Number(texts ?? 0) < Math.min(count, limit)) return null
    // The last position has an identity of one column and a value.
    const versions = rest.slice(2, 2 + dependencies.length)
    const [total, change] = rest.slice(2 + dependencies.length)
    return {
      state: stateOf(dependencies, brand, versions, change),
      count,
      next: count > limit ? readPosition(rest, target.table, order, dialect) : null,
      items: (items ?? noBody) as Body,
      collectionTotal: Number(total ?? 0),
      beside: results,
    }
  }

  /** Record by record, with what they include; null where a text is too long to have been read. */
  const findRows = async (
    plan: QueryPlan,
    request: QueryRequest,
    page: PageAfter,
    beside: readonly Query[],
  ): Promise<FoundPage | null> => {
    const { brand, include, after } = request
    const { target, order, dependencies } = plan
    const [rows = [], ...results] = await database.read(
      [
        compilePage(target, page.textOf(after), order, include),
        ...compileStates(dependencies, request),
        ...beside,
      ],
      ownerNumber(brand),
      { isBrief: true },
    )
    const { positions, bodies } = readRows(rows, plan, request)
    if (bodies === null) return null
    const states = results.slice(0, dependencies.length)
    return {
      ...(await pageOf(positions, bodies, request)),
      state: parseState(dependencies, brand, states),
      collectionTotal: Number(states[0]?.[0]?.[1] ?? 0),
      beside: results.slice(dependencies.length),
    }
  }

  /** A page that is found by a short statement, and other short ones beside it. */
  const find = async (
    plan: QueryPlan,
    request: QueryRequest,
    page: PageAfter,
    beside: readonly Query[] = [],
  ): Promise<FoundPage> => {
    const { include, fields } = request
    const isJoined = include.length === 0 && fields === null && plan.target.table.key.length === 1
    const findShort = isJoined ? findJoined : findRows
    return (await findShort(plan, request, page, beside)) ?? findLong(plan, request, page, beside)
  }

  /** The positions and texts of a page's rows; null where a text is too long to have been read. */
  const readRows = (
    rows: readonly Row[],
    { target: { table }, order }: QueryPlan,
    { include, limit }: QueryRequest,
  ): {
    readonly positions: readonly Position[]
    readonly bodies: readonly BodyPieces[] | null
  } => {
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

/** Forms of one list: it is seldom read with many page sizes. */
const formsMax = 20

/** The statement of a page. That of a form is compiled once for a list. */
const joinedPage = (
  { target, order, dependencies, walkedPages }: QueryPlan,
  { form, textOf }: PageAfter,
  limit: number,
  after: Position | null,
): Query => {
  const compile = (at: Position | null) =>
    compileJoinedPage(target, textOf(at), order, limit, dependencies)
  if (form === null) return compile(after)
  const begin = after && (after.value === null ? 'null' : 'value')
  const name = `${form} ${begin ?? 'first'}`
  const existing = walkedPages.get(name)
  if (existing) return bind(existing, after)
  const { text, values } = compile(
    after && { key: anyPosition.key, value: after.value === null ? null : anyPosition.value },
  )
  const params = values.map((value): Param<Position | null> => {
    if (value === anyPosition.value) return (at) => at?.value ?? null
    if (value === anyPosition.key[0]) return (at) => at?.key[0] ?? null
    return () => value
  })
  if (walkedPages.size >= formsMax) walkedPages.clear()
  walkedPages.set(name, { text, params })
  return bind({ text, params }, after)
}

/** Stands for the position of a request while its statement is compiled. No value has a null character. */
const anyPosition: Position = { value: '\u0000value', key: ['\u0000key'] }

const pageOf = async (
  positions: readonly Position[],
  bodies: readonly BodyPieces[],
  { limit, fields }: QueryRequest,
): Promise<Pick<FoundPage, 'count' | 'next' | 'items'>> => ({
  count: positions.length,
  next: positions.length > limit ? (positions[limit - 1] ?? null) : null,
  items: joinBodies(fields ? await projectRecords(bodies, new Set(fields)) : bodies),
})
