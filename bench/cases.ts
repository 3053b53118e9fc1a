import { bareGet, barePage } from './bare.ts'
import type { Brand } from './brand.ts'
import { categories, itemId, itemTypes } from './order-items.ts'
import type { Server } from './product.ts'
import { shuffled } from './statistics.ts'
import { type Place, pageAt, walk } from './walk.ts'

export const caseNames = [
  'repeated page',
  'repeated get',
  'never-seen page',
  'filtered page',
  'page of 100',
  'get',
  'first pages',
  'deep pages',
  '304',
  '429',
] as const

export type CaseName = (typeof caseNames)[number]

/** Requests of one kind, with their expected status. */
export interface Case {
  readonly name: CaseName
  readonly paths: readonly string[]
  readonly headers: { readonly [name: string]: string }
  readonly status: number
  /** The same requests to the bare server; empty if they read no records. */
  readonly barePaths: readonly string[]
}

/**
 * Page sizes around 25, and just below 100. A server caches responses, and the number of start
 * places is limited. The same place with another page size is a new request with about the same
 * work. The body of the reference has the average length of these responses.
 */
export const pageSizes = [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]
const largeSizes = [95, 96, 97, 98, 99, 100]
export const pathsMax = 120_000

/** The paths of every place with every page size, shuffled. */
export const spreadOver = (
  pathOf: (place: Place, size: number) => string,
  places: readonly Place[],
  sizes: readonly number[] = pageSizes,
): readonly string[] =>
  shuffled(
    sizes.flatMap((size) => places.map((place) => ({ place, size }))),
    7,
  )
    .slice(0, pathsMax)
    .map(({ place, size }) => pathOf(place, size))

export const pageOf =
  (items: string) =>
  ({ query }: Place, size: number): string =>
    pageAt(items, query, size)

/**
 * The cases of a brand. The server that is walked here must not be the measured one: except in the
 * cases that repeat, each request must be new to the measured server.
 */
export const casesOf = async (
  server: Server,
  brand: Brand,
  placesMax: number,
): Promise<readonly Case[]> => {
  const { items, headers, rows } = brand
  const places = await placesOf(server, brand, placesMax)
  const [first, deep] = await edges(server, brand, places, placesMax / 2)
  const inner = places.filter(({ position }) => position > rows / 100 && position < rows * 0.99)
  const page = pageAt(items, '', 25)
  const get = `${items}/${itemId(0)}`
  const { etag = '' } = (await server.get(page, headers)).headers
  const filtered = await filteredPlaces(server, brand, placesMax / 2)
  const pages = (at: readonly Place[], sizes = pageSizes) => ({
    paths: spreadOver(pageOf(items), at, sizes),
    barePaths: spreadOver(barePage, at, sizes),
  })
  const gets = spreadGets(brand)
  const repeated = (path: string) => ({ paths: [path], barePaths: [] })
  const requests: Record<CaseName, Pick<Case, 'paths' | 'barePaths'>> = {
    'repeated page': repeated(page),
    'repeated get': repeated(get),
    'never-seen page': pages(inner),
    'filtered page': pages(filtered),
    'page of 100': pages(inner, largeSizes),
    get: { paths: gets, barePaths: gets.map((path) => bareGet(path.slice(items.length + 1))) },
    'first pages': { ...pages(first), barePaths: [] },
    'deep pages': { ...pages(deep), barePaths: [] },
    '304': repeated(page),
    '429': repeated(page),
  }
  const special: { readonly [name: string]: Pick<Case, 'headers' | 'status'> } = {
    '304': { headers: { ...headers, 'if-none-match': etag }, status: 304 },
    '429': { headers: brand.spentHeaders, status: 429 },
  }
  return caseNames.map((name) => {
    if (requests[name].paths.length === 0) throw new Error(`There are too few rows for: ${name}.`)
    return { name, ...requests[name], headers, status: 200, ...special[name] }
  })
}

/**
 * Records spread over the brand. A record has one path; endings without a meaning add more paths,
 * so that a small brand does not repeat requests.
 */
export const spreadGets = (
  { items, rows }: Brand,
  endings: readonly string[] = [''],
): readonly string[] => {
  const count = Math.min(rows - 1, Math.floor(pathsMax / endings.length))
  const stride = (rows - 1) / count
  const paths = Array.from(
    { length: count },
    (_, n) => `${items}/${itemId(1 + Math.floor(n * stride))}`,
  )
  return shuffled(
    endings.flatMap((ending) => paths.map((path) => path + ending)),
    11,
  )
}

/** Places spread over the brand's order items. */
export const placesOf = (server: Server, brand: Brand, count: number): Promise<readonly Place[]> =>
  walk(server, brand, { stride: between(1, brand.rows / count, 100) })

/** Equally many places in the first and the last hundredth of the records, for comparison. */
const edges = async (
  server: Server,
  brand: Brand,
  places: readonly Place[],
  count: number,
): Promise<readonly [first: readonly Place[], deep: readonly Place[]]> => {
  const width = Math.max(brand.rows / 100, Math.min(brand.rows / 4, 250))
  const stride = between(1, width / count, 100)
  const from = places.findLast(({ position }) => position <= brand.rows - width) ?? places[0]
  const placesMax = Math.ceil(width / stride)
  const first = await walk(server, brand, { stride, placesMax })
  const deep = await walk(server, brand, { stride, placesMax, ...(from && { from }) })
  return [first, deep]
}

/** Places behind filters that match many records and filters that match few. */
export const filteredPlaces = async (
  server: Server,
  brand: Brand,
  count: number,
): Promise<readonly Place[]> => {
  const filters = [
    ...itemTypes.map((type) => `itemType=${type}`),
    ...categories.map((category) => `category=${category}`),
    ...brand.skuIds.slice(0, 10).map((id) => `skuId=${id}`),
  ]
  const stride = between(1, brand.rows / 20_000, 50)
  const placesMax = Math.ceil(count / filters.length)
  const results: Place[] = []
  for (const filter of filters) {
    results.push(...(await walk(server, brand, { filter, stride, placesMax })))
  }
  return results
}

export const between = (least: number, value: number, most: number): number =>
  Math.min(most, Math.max(least, Math.floor(value)))
