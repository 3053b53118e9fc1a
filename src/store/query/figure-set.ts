import {
  addDays,
  type Catalog,
  type Condition,
  comparedDays,
  conditionCollections,
  conditionWithin,
  currencyCollections,
  type FigureDefinition,
  type FirstRecords,
  fieldAt,
  type GroupScope,
  type Resource,
  resolveView,
  resourceAt,
  type SeriesDefinition,
  type SeriesPart,
  seriesParts,
  startOfDay,
  type Today,
  todayFigures,
  todaySeries,
  type View,
} from '#contract'

/** A condition whose records are counted and added up. Each member is one bit of a record's mask. */
export interface Member {
  readonly where: Condition
  readonly sum: readonly string[]
}

/**
 * A source of a record's date. The first source applies whose condition holds, or whose field is
 * not null.
 */
export interface DateSource {
  readonly field: string
  readonly where: Condition | null
}

export interface SetFigure {
  readonly name: string
  readonly sum: readonly string[]
  /** Indexes of members; the second one is null if only a snapshot says what was a week ago. */
  readonly member: number
  readonly weekAgo: number | null
  readonly first: FirstRecords | null
  readonly dates: readonly DateSource[]
  readonly hasDays: boolean
  readonly list: FigureList
}

export interface SetSeries {
  readonly name: string
  readonly sum: readonly string[]
  readonly member: number
  readonly field: string
  /** Whether the parts are values of the field rather than ranges. */
  readonly isByValue: boolean
  readonly parts: readonly (SeriesPart & { readonly list: FigureList })[]
}

/** The list behind a figure, as parameters of the query API. */
export interface FigureList {
  readonly group: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

/** All figures of the day for one group, so that its records are read once. */
export interface FigureSet {
  readonly resource: Resource
  readonly members: readonly Member[]
  readonly figures: readonly SetFigure[]
  readonly series: readonly SetSeries[]
  readonly sum: readonly string[]
  /** The collections that the figures depend on. */
  readonly collections: readonly string[]
  /** Those of them that count as if they had no records. */
  readonly left: readonly string[]
}

/** The figures of a day by group, in contract order; of a past day, only those of a period. */
export const figureSets = (
  catalog: Catalog,
  today: Today,
  hasEnded: boolean,
  scope: GroupScope,
): readonly FigureSet[] => {
  const figures = Object.values<FigureDefinition>(todayFigures)
  const groups = new Set([
    ...figures.filter(({ since }) => since || !hasEnded).map(({ group }) => group),
    ...(hasEnded ? [] : Object.values(todaySeries).map(({ group }) => group)),
  ])
  return [...groups].map((group) => figureSet(catalog, group, today, scope))
}

const figureSet = (catalog: Catalog, group: string, today: Today, scope: GroupScope): FigureSet => {
  const resource = resourceAt(catalog, group)
  const members: Member[] = []
  /** Adds a member; figures with the same condition share one. */
  const add = (where: Condition, sum: readonly string[]): number => {
    const text = JSON.stringify(where)
    const at = members.findIndex((each) => JSON.stringify(each.where) === text)
    if (at === -1) return members.push({ where, sum }) - 1
    members[at] = { where, sum: [...new Set([...(members[at]?.sum ?? []), ...sum])] }
    return at
  }
  const left = new Set(scope.has(group) ? [] : [group])
  const resolver = createResolver(catalog, resource, (where) => {
    for (const each of conditionCollections(where)) if (!scope.has(each)) left.add(each)
    return conditionWithin(scope, where)
  })
  const figures = entriesOf<FigureDefinition>(todayFigures, group).map(([name, definition]) =>
    setFigure(name, definition, resolver, today, add),
  )
  const series = entriesOf<SeriesDefinition>(todaySeries, group).map(([name, definition]) =>
    setSeries(name, definition, resolver, today, add),
  )
  const sum = [...new Set(members.flatMap((each) => each.sum))]
  const collections = [
    group,
    ...members.flatMap(({ where }) => conditionCollections(where)),
    ...currencyCollections(catalog, resource, sum),
  ]
  return {
    ...{ resource, members, figures, series, sum },
    collections: [...new Set(collections)],
    left: [...left],
  }
}

const entriesOf = <Definition extends { readonly group: string }>(
  definitions: { readonly [name: string]: Definition },
  group: string,
): readonly (readonly [string, Definition])[] =>
  Object.entries(definitions).filter(([, definition]) => definition.group === group)

interface Resolver {
  viewAt(name: string): View
  /** Resolves a condition of the contract for a day. */
  resolve(view: Pick<View, 'where' | 'parameters'>, on: Today, values?: Parameters): Condition
}

type Parameters = { readonly [name: string]: number }

const createResolver = (
  catalog: Catalog,
  resource: Resource,
  within: (where: Condition) => Condition,
): Resolver => ({
  viewAt: (name) => {
    const view = resource.views.find((each) => each.name === name)
    if (!view) throw new RangeError(`${resource.path} has no view ${name}.`)
    return view
  },
  resolve: (view, on, values = {}) =>
    within(
      resolveView(view, on, new Map(Object.entries(values)), (field, collection) =>
        fieldAt(
          collection === null ? resource.fields : resourceAt(catalog, collection).fields,
          field,
        ),
      ),
    ),
})

type Add = (where: Condition, sum: readonly string[]) => number

const setFigure = (
  name: string,
  definition: FigureDefinition,
  { viewAt, resolve }: Resolver,
  today: Today,
  add: Add,
): SetFigure => {
  const { group, view: viewName, parameters = {}, since, sum, first } = definition
  const view = viewAt(viewName)
  const inView = resolve(view, today, parameters)
  const instant = (day: string) => new Date(startOfDay(today.timezone, day)).toISOString()
  /** The period that ends with a day, as ranges of the query API. */
  const periodTo = (day: string): readonly Range[] =>
    since
      ? [
          [since.field, 'gte', instant(addDays(day, -since.days))],
          [since.field, 'lt', instant(addDays(day, 1))],
        ]
      : []
  const during = (day: string): Condition =>
    allOf([...periodTo(day).map(([field, is, value]) => compare(field, is, value)), inView])
  return {
    name,
    sum,
    member: add(since ? during(today.day) : inView, sum),
    weekAgo: since ? add(during(addDays(today.day, -comparedDays)), sum) : null,
    first,
    dates:
      first?.dates?.map(({ field, where }) => ({
        field,
        where: resolve({ where, parameters: [] }, today),
      })) ?? view.dates.map((field) => ({ field, where: null })),
    hasDays: definition.hasDays,
    list: {
      group,
      parameters: [
        ['view', viewName],
        ...Object.entries(parameters).map(([each, value]) => [each, String(value)] as const),
        ...periodTo(today.day).map(([field, is, value]) => [`${field}.${is}`, value] as const),
        ['asOf', today.day],
      ],
    },
  }
}

type Range = readonly [field: string, is: 'gte' | 'lt', value: string]

const compare = (...[field, is, value]: Range): Condition => ({ kind: 'compare', field, is, value })

const allOf = (of: readonly Condition[]): Condition => ({ kind: 'all', of })

const setSeries = (
  name: string,
  { group, view, by, sum }: SeriesDefinition,
  { viewAt, resolve }: Resolver,
  today: Today,
  add: Add,
): SetSeries => ({
  name,
  sum,
  member: add(resolve(viewAt(view), today), sum),
  field: by.field,
  isByValue: by.kind === 'values',
  parts: seriesParts(by, today.day).map((part) => ({
    ...part,
    list: {
      group,
      parameters: [['view', view], ...part.parameters, ['asOf', today.day]],
    },
  })),
})
