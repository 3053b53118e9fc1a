import { type Catalog, collectionsBehind, type Resource, resourceAt } from '#contract'
import type { Database, Query, Row, SqlValue, Steps } from '#database'
import { ownerNumber, ownerOf } from '../schema/owners.ts'
import { dependencyOf, type ReadState } from './change-tracker.ts'
import { type Collection, compileCollectionState } from './collection-state.ts'
import type { ListRequest } from './list.ts'
import { createTemplateCache } from './query-template.ts'

/** The state that something was read from. */
export interface State {
  /** Changes whenever one of the collections that it depends on changes. */
  readonly version: string
  readonly readState: ReadState
}

export interface StateRequest {
  readonly resource: Resource
  readonly brand: string
  readonly filters: Iterable<string>
  readonly include: ListRequest['include']
}

/** A collection that a response depends on. */
export type Dependency = Collection<{ readonly brand: string }>

/** The collections that a response depends on, the requested one first. */
export type DependenciesOf = (request: Omit<StateRequest, 'brand'>) => readonly Dependency[]

export const createDependencies = (catalog: Catalog): DependenciesOf => {
  const cached = createTemplateCache<readonly Dependency[]>()
  return ({ resource, filters, include }) => {
    const names = [...filters]
    const includes = include.map(({ name }) => name)
    return cached(`${resource.path} ${names} ${includes}`, () => {
      const paths = [...collectionsBehind(catalog, resource, names), ...include.map(({ to }) => to)]
      return [...new Set(paths)].map((path) => {
        const owned = catalog.byPath.get(path) ?? resource
        return { path, owner: ({ brand }) => ownerOf(owned, brand) }
      })
    })
  }
}

/** The dependencies on these collections, of the brand or shared. */
export const dependenciesOn = (catalog: Catalog, paths: Iterable<string>): readonly Dependency[] =>
  [...new Set(paths)].map((path) => ({
    path,
    owner: ({ brand }) => ownerOf(resourceAt(catalog, path), brand),
  }))

/** One query per collection state. */
export const compileStates = (
  dependencies: readonly Dependency[],
  request: { readonly brand: string },
): readonly Query[] =>
  dependencies.map(({ owner, path }) => compileCollectionState(owner(request), path))

/** Reads the state of a response, without reading records. */
export const readState = async (
  database: Pick<Database, 'read'>,
  dependencies: readonly Dependency[],
  brand: string,
): Promise<State> => {
  const results = await database.read(compileStates(dependencies, { brand }), ownerNumber(brand))
  return parseState(dependencies, brand, results)
}

/** Reads the collections' states in steps. The total is that of the first collection. */
export const readStates = async (
  steps: Steps,
  dependencies: readonly Dependency[],
  request: { readonly brand: string },
): Promise<{ readonly state: State; readonly total: number }> => {
  const results: (readonly Row[])[] = []
  for (const query of compileStates(dependencies, request)) results.push(await steps.all(query))
  const total = Number(results[0]?.[0]?.[1] ?? 0)
  return { state: parseState(dependencies, request.brand, results), total }
}

/** Parses the results of `compileStates`. */
export const parseState = (
  dependencies: readonly Dependency[],
  brand: string,
  results: readonly (readonly Row[])[],
): State =>
  stateOf(
    dependencies,
    brand,
    results.map((rows) => rows[0]?.[0] ?? 0),
    results[0]?.[0]?.[2],
  )

/** Builds the state of a response from the columns that `joinState` adds to a row. */
export const stateOf = (
  dependencies: readonly Dependency[],
  brand: string,
  versions: readonly SqlValue[],
  change: SqlValue | undefined,
): State => ({
  version: versions.length === 1 ? String(versions[0]) : versions.join('.'),
  readState: { change: Number(change ?? 0), dependencies: namesOf(dependencies, brand) },
})

/** Caches the names of the last brand: consecutive requests are mostly for the same one. */
const lastNames = new WeakMap<
  readonly Dependency[],
  { readonly brand: string; readonly names: readonly string[] }
>()

const namesOf = (dependencies: readonly Dependency[], brand: string): readonly string[] => {
  const last = lastNames.get(dependencies)
  if (last?.brand === brand) return last.names
  const names = dependencies.map(({ owner, path }) => dependencyOf(owner({ brand }), path))
  lastNames.set(dependencies, { brand, names })
  return names
}
