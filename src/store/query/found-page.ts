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

/** What a request says about the records of a page, once they are found. */
type ShownRequest = Pick<
  QueryRequest,
  'brand' | 'include' | 'limit' | 'reserve' | 'isCancelled'
> & { readonly fields?: QueryRequest['fields'] }

/** The collections of a page: that of its records, and all that it depends on. */
interface PageSource {
  readonly table: Table
  readonly dependencies: readonly Dependency[]
}

/** A statement that reads the records of a page, a row for each. */
interface RowsStatement extends PageSource {
  readonly query: Query
  /** The order whose value follows the identity in a row; null where rows have none. */
  readonly order: Order | null
  /** Whether it gives up early where it takes long: see `ReadOptions`. */
  readonly isBrief: boolean
}

export interface FoundPageParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Reads pages that one statement finds. */
export interface PageFinder {
  /** A page that is found by a short statement, and other short ones beside it. */
  find(
    plan: QueryPlan,
    request: QueryRequest,
    page: PageAfter,
    beside?: readonly Query[],
  ): Promise<FoundPage>
  /** Record by record, with what they include; null where a text is too long to have been read. */
  readRows(
    statement: RowsStatement,
    request: ShownRequest,
    beside: readonly Query[],
  ): Promise<FoundPage | null>
  /** Positions first, then record by record: for texts that are long. */
  readLong(
    source: PageSource,
    request: ShownRequest,
    beside: readonly Query[],
    findPositions: (steps: Steps) => Promise<readonly Position[]>,
  ): Promise<FoundPage>
  /** The positions of a page alone. */
  readPositions(steps: Steps, plan: QueryPlan, page: PageText): Promise<readonly Position[]>
  /** The page of some positions, one more than it has where another page follows. */
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
    const parts = { table, brand, keys, include, reserve }
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

  /** The positions and texts of a page's rows; null where a text is too long to have been read. */
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
    // No engine promises the order of what is joined or united.
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

/** Forms of one list: it is seldom read with many page sizes. */
const formsMax = 20

/** The statements of a list's pages by their form: see `PageAfter`. */
type Forms = Map<string, QueryTemplate<Position | null>>

const compiledForms = new WeakMap<QueryPlan, Forms>()

const formsOf = (plan: QueryPlan): Forms => {
  const existing = compiledForms.get(plan)
  if (existing) return existing
  const forms: Forms = new Map()
  compiledForms.set(plan, forms)
  return forms
}

/** The statement of a page. That of a form is compiled once for a list. */
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

/** Stands for the position of a request while its statement is compiled. No value has a null character. */
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
