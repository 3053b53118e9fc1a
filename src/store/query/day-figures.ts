import {
  addDays,
  type Catalog,
  comparedDays,
  conditionCollections,
  type FigureDefinition,
  type GroupScope,
  resourceAt,
  type SeriesDefinition,
  seriesParts,
  type Today,
  todayFigures,
  todaySeries,
} from '#contract'
import type { BrandState } from '../read/brand-state.ts'
import type { ChangedRecords } from './change-counts.ts'
import type { DaySnapshot, KeptFigure } from './day-snapshots.ts'
import type { GroupFigures, TodayFigure, TodaySeries } from './figure-reader.ts'
import type { FigureList } from './figure-set.ts'
import type { Figures } from './summary-request.ts'

/** The place of a figure that is not known. */
export interface Unknown {
  readonly items: null
  /** A sentence. */
  readonly reason: string
}

export interface DayFigure extends Pick<TodayFigure, 'name' | 'first' | 'days'> {
  readonly figures: Figures | Unknown
  readonly weekAgo: Figures | Unknown
  /** The list that it is the total of; null if the records of the list are others by now. */
  readonly list: FigureList | null
}

export interface DaySeries {
  readonly name: string
  readonly parts: readonly (Pick<TodaySeries['parts'][number], 'name' | 'from' | 'to'> &
    Pick<DayFigure, 'figures' | 'list'>)[]
}

export type DayChanged = ChangedRecords | (Unknown & Pick<ChangedRecords, 'since' | 'groups'>)

export interface DayFigures {
  readonly version: string
  /** The number of the last change that they contain. */
  readonly change: number
  /** In contract order. */
  readonly figures: readonly DayFigure[]
  readonly series: readonly DaySeries[]
  readonly changed: DayChanged
  readonly totals: BrandState['totals']
  readonly freshness: BrandState['freshness']
}

/** A day, and the day on which it is looked at. */
export interface SeenDay {
  readonly today: Today
  /** The day in the brand's time zone that has not ended yet. */
  readonly currentDay: string
}

/** The days whose snapshots belong to the figures of a day: the day if it is past, and a week ago. */
export const snapshotDays = ({ today: { day }, currentDay }: SeenDay): readonly string[] => [
  ...(day < currentDay ? [day] : []),
  weekBefore(day),
]

const weekBefore = (day: string): string => addDays(day, -comparedDays)

export interface DaySources extends SeenDay {
  /** The figures that were read from the records. */
  readonly groups: readonly GroupFigures[]
  readonly snapshots: ReadonlyMap<string, DaySnapshot>
}

/** The figures of a day, from the records where they say them, or else from snapshots. */
export const figuresOfDay = (sources: DaySources): readonly DayFigure[] => {
  const { today, currentDay, groups, snapshots } = sources
  const hasEnded = today.day < currentDay
  const then = weekBefore(today.day)
  const read = new Map(groups.flatMap(({ figures }) => figures.map((each) => [each.name, each])))
  const keptOn = (day: string, name: string): KeptFigure | undefined =>
    snapshots.get(day)?.figures.get(name)
  const unknown = (day: string) => unknownOn(day, currentDay, snapshots)
  return Object.entries<FigureDefinition>(todayFigures).map(([name, { since }]): DayFigure => {
    const current = read.get(name)
    const weekAgo = current?.weekAgo ?? keptOn(then, name)?.figures ?? unknown(then)
    if (current && (since || !hasEnded)) return { ...current, weekAgo }
    const keptFigure = keptOn(today.day, name)
    const { figures = unknown(today.day), first, days } = keptFigure ?? {}
    return { name, figures, weekAgo, first, days, list: null }
  })
}

export const seriesOfDay = (sources: DaySources): readonly DaySeries[] => {
  const { today, currentDay, groups, snapshots } = sources
  const read = new Map(groups.flatMap(({ series }) => series.map((each) => [each.name, each])))
  return Object.entries<SeriesDefinition>(todaySeries).map(([name, { by }]): DaySeries => {
    const current = read.get(name)
    if (current && today.day >= currentDay) return current
    const keptParts = snapshots.get(today.day)?.series.get(name)
    if (keptParts) return { name, parts: keptParts.map((part) => ({ ...part, list: null })) }
    const figures = unknownOn(today.day, currentDay, snapshots)
    const parts = seriesParts(by, today.day)
    return {
      name,
      parts: parts.map(({ parameters: _, ...part }) => ({ ...part, figures, list: null })),
    }
  })
}

/**
 * Snapshots have figures of all groups. A figure that counts other groups than those of the scope is
 * unknown: no snapshot has what it would have been without them.
 */
export const snapshotsWithin = (
  scope: GroupScope,
  catalog: Catalog,
  snapshots: DaySources['snapshots'],
): DaySources['snapshots'] => {
  if (scope.isWhole) return snapshots
  const definitions: { readonly [name: string]: Pick<FigureDefinition, 'group' | 'view'> } = {
    ...todayFigures,
    ...todaySeries,
  }
  const isWithin = ([name]: readonly [string, unknown]): boolean => {
    const definition = definitions[name]
    if (!definition) return false
    const { group, view } = definition
    const where = resourceAt(catalog, group).views.find((each) => each.name === view)?.where
    return [group, ...(where ? conditionCollections(where) : [])].every((each) => scope.has(each))
  }
  return new Map(
    [...snapshots].map(([day, snapshot]) => [
      day,
      {
        ...snapshot,
        figures: new Map([...snapshot.figures].filter(isWithin)),
        series: new Map([...snapshot.series].filter(isWithin)),
      },
    ]),
  )
}

/** The changed records of the groups in the scope. */
export const changedWithin = (scope: GroupScope, changed: DayChanged): DayChanged => {
  if (scope.isWhole || changed.items === null) return changed
  const groups = changed.groups.filter(({ group }) => scope.has(group))
  return { ...changed, items: groups.reduce((sum, { items }) => sum + items, 0), groups }
}

export const changedOnDay = (
  { today, currentDay, snapshots }: Omit<DaySources, 'groups'>,
  since: string,
): DayChanged =>
  snapshots.get(today.day)?.changed ?? {
    since,
    ...unknownOn(today.day, currentDay, snapshots),
    groups: [],
  }

/** Why a figure of a day is unknown. */
export const unknownOn = (
  day: string,
  currentDay: string,
  snapshots: DaySources['snapshots'],
): Unknown => {
  if (day >= currentDay) return { items: null, reason: `${day} has not ended.` }
  return {
    items: null,
    reason: snapshots.has(day)
      ? `The snapshot of ${day} does not have it.`
      : `No snapshot was taken at the end of ${day}.`,
  }
}

/** What a snapshot keeps of the figures of a day that has just ended. */
export const snapshotOf = (
  { figures, series, changed }: DayFigures,
  { day, takenAt }: Pick<DaySnapshot, 'day' | 'takenAt'>,
): DaySnapshot => ({
  day,
  takenAt,
  figures: new Map(
    figures.flatMap(({ name, figures: counted, first, days }) => {
      const { since } = todayFigures[name as keyof typeof todayFigures] as FigureDefinition
      return counted.items === null || since ? [] : [[name, { figures: counted, first, days }]]
    }),
  ),
  series: new Map(
    series.map(({ name, parts }) => [
      name,
      parts.flatMap(({ list: _, figures: counted, ...part }) =>
        counted.items === null ? [] : [{ ...part, figures: counted }],
      ),
    ]),
  ),
  changed: changed.items === null ? null : changed,
})
