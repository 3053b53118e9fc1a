import * as brand from './domains/brand.ts'
import * as dimensions from './domains/dimensions.ts'
import * as documents from './domains/documents.ts'
import * as finance from './domains/finance.ts'
import * as freight from './domains/freight.ts'
import * as library from './domains/library.ts'
import * as orders from './domains/orders.ts'
import * as partners from './domains/partners.ts'
import * as production from './domains/production.ts'
import * as products from './domains/products.ts'
import * as receiving from './domains/receiving.ts'
import * as reference from './domains/reference.ts'
import * as sampling from './domains/sampling.ts'
import * as shipping from './domains/shipping.ts'
import * as sourcing from './domains/sourcing.ts'
import * as techPack from './domains/tech-pack.ts'
import type { Fields } from './fields.ts'
import type { RecordOf, Resource } from './resource.ts'
import { specifiedGroups } from './specification.ts'

/** Every resource definition, by export name. */
export const definitions = {
  ...brand,
  ...products,
  ...techPack,
  ...sourcing,
  ...sampling,
  ...orders,
  ...production,
  ...shipping,
  ...freight,
  ...receiving,
  ...finance,
  ...partners,
  ...documents,
  ...library,
  ...dimensions,
  ...reference,
}

/** All resource groups in the order of the specification, and by path. */
export interface Catalog {
  readonly resources: readonly Resource[]
  readonly byPath: ReadonlyMap<string, Resource>
}

export const joinCatalog = (resources: readonly Resource[]): Catalog => {
  const place = (resource: Resource) => {
    const index = specifiedGroups.indexOf(resource.group)
    return index === -1 ? specifiedGroups.length : index
  }
  const inOrder = [...resources].sort((a, b) => place(a) - place(b))
  return { resources: inOrder, byPath: new Map(inOrder.map((each) => [each.path, each])) }
}

/** A type that rejects definitions with a reference to an unknown collection or field. */
export type Sound<D extends Record<string, Resource>> = [Unresolved<D>] extends [never]
  ? D
  : { readonly unresolved: Unresolved<D> }

const sound = <const D extends Record<string, Resource>>(checked: D & Sound<D>): D => checked

export const catalog: Catalog = joinCatalog(Object.values(sound(definitions)))

/** The resource at a path that must be in the catalog. */
export const resourceAt = (from: Catalog, path: string): Resource => {
  const resource = from.byPath.get(path)
  if (!resource) throw new RangeError(`The catalog has no collection ${path}.`)
  return resource
}

type Definitions = typeof definitions
export type ResourceName = keyof Definitions
export type ResourcePath = Definitions[ResourceName]['path']

/** The record type of the collection at a path. */
export type RecordAt<P extends ResourcePath> = RecordOf<
  Extract<Definitions[ResourceName], { readonly path: P }>
>

type Unresolved<D extends Record<string, Resource>> = {
  [N in keyof D]: UnresolvedReference<D, D[N]['fields']> | UnresolvedFilter<D, D[N]>
}[keyof D]

type PathIn<D extends Record<string, Resource>> = D[keyof D]['path']

type UnresolvedReference<D extends Record<string, Resource>, F extends Fields> = {
  [N in keyof F]: F[N] extends { readonly kind: 'ref'; readonly to: infer To extends string }
    ? Exclude<To, PathIn<D>>
    : never
}[keyof F]

type UnresolvedFilter<
  D extends Record<string, Resource>,
  R extends Resource,
> = R['filters'][number] extends infer F
  ? F extends { readonly through: { collection: infer C; match: infer M; where: infer W } }
    ? C extends PathIn<D>
      ? Exclude<M | W, keyof Extract<D[keyof D], { readonly path: C }>['fields']>
      : C
    : never
  : never
