import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  ApiError,
  type Catalog,
  type Condition,
  compareDecimals,
  conditionCollections,
  documentLimits,
  type GroupScope,
  parseDecimal,
  type ScorecardSort,
  scorecardCollections,
  scoredSuppliers,
  type Today,
  wholeScope,
} from '#contract'
import type { Database, IsCancelled, Query, SqlValue, Steps } from '#database'
import { compileCondition } from '../query/condition-sql.ts'
import { conjunctsOf } from '../query/conjuncts.ts'
import { keyColumns, keyRange } from '../query/key-slices.ts'
import type { PlainValue, Position, Selection, Sort } from '../query/request.ts'
import type { Summaries } from '../query/summary.ts'
import { createBoundedCache } from '../read/bounded-cache.ts'
import { readKey } from '../read/list.ts'
import { createParams } from '../read/query-template.ts'
import { readRepeatedly } from '../read/resumable-scan.ts'
import {
  type Dependency,
  dependenciesOn,
  readState,
  readStates,
  type State,
} from '../read/state.ts'
import { ownerNumber, ownerOf } from '../schema/owners.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import { follow } from './follow.ts'
import { resolveIn } from './resolve.ts'
import { readScorecard, type Scorecard, sumViews } from './scorecard.ts'
import type { DocumentWalk } from './walk.ts'

/** A request for a page of the scorecards of some suppliers. */
export interface ScorecardsRequest extends Selection {
  /** By a `ScorecardSort`; null for identity order. */
  readonly sort: Sort | null
  readonly limit: number
  /** The page begins after this supplier. */
  readonly after: Position | null
  readonly today: Today
  /** The brand's base currency. */
  readonly baseCurrency: string
  /** Other groups count as if they had no records; all groups by default. */
  readonly scope?: GroupScope | undefined
  readonly isCancelled?: IsCancelled | undefined
}

export interface ScorecardsPage extends State {
  readonly items: readonly {
    readonly id: string
    readonly title: string | null
    readonly scorecard: Scorecard
  }[]
  readonly total: number
  readonly next: Position | null
}

export interface Scorecards {
  /** Reads supplier by supplier, and each again only after a record that it counts has changed. */
  read(request: ScorecardsRequest): Promise<ScorecardsPage>
  /** Reads the state that a page depends on. */
  state(request: ScorecardsRequest): Promise<State>
}

export interface ScorecardsParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly summaries: Summaries
}

/** Cached scorecards of all brands, about 1 KB each. */
const cachedMax = 20_000
/** Identities per statement. */
const rowsMax = 1_000
/** Suppliers that are ranked in one turn of the event loop, if their scorecards are cached. */
const rankedPerTurn = 500

