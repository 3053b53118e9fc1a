import { createSharedWork } from '#concurrency'
import { addDays, type Catalog, startOfDay, type Today, todayFigures, todaySeries } from '#contract'
import type { Database, IsCancelled, Row, Steps } from '#database'
import { createBoundedCache } from '../read/bounded-cache.ts'
import { type BrandState, compileBrandState, parseBrandState } from '../read/brand-state.ts'
import { readRepeatedly } from '../read/resumable-scan.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { type ChangedRecords, createChangeCounts } from './change-counts.ts'
import {
  createFigureReader,
  type GroupFigures,
  type TodayFigure,
  type TodaySeries,
} from './figure-reader.ts'
import { figureSets } from './figure-set.ts'

export interface TodayRequest {
  readonly brand: string
  readonly today: Today
  readonly baseCurrency: string
  readonly isCancelled?: IsCancelled | undefined
}

export interface DayFigures {
  readonly version: string
  /** In the order of the contract. */
  readonly figures: readonly TodayFigure[]
  readonly series: readonly TodaySeries[]
  readonly changed: ChangedRecords
  readonly totals: BrandState['totals']
  readonly freshness: BrandState['freshness']
}

export interface TodayParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Results that are kept in memory: one for each brand that asks, of about 20 KB. */
const cachedMax = 500

/**
 * Reads the figures of a day. Each group is read once for all its figures, and again only when one of
 * the collections that its figures depend on has changed. All figures are of one state: a read that
 * takes too long is followed by another one, which takes over what is still valid in its own state.
 * Requests for the same figures wait for one read.
 */
export const createToday = ({ catalog, database, tables }: TodayParts) => {
  const { dialect } = database
  const cached = createBoundedCache<DayFigures>(cachedMax)
  const shared = createSharedWork<DayFigures>()
  const figureReader = createFigureReader({ catalog, dialect, tables })
  const changeCounts = createChangeCounts({ catalog, dialect, tables })

  const readSteps = async (steps: Steps, request: TodayRequest): Promise<DayFigures> => {
    const { brand, today } = request
    const results: (readonly Row[])[] = []
    for (const query of compileBrandState(brand)) results.push(await steps.all(query))
    const state = parseBrandState(catalog, brand, results)
    const groups: GroupFigures[] = []
    for (const set of figureSets(catalog, today)) {
      groups.push(await figureReader.read(steps, state, { ...request, set }))
    }
    const since = new Date(startOfDay(today.timezone, addDays(today.day, -1))).toISOString()
    const changed = await changeCounts.read(steps, state, { brand, since })
    return {
      version: state.version,
      figures: inOrder(
        Object.keys(todayFigures),
        groups.flatMap(({ figures }) => figures),
      ),
      series: inOrder(
        Object.keys(todaySeries),
        groups.flatMap(({ series }) => series),
      ),
      changed,
      totals: state.totals,
      freshness: state.freshness,
    }
  }

  const readAll = (request: TodayRequest, isCancelled: IsCancelled): Promise<DayFigures> =>
    readRepeatedly(() =>
      database.readInSteps(ownerNumber(request.brand), isCancelled, (steps) =>
        readSteps(steps, request),
      ),
    )

  return async (request: TodayRequest): Promise<DayFigures> => {
    const { brand, today, baseCurrency, isCancelled } = request
    const name = JSON.stringify([brand, today, baseCurrency])
    const results = await database.read(compileBrandState(brand), ownerNumber(brand))
    const { version } = parseBrandState(catalog, brand, results)
    const earlier = cached.get(name)
    if (earlier?.version === version) return earlier
    // What began before the records changed is not of the state that this request has seen.
    return shared.run(`${name} ${version}`, isCancelled, async (haveAllLeft) => {
      const result = await readAll(request, haveAllLeft)
      cached.set(name, result)
      return result
    })
  }
}

const inOrder = <Figure extends { readonly name: string }>(
  names: readonly string[],
  all: readonly Figure[],
): readonly Figure[] => names.flatMap((name) => all.find((each) => each.name === name) ?? [])
