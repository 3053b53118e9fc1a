import { assetsPath, guidesPath, referencePath } from '#console'
import {
  ApiError,
  basePath,
  batchesPath,
  batchOperation,
  batchPath,
  type Catalog,
  documentOperationsOf,
  feedBasePath,
  feedOperation,
  feedPath,
  ingestBasePath,
  lineageOperationsOf,
  type Operation,
  operationsOf,
  qualityOperation,
  qualityPath,
  queryBasePath,
  queryOperationsOf,
  type Resource,
  searchOperation,
  searchPath,
  sendOperation,
  summaryOperationsOf,
  todayOperation,
  todayPath,
} from '#contract'
import { imageFilesPath } from '#images'
import type { Grant } from '#keys'
import { oauthPaths } from '#oauth'
import type { RequestContext } from './context.ts'
import type { Handler, KeyedHandler, OperationRequest } from './handler.ts'

/** A row of the route table. A route for GET serves HEAD too. */
export type Route = PublicRoute | KeyedRoute

interface RoutePath {
  readonly method: 'GET' | 'POST'
  /** `{name}` stands for one segment; `*` at the end stands for the rest of the path. */
  readonly path: string
  /** The name in logs and metrics. */
  readonly operation: string
}

/** No key is needed; requests count against the limit of their address. */
export interface PublicRoute extends RoutePath {
  readonly auth: 'none'
  readonly handler: Handler
}

export interface KeyedRoute extends RoutePath {
  /** `brand`: a key for the brand that the path names; `any`: any valid key. */
  readonly auth: 'brand' | 'any'
  /** Verifies a request that has something else than a key; null for the others. */
  readonly authenticate?: (request: OperationRequest) => Promise<Grant> | null
  /** Rejects a request before its key is verified. */
  readonly precheck?: (ctx: RequestContext) => void
  readonly handler: KeyedHandler
}

/** The handlers of the route table; null where the server does not have that part. */
export interface RouteHandlers {
  readonly operation: (operation: Operation) => KeyedHandler
  readonly openApi: Handler
  readonly queryOpenApi: Handler
  readonly queryList: (resource: Resource) => KeyedHandler
  readonly querySummary: (resource: Resource) => KeyedHandler
  readonly queryToday: KeyedHandler
  readonly queryDocument: (resource: Resource) => KeyedHandler
  readonly queryLineage: (resource: Resource) => KeyedHandler
  readonly queryQuality: KeyedHandler
  readonly querySearch: KeyedHandler
  readonly download: (resource: Resource) => KeyedHandler
  /** The document of the ingest API, which is served on another port. */
  readonly ingestOpenApi: Handler | null
  readonly feed: { readonly changes: KeyedHandler; readonly openApi: Handler } | null
  readonly whoami: KeyedHandler
  readonly mcp: Pick<KeyedRoute, 'precheck' | 'authenticate' | 'handler'> | null
  readonly oauth: OAuthHandlers | null
  readonly health: Handler
  readonly ready: Handler
  readonly guide: Handler
  readonly imageFile: Handler | null
  readonly console: {
    readonly pagePaths: readonly string[]
    readonly page: Handler
    readonly reference: Handler
    readonly guides: Handler
    readonly asset: Handler
  } | null
}

/** The handlers of OAuth, and where its documents are. */
export interface OAuthHandlers {
  readonly resourcePaths: readonly string[]
  readonly resource: Handler
  readonly issuerPaths: readonly string[]
  readonly issuer: Handler
  readonly showConsent: Handler
  readonly decideConsent: Handler
  readonly token: Handler
  readonly register: Handler
  readonly revoke: Handler
}

export const healthPath = '/healthz'

/** The handlers of the port that receives records. */
export interface IngestHandlers {
  readonly send: Pick<KeyedRoute, 'authenticate' | 'handler'>
  readonly batch: KeyedHandler
  readonly openApi: Handler
  readonly health: Handler
  readonly ready: Handler
}

/** The route table of the port that receives records. */
export const createIngestRoutes = (handlers: IngestHandlers): readonly Route[] => {
  const open = { method: 'GET', auth: 'none' } as const
  return [
    {
      method: 'POST',
      path: ingestBasePath + batchesPath,
      operation: sendOperation,
      auth: 'brand',
      ...handlers.send,
    },
    {
      method: 'GET',
      path: ingestBasePath + batchPath,
      operation: batchOperation,
      auth: 'brand',
      handler: handlers.batch,
    },
    {
      ...open,
      path: `${ingestBasePath}/openapi.json`,
      operation: 'openapi',
      handler: handlers.openApi,
    },
    { ...open, path: healthPath, operation: 'health', handler: handlers.health },
    { ...open, path: '/readyz', operation: 'ready', handler: handlers.ready },
  ]
}

