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
  /** The number of the last change that they contain. */
  readonly change: number
  /** In contract order. */
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

/** Cached results, one per requesting brand, about 20 KB each. */
const cachedMax = 500

/**
 * Reads the figures of a day. Reads each group once for all its figures, and again only after a
 * collection that they depend on has changed. All figures come from one snapshot: if a read takes
 * too long, another one follows and reuses results that are still valid in its snapshot. Concurrent
 * requests for the same figures share one read.
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
      change: state.change,
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
    readRepeatedly(database, 'Adding up so many records', () =>
      database.readInSteps(ownerNumber(request.brand), isCancelled, (steps) =>
        readSteps(steps, request),
      ),
    )

  return async (request: TodayRequest): Promise<DayFigures> => {
    const { brand, today, baseCurrency, isCancelled } = request
    const name = JSON.stringify([brand, today, baseCurrency])
    const results = await database.read(compileBrandState(brand), ownerNumber(brand))
    const { version, change } = parseBrandState(catalog, brand, results)
    const earlier = cached.get(name)
    if (earlier?.version === version) return earlier
    // The version is part of the key: a read that began before a change has an older snapshot.
    const result = await shared.run(`${name} ${version}`, isCancelled, async (haveAllLeft) => {
      const result = await readAll(request, haveAllLeft)
      cached.set(name, result)
      return result
    })
    // The shared read may have come from a replica that lags behind the one read above.
    return result.change < change ? readAll(request, isCancelled ?? (() => false)) : result
  }
}

const inOrder = <Figure extends { readonly name: string }>(
  names: readonly string[],
  all: readonly Figure[],
): readonly Figure[] => names.flatMap((name) => all.find((each) => each.name === name) ?? [])
