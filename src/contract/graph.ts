import { type Catalog, resourceAt } from './catalog.ts'
import type { Field, Fields } from './fields.ts'
import { type Filter, fieldAt, type Resource } from './resource.ts'

/** A reference: a field of one collection that points to another. */
export interface Reference {
  readonly from: string
  /** Path of the field: `orderId`, `relationship.defaultPaymentTermId`. */
  readonly field: string
  readonly to: string
  readonly nullable: boolean
}

/** A reference that `include` can resolve: the field, and the name of the included record. */
export interface Relation {
  readonly name: string
  readonly field: string
  readonly to: string
}

/** Every reference of a record, including nested ones. */
export const referencesOf = (resource: Resource): readonly Reference[] => {
  const cached = references.get(resource)
  if (cached) return cached
  const all = walk(resource.fields).flatMap(([path, field]) =>
    field.kind === 'ref' && field.to !== undefined
      ? [{ from: resource.path, field: path, to: field.to, nullable: field.nullable }]
      : [],
  )
  references.set(resource, all)
  return all
}

/** Cached: resources do not change, and every write needs their references. */
const references = new WeakMap<Resource, readonly Reference[]>()

/** The relations of a record: its top-level references, each named without `Id`. */
export const relationsOf = (resource: Resource): readonly Relation[] =>
  referencesOf(resource)
    .filter(({ field }) => !field.includes('.'))
    .map(({ field, to }) => ({ name: field.replace(/Id$/, ''), field, to }))

/** The references to a collection. */
export const incomingOf = (catalog: Catalog, path: string): readonly Reference[] =>
  catalog.resources.flatMap(referencesOf).filter(({ to }) => to === path)

/** A list that can be filtered by a record of another collection. */
export interface IncomingList {
  readonly resource: Resource
  readonly filter: Filter
}

/** Every list that can be filtered by a record of a collection, also through a third one. */
export const incomingLists = (catalog: Catalog, path: string): readonly IncomingList[] =>
  catalog.resources.flatMap((resource) =>
    resource.filters
      .filter((filter) => filteredField(catalog, resource, filter)?.to === path)
      .map((filter) => ({ resource, filter })),
  )

/** The field that a filter compares, in its collection or in the joined one. */
export const filteredField = (
  catalog: Catalog,
  resource: Resource,
  { name, field, through }: Filter,
): Field | undefined =>
  through
    ? fieldAt(resourceAt(catalog, through.collection).fields, through.where)
    : fieldAt(resource.fields, field ?? name)

/** The collections in import order, each after those that it refers to. */
export const inImportOrder = (catalog: Catalog): readonly Resource[] =>
  importOrder(catalog)
    .flat()
    .map((path) => resourceAt(catalog, path))

/**
 * The collections in waves. Each refers only to itself and to earlier waves, so that records
 * imported in this order never refer to a later one.
 */
export const importOrder = (catalog: Catalog): readonly (readonly string[])[] => {
  const cached = importOrders.get(catalog)
  if (cached) return cached
  const waves: string[][] = []
  const placed = new Set<string>()
  let waiting = catalog.resources
  while (waiting.length > 0) {
    const ready = waiting.filter((resource) =>
      referencesOf(resource).every(({ to }) => to === resource.path || placed.has(to)),
    )
    if (ready.length === 0) {
      throw new RangeError(
        `These collections refer to each other: ${waiting.map(({ path }) => path)}.`,
      )
    }
    for (const { path } of ready) placed.add(path)
    waves.push(ready.map(({ path }) => path))
    waiting = waiting.filter(({ path }) => !placed.has(path))
  }
  importOrders.set(catalog, waves)
  return waves
}

/** Cached: a catalog does not change, and even a batch of one record needs the order. */
const importOrders = new WeakMap<Catalog, readonly (readonly string[])[]>()

/**
 * The collections that affect a list with these filters: its own and those that the filters join. A
 * change in any of them may change the response.
 */
export const collectionsBehind = (
  catalog: Catalog,
  resource: Resource,
  filterNames: Iterable<string>,
): readonly string[] => {
  const names = new Set(filterNames)
  const through = resource.filters.flatMap((filter) =>
    filter.through && names.has(filter.name)
      ? [resourceAt(catalog, filter.through.collection).path]
      : [],
  )
  return [...new Set([resource.path, ...through])]
}

const walk = (fields: Fields, prefix = ''): (readonly [string, Field])[] =>
  Object.entries(fields).flatMap(([name, field]) => [
    [prefix + name, field] as const,
    ...(field.fields ? walk(field.fields, `${prefix}${name}.`) : []),
  ])
