import { addDays, type Catalog, type GroupScope, trendFigures, wholeScope } from '#contract'
import type { Database, IsCancelled } from '#database'
import { ownerNumber } from '../schema/owners.ts'
import { type DayFigure, type DayFigures, snapshotsWithin, unknownOn } from './day-figures.ts'
import { compileSnapshotFigures, type DaySnapshot, parseDaySnapshots } from './day-snapshots.ts'
import type { TodayRequest } from './today.ts'

export interface TrendRequest extends Omit<TodayRequest, 'today'> {
  readonly timezone: string
  readonly days: number
}

export interface TrendDay {
  readonly day: string
  /** In contract order. */
  readonly figures: readonly Pick<DayFigure, 'name' | 'figures'>[]
}

export interface TrendParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly today: (request: TodayRequest) => Promise<DayFigures>
}

/** Days whose snapshots are read and parsed at once: about 100 KB of JSON. */
const daysPerStep = 30

/** Reads figures over time: of past days from their snapshots, of today from the records. */
export const createTrends =
  ({ catalog, database, today }: TrendParts) =>
  async ({ days, ...request }: TrendRequest): Promise<readonly TrendDay[]> => {
    const { brand, timezone, currentDay, scope = wholeScope, isCancelled } = request
    const live = await today({ ...request, today: { timezone, day: currentDay } })
    const past = Array.from({ length: days - 1 }, (_, at) => addDays(currentDay, at + 1 - days))
    const snapshots = await readSnapshots(
      { catalog, database },
      { brand, past, scope, isCancelled },
    )
    const trend = past.map((day): TrendDay => {
      const stored = snapshots.get(day)?.figures
      return {
        day,
        figures: trendFigures.map((name) => ({
          name,
          figures: stored?.get(name)?.figures ?? unknownOn(day, currentDay, snapshots),
        })),
      }
    })
    const figures = live.figures.filter(({ name }) =>
      trendFigures.some((figure) => figure === name),
    )
    return [...trend, { day: currentDay, figures }]
  }

interface SnapshotsRequest {
  readonly brand: string
  /** In order, without gaps. */
  readonly past: readonly string[]
  readonly scope: GroupScope
  readonly isCancelled: IsCancelled | undefined
}

const readSnapshots = (
  { catalog, database }: Pick<TrendParts, 'catalog' | 'database'>,
  { brand, past, scope, isCancelled }: SnapshotsRequest,
): Promise<ReadonlyMap<string, DaySnapshot>> =>
  database.readInSteps(ownerNumber(brand), isCancelled, async (steps) => {
    const all = new Map<string, DaySnapshot>()
    for (let at = 0; at < past.length; at += daysPerStep) {
      const [from = '', to = ''] = [past[at], past[Math.min(at + daysPerStep, past.length) - 1]]
      const rows = await steps.all(compileSnapshotFigures(brand, { from, to }, trendFigures))
      for (const [day, each] of snapshotsWithin(scope, catalog, parseDaySnapshots(rows))) {
        all.set(day, each)
      }
    }
    return all
  })
