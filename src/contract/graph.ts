import { type Catalog, resourceAt } from './catalog.ts'
import type { Field, Fields } from './fields.ts'
import { type Filter, fieldAt, type Resource } from './resource.ts'

/** One reference: the field of a collection that points into another. */
export interface Reference {
  readonly from: string
  /** Path of the field: `orderId`, `relationship.defaultPaymentTermId`. */
  readonly field: string
  readonly to: string
  readonly nullable: boolean
}

/** A reference that `include` can resolve: the field, and the name its record appears under. */
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

/** Resources do not change, and every write asks for their references. */
const references = new WeakMap<Resource, readonly Reference[]>()

/** The relations of a record: its own references, each named without `Id`. */
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

/** Every list that can be filtered by a record of a collection, including through a third collection. */
export const incomingLists = (catalog: Catalog, path: string): readonly IncomingList[] =>
  catalog.resources.flatMap((resource) =>
    resource.filters
      .filter((filter) => filteredField(catalog, resource, filter)?.to === path)
      .map((filter) => ({ resource, filter })),
  )

/** The field that a filter compares, in the collection itself or in the one it joins. */
export const filteredField = (
  catalog: Catalog,
  resource: Resource,
  { name, field, through }: Filter,
): Field | undefined =>
  through
    ? fieldAt(resourceAt(catalog, through.collection).fields, through.where)
    : fieldAt(resource.fields, field ?? name)

/** The collections one after the other, each after those that it refers to. */
export const inImportOrder = (catalog: Catalog): readonly Resource[] =>
  importOrder(catalog)
    .flat()
    .map((path) => resourceAt(catalog, path))

/**
 * The collections in waves: each refers only to itself and to earlier waves, so that records
 * imported in this order never refer to a record that is not there yet.
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

/** A catalog does not change, and a batch of one record is imported in the order of all. */
const importOrders = new WeakMap<Catalog, readonly (readonly string[])[]>()

/**
 * The collections whose rows decide what a list with these filters shows: its own and those its
 * filters look through. A change in any of them may change the response.
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
