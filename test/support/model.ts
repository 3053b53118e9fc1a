/** The story in memory: what the service must answer, worked out without a database. */
import assert from 'node:assert/strict'
import { catalog, type Filter, type JsonValue, type Resource } from '#contract'
import { type DemoRecord, openStory } from '#demo'
import type { AskOptions, TestResponse, TestService } from './service.ts'

const story = await openStory()
const collections: { readonly [path: string]: readonly DemoRecord[] } = {
  ...story.shared,
  ...story.records,
}

/** The collections that can be listed: all but the brand itself. */
export const lists: readonly Resource[] = catalog.resources.filter(({ endpoints }) =>
  endpoints.includes('list'),
)

/** Every filter of every list. */
export const allFilters = lists.flatMap((resource) =>
  resource.filters.map((filter) => ({ resource, filter })),
)

/** The story's records of a collection, in the order a list has them. */
export const recordsAt = (path: string): readonly DemoRecord[] => {
  const { key = [] } = catalog.byPath.get(path) ?? {}
  return inOrder(key, collections[path] ?? [])
}

export const inOrder = (
  key: readonly string[],
  records: readonly DemoRecord[],
): readonly DemoRecord[] => [...records].sort((a, b) => compareKeys(keyOf(key, a), keyOf(key, b)))

export const keyOf = (key: readonly string[], record: DemoRecord): readonly string[] =>
  key.map((name) => record[name] as string)

/** Part by part, by the bytes of their UTF-8. */
export const compareKeys = (a: readonly string[], b: readonly string[]): number => {
  for (const [index, part] of a.entries()) {
    const order = Buffer.compare(Buffer.from(part), Buffer.from(b[index] ?? ''))
    if (order !== 0) return order
  }
  return 0
}

export const valueAt = (record: DemoRecord, path: string): JsonValue => {
  let value: JsonValue = record
  for (const name of path.split('.')) value = (value as DemoRecord | null)?.[name] ?? null
  return value
}

/** Whether a record of the story passes a filter. */
export const passes = (record: DemoRecord, filter: Filter, value: string | number): boolean => {
  const { field, through } = filter
  if (field !== undefined) return valueAt(record, field) === value
  assert.ok(through)
  const { collection, match, where, local } = through
  return (collections[collection] ?? []).some(
    (row) => row[where] === value && row[match] === record[local],
  )
}

/** Every distinct value that a filter can find in the story. */
export const valuesOf = (resource: Resource, filter: Filter): readonly (string | number)[] => {
  const { field, through } = filter
  const all = through
    ? (collections[through.collection] ?? []).map((row) => row[through.where] ?? null)
    : recordsAt(resource.path).map((record) => valueAt(record, field ?? ''))
  return [...new Set(all)].filter((value) => value !== null) as (string | number)[]
}

/** A value of the filter's kind that no record has. */
export const absentValue = ({ kind }: Filter): string =>
  ({
    identifier: 'ffffffff-ffff-4fff-8fff-fffffffffff0',
    string: 'no such value',
    integer: '2147483647',
  })[kind]

export type Parameters = { readonly [name: string]: string | number }

export const queryOf = (parameters: Parameters): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')

export interface Walked {
  readonly items: readonly DemoRecord[]
  readonly totals: readonly number[]
  readonly pages: readonly TestResponse[]
}

/** Reads a list from its first page to its last by `nextCursor`. */
export const walk = async (
  service: TestService,
  path: string,
  parameters: Parameters = {},
  options: AskOptions = {},
): Promise<Walked> => {
  const pages: TestResponse[] = []
  let cursor: string | null = null
  do {
    const query = queryOf({ ...parameters, ...(cursor !== null && { cursor }) })
    const page = await service.get(query === '' ? path : `${path}?${query}`, options)
    assert.equal(page.status, 200, `${path}?${query}: ${page.text.slice(0, 200)}`)
    assert.ok(pages.length < 1_000, `${path} does not end`)
    pages.push(page)
    cursor = page.body.nextCursor
  } while (cursor !== null)
  return {
    items: pages.flatMap(({ body }) => body.items),
    totals: pages.map(({ body }) => body.totalItems),
    pages,
  }
}

/** Does work for each of many, a few at a time, so that a table of thousands does not wait. */
export const eachOf = async <T>(
  many: readonly T[],
  work: (one: T, index: number) => Promise<void>,
  atOnce = 16,
): Promise<void> => {
  assert.ok(many.length > 0, 'there is nothing to do')
  const waiting = many.entries()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [index, one] of waiting) await work(one, index)
    }),
  )
}

/** Numbers that look like chance and are the same in every run. */
export const seeded = (seed: number): ((below: number) => number) => {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A version 4 UUID made from a number; in the order of the numbers. */
export const idOf = (number: number): string =>
  `${number.toString(16).padStart(8, '0')}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`

/** The second brand of many tests: a record of the brand collection. */
export const brandRecord = (slug: string, number: number): DemoRecord => ({
  ...(recordsAt('brand')[0] ?? {}),
  id: idOf(number),
  slug,
  name: slug,
})
