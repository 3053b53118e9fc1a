import {
  addDays,
  type Catalog,
  type Condition,
  dayIn,
  daysBetween,
  type FigureDefinition,
  fieldAt,
  resolveView,
  resourceAt,
  startOfDay,
  type Today,
  todayFigures,
} from '#contract'
import type { IsCancelled } from '#database'
import { decodeBody } from '../read/body.ts'
import type { BrandProfiles } from '../read/brand-profile.ts'
import { createCountCache } from '../read/count-cache.ts'
import type { GetRequest } from '../read/get.ts'
import type { RecordBody } from '../read/record-reader.ts'
import type { ChangeCounts, ChangedRecords } from './change-counts.ts'
import type { Summaries } from './summary.ts'
import type { Figures, SummaryRequest } from './summary-request.ts'

export interface TodayRequest {
  readonly brand: string
  readonly today: Today
  readonly baseCurrency: string
  readonly isCancelled?: IsCancelled | undefined
}

/** The list that a figure is the total of, as the query API is asked for it. */
export interface FigureList {
  readonly group: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

/** The record of a figure with the earliest date. */
export interface EarliestRecord {
  readonly id: string
  /** The value of the field that is displayed as its title. */
  readonly title: string | null
  /** The date, or the day of the timestamp in the time zone of the brand. */
  readonly date: string
  /** How many days it was before today; negative where it is later. */
  readonly days: number
}

export interface TodayFigure {
  readonly name: string
  readonly figures: Figures
  readonly earliest: EarliestRecord | null
  readonly hasEarliest: boolean
  readonly list: FigureList
}

export interface DayFigures {
  readonly version: string
  readonly figures: readonly TodayFigure[]
  readonly changed: ChangedRecords
}

export interface TodayParts {
  readonly catalog: Catalog
  readonly summaries: Summaries
  readonly profiles: BrandProfiles
  readonly changeCounts: ChangeCounts
  readonly get: (request: GetRequest) => Promise<RecordBody | null>
}

/** Results that are kept in memory: one for each brand that asks, of about 10 KB. */
const cachedMax = 500
/** Imports that may come between the figures, one after the other. */
const attemptsMax = 5

/** Reads the figures of a day, all of one and the same state. */
export const createToday = (parts: TodayParts) => {
  const { catalog, summaries, profiles, changeCounts } = parts
  const cached = createCountCache<DayFigures>(cachedMax)

  const readEarliest = async (
    { brand, today, isCancelled }: TodayRequest,
    group: string,
    { value, key }: { readonly value: string; readonly key: string },
  ): Promise<EarliestRecord> => {
    const resource = resourceAt(catalog, group)
    const record = await parts.get({ resource, brand, key: [key], include: [], isCancelled })
    const fields = record ? JSON.parse(decodeBody(record.body)) : {}
    const title = resource.title === undefined ? null : fields[resource.title]
    const date = value.includes('T') ? dayIn(today.timezone, Date.parse(value)) : value
    const days = daysBetween(date, today.day)
    return { id: key, title: title === null ? null : String(title), date, days }
  }

  const readFigure = async (
    request: TodayRequest,
    name: string,
    definition: FigureDefinition,
  ): Promise<TodayFigure> => {
    const { group, hasEarliest } = definition
    const { summary, list } = compileFigure(catalog, request, definition)
    const { total, earliest } = await summaries.read(summary)
    return {
      name,
      figures: total,
      hasEarliest,
      earliest: earliest && (await readEarliest(request, group, earliest)),
      list,
    }
  }

  return async (request: TodayRequest): Promise<DayFigures> => {
    const { brand, today, baseCurrency } = request
    const name = JSON.stringify([brand, today, baseCurrency])
    let version = await profiles.version(brand)
    const earlier = cached.get(name)
    if (earlier?.version === version) return earlier
    for (let attempt = 1; ; attempt += 1) {
      const figures: TodayFigure[] = []
      for (const [figure, definition] of Object.entries(todayFigures)) {
        figures.push(await readFigure(request, figure, definition))
      }
      const changed = await changeCounts.read({ ...request, since: yesterdayOf(today) })
      const after = await profiles.version(brand)
      const result = { version: after, figures, changed }
      // What has not changed meanwhile is not read again.
      if (after === version || attempt === attemptsMax) {
        if (after === version) cached.set(name, result)
        return result
      }
      version = after
    }
  }
}

const yesterdayOf = ({ day, timezone }: Today): string =>
  new Date(startOfDay(timezone, addDays(day, -1))).toISOString()

/** The summary of a figure, and the list whose total it is. */
const compileFigure = (
  catalog: Catalog,
  { brand, today, baseCurrency, isCancelled }: TodayRequest,
  { group, view: name, parameters = {}, since, sum, hasEarliest }: FigureDefinition,
): { readonly summary: SummaryRequest; readonly list: FigureList } => {
  const resource = resourceAt(catalog, group)
  const view = resource.views.find((each) => each.name === name)
  if (!view) throw new RangeError(`${group} has no view ${name}.`)
  const values = new Map(Object.entries(parameters))
  const inView = resolveView(view, today, values, (field, collection) =>
    fieldAt(collection === null ? resource.fields : resourceAt(catalog, collection).fields, field),
  )
  const from = since && startOfDay(today.timezone, addDays(today.day, -since.days))
  const instant = from === undefined ? null : new Date(from).toISOString()
  const isRecent: readonly Condition[] =
    since && instant ? [{ kind: 'compare', field: since.field, is: 'gte', value: instant }] : []
  return {
    summary: {
      resource,
      brand,
      filters: new Map(),
      where: [inView, ...isRecent],
      ids: null,
      sum,
      min: [],
      max: [],
      by: [],
      earliest: hasEarliest ? view.dates : [],
      today,
      baseCurrency,
      isCancelled,
    },
    list: {
      group,
      parameters: [
        ['view', name],
        ...[...values].map(([each, value]) => [each, String(value)] as const),
        ...(since && instant ? [[`${since.field}.gte`, instant] as const] : []),
        ['asOf', today.day],
      ],
    },
  }
}
