/**
 * Random requests of the query API, and random records for them. Both are derived from the contract,
 * so that a new parameter, view or sortable field is requested without a line here.
 */
import {
  catalog,
  comparableFields,
  csvDelimiters,
  downloadParametersOf,
  type Field,
  type Fields,
  groupingsOf,
  type JsonValue,
  keySeparator,
  type QueryParameter,
  type QueryParameterKind,
  queryBasePath,
  queryParametersOf,
  type Resource,
  relationsOf,
  sortsOf,
  summableFields,
  summaryParametersOf,
} from '#contract'
import { type DemoRecord, season } from '#demo'
import { lists, seeded, valueAt } from './model.ts'

type Draw = (below: number) => number
export type DrawnRecords = { readonly [path: string]: readonly DemoRecord[] }

const oneOf = <T>(draw: Draw, values: readonly T[]): T => values[draw(values.length)] as T

/** The day around which the dates of drawn records are. */
export const drawnDay = '2026-06-01'

const dayAt = (days: number): string =>
  new Date(Date.parse(drawnDay) + days * 86_400_000).toISOString().slice(0, 10)

const texts = [
  'Łódź GmbH',
  'lodz gmbh',
  'Straße 7',
  'STRASSE 7',
  '東京 2',
  "O'Brien",
  '',
  'A%_b',
  '😀',
]
const amounts = ['0', '0.00', '-12.5', '12.50', '0.001', '1250', '99999999999999.99', '3.10']
/** Milliseconds around midnight in time zones that are whole hours away from UTC. */
const moments = [0, 1, 3_599_999, 39_600_000, 43_200_000, 43_199_999, 50_400_000, 86_399_999]

/** A season's records with other values: nulls, equal ones, accents, long decimals, days around today. */
export const drawSeason = (
  seed: number,
  { brand, orders, timezone }: { brand: string; orders: number; timezone: string },
): DrawnRecords => {
  const draw = seeded(seed)
  const records: { [path: string]: DemoRecord[] } = {}
  for (const { path, record } of season({ brand, orders, seed })) {
    const resource = catalog.byPath.get(path)
    if (!resource) throw new RangeError(`There is no group ${path}.`)
    const drawn =
      path === 'brand'
        ? { ...record, timezone }
        : drawObject(draw, resource.fields, record, new Set(resource.key))
    records[path] ??= []
    records[path].push(drawn)
  }
  return records
}

const drawObject = (
  draw: Draw,
  fields: Fields,
  record: DemoRecord,
  unchanged: ReadonlySet<string>,
): DemoRecord =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      unchanged.has(name) ? (record[name] ?? null) : drawValue(draw, field, record[name] ?? null),
    ]),
  )

const drawValue = (draw: Draw, field: Field, value: JsonValue): JsonValue => {
  const { kind, nullable, values, code, fields = {} } = field
  if (nullable && draw(6) === 0) return null
  switch (kind) {
    case 'text':
      if (values) return oneOf(draw, values)
      return code || draw(4) > 0 ? value : oneOf(draw, texts)
    case 'integer':
      return draw(3) === 0 ? draw(9) - 1 : (value ?? draw(40))
    case 'amount':
      return draw(2) === 0 ? oneOf(draw, amounts) : (value ?? '7.25')
    case 'date':
      return draw(2) === 0 ? dayAt(draw(80) - 40) : value
    case 'timestamp':
      if (draw(2) === 0) return value
      return new Date(Date.parse(dayAt(draw(80) - 40)) + oneOf(draw, moments)).toISOString()
    case 'flag':
      return draw(2) === 0
    case 'object':
      return value === null ? null : drawObject(draw, fields, value as DemoRecord, new Set())
    default:
      return value
  }
}

/** How often a kind of request is drawn. */
const requestKinds = [
  ...Array<'list'>(10).fill('list'),
  ...Array<'summary'>(4).fill('summary'),
  ...Array<'search'>(3).fill('search'),
  ...Array<'download'>(3).fill('download'),
  'today',
  'quality',
  'sources',
] as const

export interface QueryRequests {
  /** The target of the next request. */
  next(): string
  /** Learns of a page that there are more: the next one is requested soon. */
  learn(target: string, text: string): void
  /** The kinds of parameters, and the views, that have been requested. */
  readonly kinds: ReadonlySet<QueryParameterKind>
  readonly views: ReadonlySet<string>
  /** How many requests had the cursor of a page before, and how many next pages wait. */
  readonly pages: number
  readonly waiting: number
}

