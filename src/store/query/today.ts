import { createSharedWork } from '#concurrency'
import { addDays, type Catalog, type GroupScope, startOfDay, wholeScope } from '#contract'
import type { Database, IsCancelled, Query, Results, Row, Steps } from '#database'
import { createBoundedCache } from '../read/bounded-cache.ts'
import { compileBrandState, parseBrandState } from '../read/brand-state.ts'
import { readRepeatedly } from '../read/resumable-scan.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { createChangeCounts } from './change-counts.ts'
import {
  changedOnDay,
  changedWithin,
  type DayFigures,
  figuresOfDay,
  type SeenDay,
  seriesOfDay,
  snapshotDays,
  snapshotsWithin,
} from './day-figures.ts'
import {
  compileDaySnapshots,
  compileTaken,
  parseDaySnapshots,
  takenVersion,
} from './day-snapshots.ts'
import { createFigureReader, type GroupFigures } from './figure-reader.ts'
import { figureSets } from './figure-set.ts'

export interface TodayRequest extends SeenDay {
  readonly brand: string
  readonly baseCurrency: string
  /** Other groups count as if they had no records; all groups by default. */
  readonly scope?: GroupScope | undefined
  readonly isCancelled?: IsCancelled | undefined
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

  const versionOf = (brand: string, results: Results): string =>
    `${parseBrandState(catalog, brand, results).version} ${takenVersion(results.at(-1))}`

  const readSteps = async (steps: Steps, request: TodayRequest): Promise<DayFigures> => {
    const { brand, today, currentDay, scope = wholeScope } = request
    const hasEnded = today.day < currentDay
    const results: (readonly Row[])[] = []
    for (const query of compileVersion(request)) results.push(await steps.all(query))
    const state = parseBrandState(catalog, brand, results)
    const snapshotRows = await steps.all(compileDaySnapshots(brand, snapshotDays(request)))
    const groups: GroupFigures[] = []
    for (const set of figureSets(catalog, today, hasEnded, scope)) {
      groups.push(await figureReader.read(steps, state, { ...request, set }))
    }
    const since = new Date(startOfDay(today.timezone, addDays(today.day, -1))).toISOString()
    const snapshots = snapshotsWithin(scope, catalog, parseDaySnapshots(snapshotRows))
    const sources = { today, currentDay, groups, snapshots }
    const changed = hasEnded
      ? changedOnDay(sources, since)
      : await changeCounts.read(steps, state, { brand, since })
    return {
      version: versionOf(brand, results),
      change: state.change,
      figures: figuresOfDay(sources),
      series: seriesOfDay(sources),
      changed: changedWithin(scope, changed),
      totals: state.totals.map(([group, total]) => [group, scope.has(group) ? total : 0] as const),
      // An import may have changed nothing but other groups.
      freshness: scope.isWhole ? state.freshness : { changedAt: null, lastImport: null },
    }
  }

  const readAll = (request: TodayRequest, isCancelled: IsCancelled): Promise<DayFigures> =>
    readRepeatedly(database, 'Adding up so many records', () =>
      database.readInSteps(ownerNumber(request.brand), isCancelled, (steps) =>
        readSteps(steps, request),
      ),
    )

  return async (request: TodayRequest): Promise<DayFigures> => {
    const { brand, today, currentDay, baseCurrency, scope = wholeScope, isCancelled } = request
    const name = JSON.stringify([brand, today, currentDay, baseCurrency, scope.id])
    const results = await database.read(compileVersion(request), ownerNumber(brand))
    const version = versionOf(brand, results)
    const { change } = parseBrandState(catalog, brand, results)
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

/** The state of the records and of the snapshots that the figures of a day depend on. */
const compileVersion = (request: TodayRequest): readonly Query[] => [
  ...compileBrandState(request.brand),
  compileTaken(request.brand, snapshotDays(request)),
]