/** The routes by which an assistant gets tokens for `/mcp`. */
const createOAuthRoutes = (handlers: OAuthHandlers): readonly Route[] => {
  const read = { method: 'GET', auth: 'none' } as const
  const send = { method: 'POST', auth: 'none' } as const
  const { authorize, token, register, revoke } = oauthPaths
  const { resource, issuer } = handlers
  return [
    ...handlers.resourcePaths.map(
      (path): Route => ({ ...read, path, operation: 'oauthResource', handler: resource }),
    ),
    ...handlers.issuerPaths.map(
      (path): Route => ({ ...read, path, operation: 'oauthIssuer', handler: issuer }),
    ),
    { ...read, path: authorize, operation: 'oauthAuthorize', handler: handlers.showConsent },
    { ...send, path: authorize, operation: 'oauthAuthorize', handler: handlers.decideConsent },
    { ...send, path: token, operation: 'oauthToken', handler: handlers.token },
    { ...send, path: register, operation: 'oauthRegister', handler: handlers.register },
    { ...send, path: revoke, operation: 'oauthRevoke', handler: handlers.revoke },
  ]
}

/** The route table of the public port: every path of it, and none that writes records. */
export const createRoutes = (catalog: Catalog, handlers: RouteHandlers): readonly Route[] => {
  const { feed, ingestOpenApi, mcp, oauth, imageFile, console: site } = handlers
  const get = { method: 'GET' } as const
  const open = { method: 'GET', auth: 'none' } as const
  const table: readonly (Route | false | null)[] = [
    ...operationsOf(catalog).map((operation): Route => {
      const path = basePath + operation.path
      const handler = handlers.operation(operation)
      return { ...get, path, operation: operation.id, auth: 'brand', handler }
    }),
    {
      ...open,
      path: `${basePath}/openapi.json`,
      operation: 'openapi',
      handler: handlers.openApi,
    },
    {
      ...open,
      path: `${queryBasePath}/openapi.json`,
      operation: 'openapi',
      handler: handlers.queryOpenApi,
    },
    ...queryOperationsOf(catalog).flatMap(({ id, path, resource }): readonly Route[] => {
      const list = { ...get, auth: 'brand', path: queryBasePath + path } as const
      return [
        { ...list, operation: id, handler: handlers.queryList(resource) },
        {
          ...list,
          path: `${list.path}/download`,
          operation: id.replace('query', 'download'),
          handler: handlers.download(resource),
        },
      ]
    }),
    ...summaryOperationsOf(catalog).map(({ id, path, resource }): Route => {
      const handler = handlers.querySummary(resource)
      return { ...get, path: queryBasePath + path, operation: id, auth: 'brand', handler }
    }),
    ...documentOperationsOf(catalog).map(({ id, path, resource }): Route => {
      const handler = handlers.queryDocument(resource)
      return { ...get, path: queryBasePath + path, operation: id, auth: 'brand', handler }
    }),
    ...lineageOperationsOf(catalog).map(({ id, path, resource }): Route => {
      const handler = handlers.queryLineage(resource)
      return { ...get, path: queryBasePath + path, operation: id, auth: 'brand', handler }
    }),
    {
      ...get,
      path: queryBasePath + todayPath,
      operation: todayOperation,
      auth: 'brand',
      handler: handlers.queryToday,
    },
    {
      ...get,
      path: queryBasePath + qualityPath,
      operation: qualityOperation,
      auth: 'brand',
      handler: handlers.queryQuality,
    },
    {
      ...get,
      path: queryBasePath + searchPath,
      operation: searchOperation,
      auth: 'brand',
      handler: handlers.querySearch,
    },
    feed && {
      ...get,
      path: feedBasePath + feedPath,
      operation: feedOperation,
      auth: 'brand',
      handler: feed.changes,
    },
    feed && {
      ...open,
      path: `${feedBasePath}/openapi.json`,
      operation: 'openapi',
      handler: feed.openApi,
    },
    ingestOpenApi && {
      ...open,
      path: `${ingestBasePath}/openapi.json`,
      operation: 'openapi',
      handler: ingestOpenApi,
    },
    { ...get, path: '/whoami', operation: 'whoami', auth: 'any', handler: handlers.whoami },
    mcp && { method: 'POST', path: '/mcp', operation: 'mcp', auth: 'any', ...mcp },
    ...(oauth ? createOAuthRoutes(oauth) : []),
    { ...open, path: healthPath, operation: 'health', handler: handlers.health },
    { ...open, path: '/readyz', operation: 'ready', handler: handlers.ready },
    { ...open, path: '/llms.txt', operation: 'llms', handler: handlers.guide },
    imageFile && {
      ...open,
      path: `${imageFilesPath}/*`,
      operation: 'imageFile',
      handler: imageFile,
    },
    ...(site?.pagePaths ?? []).map(
      (path) => site && { ...open, path, operation: 'console', handler: site.page },
    ),
    site && {
      ...open,
      path: referencePath,
      operation: 'reference',
      handler: site.reference,
    },
    ...[guidesPath, `${guidesPath}/*`].map(
      (path) => site && { ...open, path, operation: 'guides', handler: site.guides },
    ),
    site && {
      ...open,
      path: `${assetsPath}/{name}`,
      operation: 'consoleFile',
      handler: site.asset,
    },
  ]
  return table.filter((route) => route !== null && route !== false)
}