export const createQueryRequests = (
  draw: Draw,
  brands: { readonly [brand: string]: DrawnRecords },
): QueryRequests => {
  const kinds = new Set<QueryParameterKind>()
  const views = new Set<string>()
  const waiting: string[] = []
  let pages = 0
  const filled = lists.filter(({ path }) =>
    Object.values(brands).some((records) => (records[path]?.length ?? 0) > 0),
  )
  const wanted = [
    ...filled,
    // Those with views, where there is most to ask for, more often.
    ...filled
      .filter((resource) => resource.views.length > 0)
      .flatMap((each) => Array(4).fill(each)),
  ] as readonly Resource[]

  const drawPairs = (
    resource: Resource,
    parameters: readonly QueryParameter[],
    records: DrawnRecords,
  ): ReadonlyMap<string, string> => {
    const pairs = new Map<string, string>()
    const add = (parameter: QueryParameter) => {
      const value = drawText(draw, resource, parameter, records)
      if (value === undefined) return
      kinds.add(parameter.kind)
      pairs.set(parameter.name, value)
    }
    const required = parameters.filter(({ kind }) => kind === 'format')
    const dependent: readonly QueryParameterKind[] = [
      ...(['asOf', 'viewParameter', 'limit', 'cursor', 'order', 'top'] as const),
    ]
    const free = parameters.filter(({ kind }) => !dependent.includes(kind) && kind !== 'format')
    const byKind = [...Map.groupBy(free, ({ kind }) => kind).values()]
    required.forEach(add)
    // By kind first: of some kinds there are dozens, of others one.
    for (let count = draw(4); count > 0; count -= 1) add(oneOf(draw, oneOf(draw, byKind)))
    const inView = free.find(({ kind }) => kind === 'view')
    if (inView && draw(2) === 0) add(inView)
    if (pairs.has('by') && draw(2) === 0) {
      kinds.add('order').add('top')
      const figures = ['items', ...(pairs.get('sum')?.split(',') ?? [])]
      pairs.set('sort', `${oneOf(draw, ['', '-'])}${oneOf(draw, figures)}`)
      pairs.set('top', String(1 + draw(5)))
    }
    const view = resource.views.find(({ name }) => name === pairs.get('view'))
    const isAged = pairs.get('by')?.includes(':ageing')
    if (view || isAged) pairs.set('asOf', dayAt(draw(60) - 30))
    if (view) {
      kinds.add('asOf')
      views.add(`${resource.path} ${view.name}`)
      for (const { name, minimum } of view.parameters) {
        if (draw(2) === 0) continue
        kinds.add('viewParameter')
        pairs.set(name, String(minimum + draw(40)))
      }
    }
    // Now and then a value that is refused, or a parameter that is not known.
    if (draw(40) === 0) pairs.set(oneOf(draw, [...pairs.keys(), 'nothing']), oneOf(draw, texts))
    return pairs
  }

  const list = (brand: string, records: DrawnRecords): string => {
    const resource = oneOf(draw, wanted)
    const pairs = new Map(drawPairs(resource, queryParametersOf(resource), records))
    const count = records[resource.path]?.length ?? 0
    pairs.set('limit', String(Math.min(100, Math.max(1, Math.ceil(count / (1 + draw(6)))))))
    return targetOf(`/brands/${brand}/${resource.path}`, pairs)
  }
  const part = (
    name: string,
    parametersOf: (resource: Resource) => readonly QueryParameter[],
    brand: string,
    records: DrawnRecords,
  ): string => {
    const resource = oneOf(draw, wanted)
    const pairs = drawPairs(resource, parametersOf(resource), records)
    return targetOf(`/brands/${brand}/${resource.path}/${name}`, pairs)
  }
  const search = (brand: string, records: DrawnRecords): string => {
    const searched = filled.filter(({ searchable }) => searchable.length > 0)
    const resource = oneOf(draw, searched)
    const record = oneOf(draw, records[resource.path] ?? [{}])
    const value = String(valueAt(record ?? {}, oneOf(draw, resource.searchable)) ?? 'po')
    const words = value.split(/\s+/)
    const query = [
      value,
      value.slice(0, 1 + draw(value.length)).toWellFormed(),
      words.toReversed().join(' '),
      oneOf(draw, words).toUpperCase(),
    ]
    const pairs = new Map([['q', [...oneOf(draw, query)].slice(0, 100).join('')]])
    if (draw(3) === 0) pairs.set('limit', String(1 + draw(50)))
    if (draw(4) === 0) pairs.set('groups', `${resource.path},${oneOf(draw, searched).path}`)
    return targetOf(`/brands/${brand}/search`, pairs)
  }

  return {
    kinds,
    views,
    get pages() {
      return pages
    },
    get waiting() {
      return waiting.length
    },
    learn: (target, text) => {
      const cursor = /"nextCursor":"([^"]+)"/.exec(text.slice(-1_000))?.[1]
      if (cursor) waiting.push(`${target.replace(/&cursor=.*$/, '')}&cursor=${cursor}`)
    },
    next: () => {
      const continued = waiting.shift()
      if (continued) {
        pages += 1
        return continued
      }
      const [brand, records] = oneOf(draw, Object.entries(brands))
      switch (oneOf(draw, requestKinds)) {
        case 'list':
          return list(brand, records)
        case 'summary':
          return part('summary', summaryParametersOf, brand, records)
        case 'download':
          return part('download', downloadParametersOf, brand, records)
        case 'search':
          return search(brand, records)
        case 'today':
          return targetOf(`/brands/${brand}/today`, new Map([['asOf', dayAt(draw(60) - 30)]]))
        case 'quality':
          return targetOf(`/brands/${brand}/quality`, new Map())
        case 'sources':
          return targetOf(`/brands/${brand}/sources`, new Map())
      }
    },
  }
}