export const createScorecards = (parts: ScorecardsParts): Scorecards => {
  const { catalog, database, tables } = parts
  const { dialect } = database
  const cached = createBoundedCache<{ readonly version: string; readonly scorecard: Scorecard }>(
    cachedMax,
  )

  const countedIn = ({ scope = wholeScope }: ScorecardsRequest): readonly string[] =>
    scorecardCollections.filter((path) => scope.has(path))
  const dependenciesOf = (request: ScorecardsRequest): readonly Dependency[] =>
    dependenciesOn(catalog, [
      request.resource.path,
      ...conjunctsOf(request).flatMap(conditionCollections),
      ...countedIn(request),
    ])

  const readIds = async (steps: Steps, request: ScorecardsRequest): Promise<readonly string[]> => {
    const ids: string[] = []
    for (let after: Key | null = null; ; ) {
      const rows = await steps.all(compileIds(parts, request, after))
      const keys = rows.map((row) => readKey(row, tableAt(tables, request.resource.path)))
      ids.push(...keys.map(([id = '']) => id))
      if (ids.length > scoredSuppliers) throw tooMany(request)
      after = keys.at(-1) ?? null
      if (rows.length < rowsMax) return ids
    }
  }

  const readTitles = async (
    read: DocumentWalk,
    { path, title }: ScorecardsRequest['resource'],
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>> => {
    const titles = new Map<string, string | null>()
    if (title === undefined) return titles
    const request = { group: path, column: 'id', values: ids, fields: [title], where: null }
    for await (const batch of follow(read, request)) {
      for (const { from, values } of batch) titles.set(from, values[title] ?? null)
    }
    return titles
  }

  const readPage = async (steps: Steps, request: ScorecardsRequest): Promise<ScorecardsPage> => {
    const { resource, brand, today, baseCurrency, scope = wholeScope, sort, limit, after } = request
    const { state } = await readStates(steps, dependenciesOf(request), request)
    const { version } = (
      await readStates(steps, dependenciesOn(catalog, countedIn(request)), request)
    ).state
    const read: DocumentWalk = {
      ...{ steps, dialect, tables, brand, scope },
      resolve: (where, group) => resolveIn(catalog, group, where, {}, today),
    }
    const sumView = sumViews(parts, read, request)
    const scorecardOf = async (id: string): Promise<Scorecard> => {
      const name = JSON.stringify([brand, id, today, baseCurrency, scope.id])
      const earlier = cached.get(name)
      // If time runs out later, the next attempt continues with these.
      if (earlier?.version === version) return earlier.scorecard
      const scorecard = await readScorecard(read, id, today, sumView)
      cached.set(name, { version, scorecard })
      return scorecard
    }

    const ids = await readIds(steps, request)
    const ranked: Ranked[] = []
    for (const id of ids) {
      const value = sort ? ranks[sort.field as ScorecardSort](await scorecardOf(id)) : null
      ranked.push({ id, value })
      if (sort && ranked.length % rankedPerTurn === 0) await nextTurn()
    }
    const compare = compareRanked(sort?.isDescending ?? false)
    const left = ranked
      .sort(compare)
      .filter((each) => !after || compare(each, { id: after.key[0] ?? '', value: after.value }) > 0)
    const page = left.slice(0, limit)
    const titles = await readTitles(
      read,
      resource,
      page.map(({ id }) => id),
    )
    const items: ScorecardsPage['items'][number][] = []
    for (const { id } of page) {
      items.push({ id, title: titles.get(id) ?? null, scorecard: await scorecardOf(id) })
    }
    const last = page.at(-1)
    const next = last && left.length > limit ? { value: last.value, key: [last.id] } : null
    return { ...state, items, total: ids.length, next }
  }

  return {
    state: (request) => readState(database, dependenciesOf(request), request.brand),
    read: (request) =>
      readRepeatedly(database, 'Adding up so many records', () =>
        database.readInSteps(
          ownerNumber(request.brand),
          request.isCancelled,
          (steps) => readPage(steps, request),
          { timeMs: documentLimits.timeMs },
        ),
      ),
  }
}

/** The next identities of a selection, in order. */
const compileIds = (
  { database: { dialect }, tables }: ScorecardsParts,
  request: ScorecardsRequest,
  after: Key | null,
): Query => {
  const { resource, brand, ids } = request
  const table = tableAt(tables, resource.path)
  const values = createParams<SqlValue>(ownerOf(resource, brand))
  const scope = { table, tables, brand, dialect, alias: 't', values }
  const among: readonly Condition[] = ids
    ? [{ kind: 'in', field: 'id', values: ids.map(([id = '']) => id) }]
    : []
  const where = [
    't."owner" = ?1',
    ...keyRange(table, dialect, values, after, null),
    ...[...among, ...conjunctsOf(request)].map((each) => compileCondition(each, scope)),
    ...dialect.inTime,
  ]
  const keys = keyColumns(table).join(', ')
  const text = [
    `select ${keys}`,
    `from "${table.name}" as t`,
    `where ${where.join('\nand ')}`,
    `order by ${keys}`,
    `limit ${rowsMax}`,
  ].join('\n')
  return { text, values: values.all }
}

const tooMany = ({ resource: { path } }: ScorecardsRequest): ApiError => {
  const issue = `has more than ${scoredSuppliers} of ${path} to sort`
  return new ApiError('invalid_parameter', `The selection ${issue}. Add filters, or use ids.`, {
    details: [{ parameter: 'ids', issue }],
  })
}

interface Ranked {
  readonly id: string
  /** A share, an amount, or null without one. */
  readonly value: PlainValue
}

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const ranks: Record<ScorecardSort, (scorecard: Scorecard) => PlainValue> = {
  onTime: ({ onTime, late }) => shareOf(onTime, onTime + late),
  short: ({ shortLines, receiptLines }) => shareOf(shortLines, receiptLines),
  openOrders: ({ openOrders }) => openOrders.base.amount,
  disputedBalance: ({ disputedBalance }) => disputedBalance.base.amount,
}

/** Suppliers without a value come last; equal values are in identity order, in the same direction. */
const compareRanked =
  (isDescending: boolean) =>
  (one: Ranked, other: Ranked): number => {
    if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1
    const order = compareValues(one.value, other.value) || (one.id < other.id ? -1 : 1)
    if (one.id === other.id) return 0
    return isDescending ? -order : order
  }

/** Amounts that differ as numbers differ in the same way exactly, and parsing them takes long. */
const compareValues = (one: PlainValue, other: PlainValue): number => {
  const order = Number(one) - Number(other)
  return order === 0 && one !== other
    ? compareDecimals(parseDecimal(`${one}`), parseDecimal(`${other}`))
    : order
}