/**
 * A handler that is created for its first request. There is one for each list, record, summary and
 * download of each group, and a start does not wait for them.
 */
export const createdOnRequest = (create: () => KeyedHandler): KeyedHandler => {
  let handler: KeyedHandler | null = null
  return (request) => {
    handler ??= create()
    return handler(request)
  }
}

export interface RouteMatch {
  readonly route: Route
  /** The segments that parameters of the path stand for, decoded. */
  readonly params: readonly string[]
  /** The target before and after its question mark, as it was sent. */
  readonly path: string
  readonly query: string
}

/** No route: 404, or 405 where the path has a route with another method. */
export interface RouteMiss {
  readonly route: null
  readonly path: string
  /** The operation that the path has with another method; null where there is none. */
  readonly operation: string | null
  /** The methods of the path; null where it has none. */
  readonly allow: string | null
  readonly error: ApiError
}

export interface Router {
  match(method: string, url: string): RouteMatch | RouteMiss
}

/** The routes that share the beginning of a path. */
interface Node {
  readonly children: Map<string, Node>
  /** For a segment that none of the children is named after. */
  parameter: Node | null
  isRest: boolean
  readonly routes: Route[]
}

const createNode = (): Node => ({
  children: new Map(),
  parameter: null,
  isRest: false,
  routes: [],
})

/** `notFound` is the 404 of a path. */
export const createRouter = (
  routes: readonly Route[],
  notFound: (path: string) => ApiError,
): Router => {
  const root = createNode()
  for (const route of routes) addRoute(root, route)
  return {
    match: (method, url) => {
      const [path, query] = splitTarget(url)
      const miss = { route: null, path, operation: null, allow: null }
      // A method that is not served is refused whatever a path would be after decoding.
      const isEncoded = method === 'GET' && path.includes('%')
      if (isEncoded && !isDecodable(path)) return { ...miss, error: undecodable() }
      const params: string[] = []
      const node = path.startsWith('/') ? find(root, path, isEncoded, params) : undefined
      if (node) {
        for (const route of node.routes) {
          if (route.method === method) return { route, params, path, query }
        }
      }
      // An empty segment names nothing, but GET explains that in a better way than 404.
      if (!node || params.includes('')) return { ...miss, error: notFound(path) }
      const allow = node.routes.map((each) => allowed[each.method]).join(', ')
      // Methods that no route has are not told apart: each would be one more label of the metrics.
      const operation = method in allowed ? (node.routes[0]?.operation ?? null) : null
      return { ...miss, operation, allow, error: methodNotAllowed(allow) }
    },
  }
}

const allowed = { GET: 'GET, HEAD', POST: 'POST' } as const

const addRoute = (root: Node, route: Route): void => {
  let node = root
  for (const segment of route.path.split('/').slice(1)) {
    if (segment === '*') {
      node.isRest = true
      node.parameter = createNode()
      node = node.parameter
    } else if (segment.startsWith('{')) {
      node.parameter ??= createNode()
      node = node.parameter
    } else {
      const child = node.children.get(segment) ?? createNode()
      node.children.set(segment, child)
      node = child
    }
  }
  if (node.routes.some(({ method }) => method === route.method)) {
    throw new RangeError(`${route.method} ${route.path} is in the table twice.`)
  }
  node.routes.push(route)
}

/**
 * The node of a path that begins with a slash. Segments are cut one by one: `split` keeps its results
 * in a cache, which costs more than the rest for paths that are all different.
 */
const find = (root: Node, path: string, isEncoded: boolean, params: string[]): Node | undefined => {
  let node = root
  for (let start = 1; start <= path.length; ) {
    const slash = path.indexOf('/', start)
    const end = slash === -1 ? path.length : slash
    const sent = path.slice(start, end)
    const segment = isEncoded ? decodeURIComponent(sent) : sent
    const child = node.children.size > 0 ? node.children.get(segment) : undefined
    if (child) node = child
    else {
      const { isRest, parameter } = node
      if (!parameter) return undefined
      node = parameter
      if (isRest) {
        const rest = path.slice(start)
        params.push(isEncoded ? decodeURIComponent(rest) : rest)
        break
      }
      params.push(segment)
    }
    start = end + 1
  }
  return node.routes.length > 0 ? node : undefined
}

export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}

/** Whether a path is percent-encoded UTF-8. A slash is one byte, so that each of its segments is. */
const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

const undecodable = () =>
  new ApiError('malformed_request', 'The path is not valid percent-encoded UTF-8.')

const methodNotAllowed = (allow: string) =>
  new ApiError(
    'method_not_allowed',
    `This path supports ${allow.replace(/, (?=\w+$)/, ' and ')} only.`,
  )
