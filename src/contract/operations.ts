import type { Catalog } from './catalog.ts'
import type { Endpoint, Origin, Resource } from './resource.ts'

/** One operation of the API. All operations are GET. */
export interface Operation {
  /** `listOrders`, `getOrder`, `getImageContent` */
  readonly id: string
  readonly endpoint: Endpoint
  readonly resource: Resource
  /** Relative to the base path, with the placeholders `{brand}` and `{id}`. */
  readonly path: string
  readonly origin: Origin
}

/** Every operation of the API, in the order of the catalog. */
export const operationsOf = (catalog: Catalog): readonly Operation[] =>
  catalog.resources.flatMap((resource) =>
    resource.endpoints.map((endpoint) => ({
      id: operationId(resource, endpoint),
      endpoint,
      resource,
      path: pathOf(resource, endpoint),
      origin: resource.specifiedEndpoints.includes(endpoint) ? 'specified' : 'designed',
    })),
  )

const pathOf = (resource: Resource, endpoint: Endpoint): string => {
  if (resource.lookup !== undefined) return '/brands/{brand}'
  const collection = `/brands/{brand}/${resource.path}`
  const paths: Record<Endpoint, string> = {
    list: collection,
    get: `${collection}/{id}`,
    content: `${collection}/{id}/content`,
  }
  return paths[endpoint]
}

const operationId = (resource: Resource, endpoint: Endpoint): string => {
  const ids: Record<Endpoint, string> = {
    list: `list${resource.group.replaceAll(' ', '')}`,
    get: `get${resource.name}`,
    content: `get${resource.name}Content`,
  }
  return ids[endpoint]
}
