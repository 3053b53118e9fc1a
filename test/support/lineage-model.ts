/** Records in memory, random graphs of them, and a model of what a lineage walk must find. */
import assert from 'node:assert/strict'
import {
  catalog,
  type JsonValue,
  type LineageReader,
  lineageIncludes,
  lineageRelations,
  type Resource,
  referencesOf,
  resourceAt,
  stageIndexOf,
  stages,
} from '#contract'
import { chain } from '../../src/contract/lineage.ts'
import { lineageKey } from '../../src/contract/lineage-graph.ts'

export type Row = { readonly [field: string]: JsonValue }
export type Records = { readonly [path: string]: readonly Row[] }

export const pathOf = (key: string): string => key.slice(0, key.indexOf('/'))

/** A record that a walk starts from. */
export interface Start {
  readonly key: string
  readonly resource: Resource
  readonly record: Row
}

/** The first records of a group, read as a walk starts from them. */
export const startsOf = (records: Records, path: string, count: number): readonly Start[] => {
  const resource = resourceAt(catalog, path)
  return (records[path] ?? []).slice(0, count).map((row) => ({
    key: lineageKey(resource, row),
    resource,
    record: withIncluded(records, resource, row, lineageIncludes(resource)),
  }))
}

export interface MemoryReader extends LineageReader<Row> {
  readonly stats: { reads: number; atOnceMax: number }
}

/** Reads from memory as the API does: filters, includes, pages. */
export const memoryReader = (records: Records, beforeRead: () => void = () => {}): MemoryReader => {
  const stats = { reads: 0, atOnceMax: 0 }
  let running = 0
  const read = async <T>(result: () => T): Promise<T> => {
    stats.reads += 1
    running += 1
    stats.atOnceMax = Math.max(stats.atOnceMax, running)
    await Promise.resolve()
    running -= 1
    beforeRead()
    return result()
  }
  return {
    stats,
    get: (resource, id, { include }) =>
      read(() => {
        const row = rowAt(records, `${resource.path}/${id}`)
        return row ? withIncluded(records, resource, row, include) : null
      }),
    list: (resource, { filters, include, limit, cursor }) =>
      read(() => {
        const all = (records[resource.path] ?? []).filter((row) =>
          Object.entries(filters).every(([name, value]) =>
            matches(records, resource, row, name, value),
          ),
        )
        const from = Number(cursor ?? 0)
        const items = all.slice(from, from + limit)
        return {
          items: items.map((row) => withIncluded(records, resource, row, include)),
          totalItems: all.length,
          nextCursor: from + limit < all.length ? String(from + limit) : null,
        }
      }),
  }
}

const matches = (
  records: Records,
  resource: Resource,
  row: Row,
  name: string,
  value: string,
): boolean => {
  const filter = resource.filters.find((each) => each.name === name)
  assert.ok(filter, `${resource.path} has the filter ${name}`)
  const { through, field = name } = filter
  if (!through) return row[field] === value
  return (records[through.collection] ?? []).some(
    (each) => each[through.where] === value && each[through.match] === row[through.local],
  )
}

const withIncluded = (
  records: Records,
  resource: Resource,
  row: Row,
  include: readonly string[],
): Row => ({
  ...row,
  ...Object.fromEntries(
    include.map((name) => {
      const relation = lineageRelations(resource).find(
        (each) => each.kind === 'get' && each.include === name,
      )
      assert.ok(relation?.kind === 'get')
      return [name, rowAt(records, `${relation.to.path}/${row[relation.field]}`) ?? null]
    }),
  ),
})

const indexes = new WeakMap<Records, ReadonlyMap<string, Row>>()

export const rowAt = (records: Records, key: string): Row | undefined => {
  let index = indexes.get(records)
  if (!index) {
    index = new Map(
      Object.entries(records).flatMap(([path, rows]) =>
        rows.map((row) => [lineageKey(resourceAt(catalog, path), row), row] as const),
      ),
    )
    indexes.set(records, index)
  }
  return index.get(key)
}

/** The groups of the chain, with some records each that refer to each other at random. */
export const randomRecords = (seed: number): Records => {
  const random = mulberry32(seed)
  const pick = (count: number) => Math.floor(random() * count)
  const paths = stages.flatMap(({ groups }) => groups)
  const counts = new Map(paths.map((path) => [path, 1 + pick(4)]))
  // Not of the chain, but stock belongs to a receipt line by its location.
  counts.set('locations', 2)
  const rowOf = (path: string, place: number): Row => {
    const resource = resourceAt(catalog, path)
    const references = referencesOf(resource).flatMap(({ field, to }) => {
      const count = counts.get(to)
      if (count === undefined || random() < 0.2) return [[field, null]]
      // One in six references dangles: the identifier after the last does not exist.
      return [[field, `${to}-${random() < 1 / 6 ? count : pick(count)}`]]
    })
    return { ...Object.fromEntries(references), [resource.key[0] ?? 'id']: `${path}-${place}` }
  }
  return Object.fromEntries(
    paths.map((path) => [
      path,
      Array.from({ length: counts.get(path) ?? 0 }, (_, place) => rowOf(path, place)),
    ]),
  )
}

const mulberry32 = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The model: references straight from the records, without the walk's code. */
export function* referencesAmong(records: Records, keys: Iterable<string>) {
  for (const from of keys) {
    const row = rowAt(records, from)
    for (const { field, to } of referencesOf(resourceAt(catalog, pathOf(from)))) {
      const id = row?.[field]
      if (typeof id === 'string' && `${to}/${id}` !== from) {
        yield { from, to: `${to}/${id}`, via: field }
      }
    }
  }
}

/** What a record came from, and what that came from: references to earlier stages. */
export const ancestorsOf = (records: Records, start: string): ReadonlySet<string> => {
  const reached = new Set([start])
  for (const key of reached) {
    for (const { from, to } of referencesAmong(records, [key])) {
      if (isUpStep(pathOf(from), pathOf(to))) reached.add(to)
    }
  }
  return reached
}

const isUpStep = (from: string, to: string): boolean =>
  chainPairs.has(`${to} ${from}`) && (stageIndexOf(to) ?? 0) < (stageIndexOf(from) ?? 0)

const chainPairs = new Set(chain.map(({ from, to }) => `${from} ${to}`))

/** Everything that references connect, in either direction. */
export const connectedTo = (records: Records, start: string): ReadonlySet<string> => {
  const neighbours = new Map<string, string[]>()
  const join = (a: string, b: string) => neighbours.set(a, [...(neighbours.get(a) ?? []), b])
  const keys = Object.entries(records).flatMap(([path, rows]) =>
    rows.map((row) => lineageKey(resourceAt(catalog, path), row)),
  )
  for (const { from, to } of referencesAmong(records, keys)) {
    join(from, to)
    join(to, from)
  }
  const reached = new Set([start])
  for (const key of reached) for (const each of neighbours.get(key) ?? []) reached.add(each)
  return reached
}