const targetOf = (path: string, pairs: ReadonlyMap<string, string>): string => {
  const query = [...pairs].map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${queryBasePath}${path}?${query.join('&')}`
}

/** The text of a parameter, mostly with a value that a record has; undefined where it has none. */
const drawText = (
  draw: Draw,
  resource: Resource,
  { kind, path = '', field, filter }: QueryParameter,
  records: DrawnRecords,
): string | undefined => {
  const own = records[resource.path] ?? []
  const some = (): DemoRecord => oneOf(draw, own) ?? {}
  const drawnValue = (name: string) => valueAt(some(), name)
  const names = (from: readonly string[], most: number) =>
    Array.from({ length: 1 + draw(most) }, () => oneOf(draw, from)).join()
  switch (kind) {
    case 'filter': {
      const { through } = filter ?? {}
      const value = through
        ? valueAt(oneOf(draw, records[through.collection] ?? [{}]) ?? {}, through.where)
        : drawnValue(filter?.field ?? '')
      return value === null ? undefined : String(value)
    }
    case 'in': {
      const values = Array.from({ length: 1 + draw(3) }, () => drawnValue(path))
      const usable = values.filter((each) => each !== null && each !== '').map(String)
      return usable.length === 0 ? undefined : usable.join()
    }
    case 'range':
    case 'updatedSince': {
      const value = drawnValue(path)
      if (value === null) return undefined
      const isDay = field?.kind === 'timestamp' && draw(2) === 0
      return isDay ? String(value).slice(0, 10) : String(value)
    }
    case 'null':
      return oneOf(draw, ['true', 'false'])
    case 'prefix': {
      const characters = [...String(drawnValue(path) ?? '')].slice(0, 1 + draw(5)).join('')
      if (characters.trim() === '') return undefined
      return oneOf(draw, [characters, characters.toUpperCase(), characters.toLowerCase()])
    }
    case 'ids': {
      const ids = Array.from({ length: 1 + draw(5) }, () => {
        const record = some()
        return resource.key.map((name) => String(record[name])).join(keySeparator)
      })
      return ids.join()
    }
    case 'view':
      return oneOf(draw, resource.views).name
    case 'sort':
      return `${oneOf(draw, ['', '-'])}${oneOf(draw, sortsOf(resource))}`
    case 'totals':
      return names(summableFields(resource), 2)
    case 'fields':
      return names(Object.keys(resource.fields), 4)
    case 'include':
      return oneOf(draw, relationsOf(resource)).name
    case 'sum':
      return names(summableFields(resource), 3)
    case 'min':
    case 'max':
      return names(comparableFields(resource), 2)
    case 'by':
      return names(
        groupingsOf(resource).map(({ name }) => name),
        2,
      )
    case 'format':
      return oneOf(draw, ['ndjson', 'csv'])
    case 'bom':
      return oneOf(draw, ['true', 'false'])
    case 'delimiter':
      return oneOf(draw, csvDelimiters)
    default:
      return undefined
  }
}
