import { wholeScope } from '#contract'
import type { Database, Query, Row, Steps } from '#database'
import { type Body, type BodyPieces, joinBodies, noBody } from '../read/body.ts'
import { readBodies, splitIncluded } from '../read/include.ts'
import { bind, type Param, type QueryTemplate } from '../read/query-template.ts'
import { readRecords } from '../read/records.ts'
import {
  compileStates,
  type Dependency,
  parseState,
  readStates,
  type State,
  stateOf,
} from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { projectRecords } from './projection.ts'
import type { QueryPlan } from './query-plan.ts'
import type { Position, QueryRequest } from './request.ts'
import { comparePositions, identityOrder, type Order, readPosition } from './sort-order.ts'
import { compileJoinedPage, compilePage, compilePositions, type PageText } from './statements.ts'

/** A page that one statement found, and results read with it from the same snapshot. */
export interface FoundPage {
  readonly state: State
  /** Records found, including one beyond the page if another page follows. */
  readonly count: number
  /** The last record of the page; null if no page follows. */
  readonly next: Position | null
  /** The texts of the page's records, joined by commas. */
  readonly items: Body
  readonly collectionTotal: number
  readonly beside: readonly (readonly Row[])[]
}

/** Compiles a page of a list after any position. */
export interface PageAfter {
  /** Pages of one form share a statement and differ only in the position; null if each has its own. */
  readonly form: string | null
  readonly textOf: (after: Position | null) => PageText
}

/** How to present the records of a page once they are found. */
type ShownRequest = Pick<
  QueryRequest,
  'brand' | 'include' | 'limit' | 'reserve' | 'isCancelled'
> & { readonly fields?: QueryRequest['fields'] }

/** The table of a page's records, and every collection the page depends on. */
interface PageSource {
  readonly table: Table
  readonly dependencies: readonly Dependency[]
}

/** A statement that returns one row per record of a page. */
interface RowsStatement extends PageSource {
  readonly query: Query
  /** The order whose value follows the identity in a row; null if rows have no such value. */
  readonly order: Order | null
  /** Whether the statement gives up early if it is slow: see `ReadOptions`. */
  readonly isBrief: boolean
}

export interface FoundPageParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Reads pages that one statement finds. */
export interface PageFinder {
  /** Finds a page with a short statement, and runs other short queries with it. */
  find(
    plan: QueryPlan,
    request: QueryRequest,
    page: PageAfter,
    beside?: readonly Query[],
  ): Promise<FoundPage>
  /** Reads row by row, with included records; null if a text was too long to be read. */
  readRows(
    statement: RowsStatement,
    request: ShownRequest,
    beside: readonly Query[],
  ): Promise<FoundPage | null>
  /** Reads positions first, then record by record: for long texts. */
  readLong(
    source: PageSource,
    request: ShownRequest,
    beside: readonly Query[],
    findPositions: (steps: Steps) => Promise<readonly Position[]>,
  ): Promise<FoundPage>
  /** Reads only the positions of a page. */
  readPositions(steps: Steps, plan: QueryPlan, page: PageText): Promise<readonly Position[]>
  /** Reads the page at some positions, which include one more if another page follows. */
  readShown(
    steps: Steps,
    table: Table,
    request: ShownRequest,
    positions: readonly Position[],
  ): Promise<Pick<FoundPage, 'count' | 'next' | 'items'>>
}

