import type { Catalog } from '#contract'
import type { Query, Results } from '#database'
import { ownerNumber, ownerOf, sharedNumber } from '../schema/owners.ts'
import { type Freshness, freshnessQuery, parseFreshness } from '../write/import-log.ts'

/** The state of everything that a brand reads: its records and the shared ones. */
export interface BrandState {
  /** Changes with every record change and every import. */
  readonly version: string
  /** The number of its last change. */
  readonly change: number
  /** Changes whenever a record of one of these collections changes. */
  versionOf(collections: readonly string[]): string
  /** The number of records of a collection. */
  totalOf(collection: string): number
  /** The number of records of each listable group. */
  readonly totals: readonly (readonly [group: string, total: number])[]
  readonly freshness: Freshness
}

export const compileBrandState = (brand: string): readonly Query[] => {
  const owner = ownerNumber(brand)
  return [
    {
      text: [
        'select "owner", "collection", "version", "total"',
        'from "selvedge_collections"',
        'where "owner" in (?1, ?2)',
        'order by "owner", "collection"',
      ].join('\n'),
      values: [owner, sharedNumber],
    },
    freshnessQuery(owner),
  ]
}

/** Parses the results of `compileBrandState`. */
export const parseBrandState = (
  catalog: Catalog,
  brand: string,
  [collections = [], imports = []]: Results,
): BrandState => {
  const nameOf = (owner: unknown, collection: unknown) => `${owner} ${collection}`
  const states = new Map(
    collections.map(([owner, collection, version, total]) => [
      nameOf(owner, collection),
      { version: Number(version), total: Number(total) },
    ]),
  )
  const stateOf = (path: string) => {
    const resource = catalog.byPath.get(path)
    return resource && states.get(nameOf(ownerOf(resource, brand), path))
  }
  const freshness = parseFreshness(imports[0])
  const versions = [...states].map(([name, { version }]) => `${name} ${version}`)
  return {
    version: [...versions, freshness.lastImport?.at ?? ''].join('.'),
    change: Math.max(0, ...[...states.values()].map(({ version }) => version)),
    versionOf: (paths) => paths.map((path) => stateOf(path)?.version ?? 0).join('.'),
    totalOf: (path) => stateOf(path)?.total ?? 0,
    totals: catalog.resources
      .filter(({ endpoints }) => endpoints.includes('list'))
      .map(({ path }) => [path, stateOf(path)?.total ?? 0] as const),
    freshness,
  }
}