export const createPageFinder = ({ database, tables }: FoundPageParts): PageFinder => {
  const { dialect } = database

  const readPositions: PageFinder['readPositions'] = async (steps, { target, order }, page) => {
    const rows = await steps.all(compilePositions(target, page, order))
    return rows
      .map((row) => readPosition(row, target.table, order, dialect))
      .sort(comparePositions(order))
  }

  const readShown: PageFinder['readShown'] = async (steps, table, request, positions) => {
    const { brand, include, reserve, limit } = request
    const keys = positions.slice(0, limit).map(({ key }) => key)
    // The request was checked: it includes nothing outside the scope of its key.
    const parts = { table, brand, keys, include, scope: wholeScope, reserve }
    return pageOf(positions, await readRecords({ dialect, tables }, steps, parts), request)
  }

  const readLong: PageFinder['readLong'] = (source, request, beside, findPositions) =>
    database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
      const { state, total } = await readStates(steps, source.dependencies, request)
      const results: (readonly Row[])[] = []
      for (const query of beside) results.push(await steps.all(query))
      const shown = await readShown(steps, source.table, request, await findPositions(steps))
      return { ...shown, state, collectionTotal: total, beside: results }
    })

  /**
   * Reads the joined texts of a page and the state of its collections in one row; null if a text
   * was too long to be read.
   */
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
    // The last position has a one-column identity and a value.
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

  const readRows: PageFinder['readRows'] = async (statement, request, beside) => {
    const { query, dependencies, isBrief } = statement
    const { brand } = request
    const [rows = [], ...results] = await database.read(
      [query, ...compileStates(dependencies, request), ...beside],
      ownerNumber(brand),
      { isBrief },
    )
    const { positions, bodies } = parseRows(rows, statement, request)
    if (bodies === null) return null
    const states = results.slice(0, dependencies.length)
    return {
      ...(await pageOf(positions, bodies, request)),
      state: parseState(dependencies, brand, states),
      collectionTotal: Number(states[0]?.[0]?.[1] ?? 0),
      beside: results.slice(dependencies.length),
    }
  }

  /** The positions and texts of a page's rows; the texts are null if one was too long to be read. */
  const parseRows = (
    rows: readonly Row[],
    { table, order }: RowsStatement,
    { include, limit }: ShownRequest,
  ): {
    readonly positions: readonly Position[]
    readonly bodies: readonly BodyPieces[] | null
  } => {
    const keyColumns = table.key.length
    const valueColumns = order ? 1 : 0
    const { page, bodies } =
      include.length === 0
        ? { page: rows, bodies: [] }
        : splitIncluded(rows, keyColumns + valueColumns, include)
    const compare = comparePositions(order ?? identityOrder)
    // No engine guarantees the row order of joins or unions.
    const sorted = page
      .map((row) => ({ row, position: readPosition(row, table, order ?? identityOrder, dialect) }))
      .sort((one, other) => compare(one.position, other.position))
    const shown = sorted
      .slice(0, limit)
      .map(({ row }) => [...row.slice(0, keyColumns), ...row.slice(keyColumns + valueColumns)])
    return {
      positions: sorted.map(({ position }) => position),
      bodies: readBodies(shown, table, include, bodies),
    }
  }

  const findRows = (
    { target, order, dependencies }: QueryPlan,
    request: QueryRequest,
    page: PageAfter,
    beside: readonly Query[],
  ): Promise<FoundPage | null> => {
    const query = compilePage(target, page.textOf(request.after), order, request.include)
    const { table } = target
    return readRows({ query, table, order, dependencies, isBrief: true }, request, beside)
  }

  const find: PageFinder['find'] = async (plan, request, page, beside = []) => {
    const { include, fields } = request
    const { table } = plan.target
    const isJoined = include.length === 0 && fields === null && table.key.length === 1
    const findShort = isJoined ? findJoined : findRows
    const short = await findShort(plan, request, page, beside)
    if (short) return short
    const { dependencies } = plan
    return readLong({ table, dependencies }, request, beside, (steps) =>
      readPositions(steps, plan, page.textOf(request.after)),
    )
  }

  return { find, readRows, readLong, readPositions, readShown }
}

/** Cached forms per list: few lists are read with many page sizes. */
const formsMax = 20

/** The page statements of a list by form: see `PageAfter`. */
type Forms = Map<string, QueryTemplate<Position | null>>

const compiledForms = new WeakMap<QueryPlan, Forms>()

const formsOf = (plan: QueryPlan): Forms => {
  const existing = compiledForms.get(plan)
  if (existing) return existing
  const forms: Forms = new Map()
  compiledForms.set(plan, forms)
  return forms
}

/** The statement of a page, compiled once per list and form. */
const joinedPage = (
  plan: QueryPlan,
  { form, textOf }: PageAfter,
  limit: number,
  after: Position | null,
): Query => {
  const { target, order, dependencies } = plan
  const compile = (at: Position | null) =>
    compileJoinedPage(target, textOf(at), order, limit, dependencies)
  if (form === null) return compile(after)
  const forms = formsOf(plan)
  const begin = after && (after.value === null ? 'null' : 'value')
  const name = `${form} ${begin ?? 'first'}`
  const existing = forms.get(name)
  if (existing) return bind(existing, after)
  const { text, values } = compile(
    after && { key: anyPosition.key, value: after.value === null ? null : anyPosition.value },
  )
  const params = values.map((value): Param<Position | null> => {
    if (value === anyPosition.value) return (at) => at?.value ?? null
    if (value === anyPosition.key[0]) return (at) => at?.key[0] ?? null
    return () => value
  })
  if (forms.size >= formsMax) forms.clear()
  forms.set(name, { text, params })
  return bind({ text, params }, after)
}

/** Placeholder for a request's position in a compiled statement. No value contains a null character. */
const anyPosition: Position = { value: '\u0000value', key: ['\u0000key'] }

const pageOf = async (
  positions: readonly Position[],
  bodies: readonly BodyPieces[],
  { limit, fields }: ShownRequest,
): Promise<Pick<FoundPage, 'count' | 'next' | 'items'>> => ({
  count: positions.length,
  next: positions.length > limit ? (positions[limit - 1] ?? null) : null,
  items: joinBodies(fields ? await projectRecords(bodies, new Set(fields)) : bodies),
})
