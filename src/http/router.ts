import { assetsPath, guidesPath, referencePath } from '#console'
import {
  ApiError,
  basePath,
  batchesPath,
  batchOperation,
  batchPath,
  type Catalog,
  calendarOperation,
  calendarPath,
  documentOperationsOf,
  feedBasePath,
  feedOperation,
  feedPath,
  gridOperationsOf,
  ingestBasePath,
  lineageOperationsOf,
  linksPath,
  type Operation,
  operationsOf,
  publishedViewsOperation,
  publishedViewsPath,
  type QueryOperation,
  qualityOperation,
  qualityPath,
  queryBasePath,
  queryOperationsOf,
  type Resource,
  scorecardOperationsOf,
  searchOperation,
  searchPath,
  sendOperation,
  sourceRowsOperation,
  sourceRowsPath,
  sourcesOperation,
  sourcesPath,
  sourceUnitsOperation,
  sourceUnitsPath,
  summaryOperationsOf,
  todayOperation,
  todayPath,
  trendOperation,
  trendPath,
} from '#contract'
import { imageFilesPath } from '#images'
import type { Grant } from '#keys'
import { oauthPaths } from '#oauth'
import type { RequestContext } from './context.ts'
import type { Handler, KeyedHandler, OperationRequest } from './handler.ts'

/** A row of the route table. A GET route serves HEAD too. */
export type Route = PublicRoute | KeyedRoute

interface RoutePath {
  readonly method: 'GET' | 'POST'
  /** `{name}` matches one segment; `*` at the end matches the rest of the path. */
  readonly path: string
  /** The name in logs and metrics: the operation id, if a document has the path. */
  readonly operation: string
  /** Operations of one kind differ only in their collection. Response times are measured by kind. */
  readonly kind: string
}

/** Needs no key; requests count against the limit of their address. */
export interface PublicRoute extends RoutePath {
  readonly auth: 'none'
  readonly handler: Handler
}

export interface KeyedRoute extends RoutePath {
  /** `brand`: a key for the brand in the path; `any`: any valid key. */
  readonly auth: 'brand' | 'any'
  /** The group in the path, which must be in the scope of the key; absent if the path has none. */
  readonly group?: string
  /** Authenticates a request without a key in another way; null for requests with one. */
  readonly authenticate?: (request: OperationRequest) => Promise<Grant> | null
  /** Rejects a request before its key is verified. */
  readonly precheck?: (ctx: RequestContext) => void
  readonly handler: KeyedHandler
}

/** The handlers of the route table; null for parts that the server does not have. */
export interface RouteHandlers {
  readonly operation: (operation: Operation) => KeyedHandler
  readonly openApi: Handler
  readonly queryOpenApi: Handler
  readonly queryList: (resource: Resource) => KeyedHandler
  readonly querySummary: (resource: Resource) => KeyedHandler
  readonly queryToday: KeyedHandler
  readonly queryTrend: KeyedHandler
  readonly queryCalendar: KeyedHandler
  readonly queryDocument: (resource: Resource) => KeyedHandler
  readonly queryScorecards: (resource: Resource) => KeyedHandler
  readonly queryGrid: (resource: Resource) => KeyedHandler
  readonly queryLineage: (resource: Resource) => KeyedHandler
  readonly queryQuality: KeyedHandler
  readonly queryViews: KeyedHandler
  readonly querySources: SourceRouteHandlers
  readonly querySearch: KeyedHandler
  readonly download: (resource: Resource) => KeyedHandler
  readonly downloadLink: Required<Pick<KeyedRoute, 'authenticate' | 'handler'>>
  /** OpenAPI document of the ingest API, which is served on another port. */
  readonly ingestOpenApi: Handler | null
  readonly feed: { readonly changes: KeyedHandler; readonly openApi: Handler } | null
  readonly whoami: KeyedHandler
  readonly mcp: Pick<KeyedRoute, 'precheck' | 'authenticate' | 'handler'> | null
  readonly oauth: OAuthHandlers | null
  readonly health: Handler
  readonly ready: Handler
  readonly guide: Handler
  readonly imageFile: Handler | null
  readonly console: ConsoleHandlers | null
}

/** The handlers of the sources of a brand's records. */
export interface SourceRouteHandlers {
  readonly sources: KeyedHandler
  readonly units: KeyedHandler
  readonly rows: KeyedHandler
}

/** The handlers of the web console, and the paths of its pages. */
export interface ConsoleHandlers {
  readonly pagePaths: readonly string[]
  readonly page: Handler
  readonly reference: Handler
  readonly guides: Handler
  readonly asset: Handler
}

/** The OAuth handlers, and the paths of its documents. */
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

/** The handlers of the ingest port. */
export interface IngestHandlers {
  readonly send: Pick<KeyedRoute, 'authenticate' | 'handler'>
  readonly batch: KeyedHandler
  readonly openApi: Handler
  readonly health: Handler
  readonly ready: Handler
}

/** A route without a key. */
const open = (path: string, operation: string, handler: Handler): PublicRoute => ({
  method: 'GET',
  path,
  operation,
  kind: operation,
  auth: 'none',
  handler,
})

/** A GET route for keys of the brand in its path. */
const ofBrand = (
  path: string,
  operation: string,
  handler: KeyedHandler,
  kind = operation,
): KeyedRoute => ({
  method: 'GET',
  path,
  operation,
  kind,
  auth: 'brand',
  handler,
})

/** A route with a group in its path. */
const ofGroup = ({ path: group }: Resource, route: KeyedRoute): KeyedRoute => ({ ...route, group })

/** The route table of the ingest port. */
export const createIngestRoutes = (handlers: IngestHandlers): readonly Route[] => [
  {
    method: 'POST',
    path: ingestBasePath + batchesPath,
    operation: sendOperation,
    kind: sendOperation,
    auth: 'brand',
    ...handlers.send,
  },
  ofBrand(ingestBasePath + batchPath, batchOperation, handlers.batch),
  open(`${ingestBasePath}/openapi.json`, 'openapi', handlers.openApi),
  open(healthPath, 'health', handlers.health),
  open('/readyz', 'ready', handlers.ready),
]

/** The routes through which an assistant gets tokens for `/mcp`. */
const createOAuthRoutes = (handlers: OAuthHandlers): readonly Route[] => {
  const send = (path: string, operation: string, handler: Handler): PublicRoute => ({
    ...open(path, operation, handler),
    method: 'POST',
  })
  const { authorize, token, register, revoke } = oauthPaths
  return [
    ...handlers.resourcePaths.map((path) => open(path, 'oauthResource', handlers.resource)),
    ...handlers.issuerPaths.map((path) => open(path, 'oauthIssuer', handlers.issuer)),
    open(authorize, 'oauthAuthorize', handlers.showConsent),
    send(authorize, 'oauthAuthorize', handlers.decideConsent),
    send(token, 'oauthToken', handlers.token),
    send(register, 'oauthRegister', handlers.register),
    send(revoke, 'oauthRevoke', handlers.revoke),
  ]
}

/** The route table of the public port: all its paths, none of which writes records. */
export const createRoutes = (catalog: Catalog, handlers: RouteHandlers): readonly Route[] => {
  const { feed, ingestOpenApi, mcp, oauth, imageFile, console: site } = handlers
  const queries = (
    kind: string,
    operations: readonly QueryOperation[],
    handlerOf: (resource: Resource) => KeyedHandler,
  ) =>
    operations.map(({ id, path, resource }) =>
      ofGroup(resource, ofBrand(queryBasePath + path, id, handlerOf(resource), kind)),
    )
  const table: readonly (Route | null)[] = [
    ...operationsOf(catalog).map((operation) =>
      ofGroup(
        operation.resource,
        ofBrand(
          basePath + operation.path,
          operation.id,
          handlers.operation(operation),
          operation.endpoint,
        ),
      ),
    ),
    open(`${basePath}/openapi.json`, 'openapi', handlers.openApi),
    open(`${queryBasePath}/openapi.json`, 'openapi', handlers.queryOpenApi),
    ...queries('query', queryOperationsOf(catalog), handlers.queryList),
    ...queryOperationsOf(catalog).map(({ id, path, resource }) =>
      ofGroup(
        resource,
        ofBrand(
          `${queryBasePath}${path}/download`,
          id.replace('query', 'download'),
          handlers.download(resource),
          'download',
        ),
      ),
    ),
    ...queries('summary', summaryOperationsOf(catalog), handlers.querySummary),
    ...queries('document', documentOperationsOf(catalog), handlers.queryDocument),
    ...queries('scorecards', scorecardOperationsOf(catalog), handlers.queryScorecards),
    ...queries('grid', gridOperationsOf(catalog), handlers.queryGrid),
    ...queries('lineage', lineageOperationsOf(catalog), handlers.queryLineage),
    ofBrand(queryBasePath + todayPath, todayOperation, handlers.queryToday),
    ofBrand(queryBasePath + trendPath, trendOperation, handlers.queryTrend),
    ofBrand(queryBasePath + calendarPath, calendarOperation, handlers.queryCalendar),
    ofBrand(queryBasePath + qualityPath, qualityOperation, handlers.queryQuality),
    ofBrand(queryBasePath + publishedViewsPath, publishedViewsOperation, handlers.queryViews),
    ofBrand(queryBasePath + sourcesPath, sourcesOperation, handlers.querySources.sources),
    ofBrand(queryBasePath + sourceUnitsPath, sourceUnitsOperation, handlers.querySources.units),
    ofBrand(queryBasePath + sourceRowsPath, sourceRowsOperation, handlers.querySources.rows),
    ofBrand(queryBasePath + searchPath, searchOperation, handlers.querySearch),
    feed && ofBrand(feedBasePath + feedPath, feedOperation, feed.changes),
    feed && open(`${feedBasePath}/openapi.json`, 'openapi', feed.openApi),
    ingestOpenApi && open(`${ingestBasePath}/openapi.json`, 'openapi', ingestOpenApi),
    { ...ofBrand('/whoami', 'whoami', handlers.whoami), auth: 'any' },
    {
      method: 'GET',
      path: `${linksPath}/{token}`,
      operation: 'downloadLink',
      kind: 'download',
      auth: 'any',
      ...handlers.downloadLink,
    },
    mcp && { method: 'POST', path: '/mcp', operation: 'mcp', kind: 'mcp', auth: 'any', ...mcp },
    ...(oauth ? createOAuthRoutes(oauth) : []),
    open(healthPath, 'health', handlers.health),
    open('/readyz', 'ready', handlers.ready),
    open('/llms.txt', 'llms', handlers.guide),
    imageFile && open(`${imageFilesPath}/*`, 'imageFile', imageFile),
    ...(site ? createConsoleRoutes(site) : []),
  ]
  return table.filter((route) => route !== null)
}

const createConsoleRoutes = (site: ConsoleHandlers): readonly Route[] => [
  ...site.pagePaths.map((path) => open(path, 'console', site.page)),
  open(referencePath, 'reference', site.reference),
  ...[guidesPath, `${guidesPath}/*`].map((path) => open(path, 'guides', site.guides)),
  open(`${assetsPath}/{name}`, 'consoleFile', site.asset),
]

/**
 * A handler that is created for its first request. There is one for each list, record, summary and
 * download of each group, and startup does not wait for them.
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
  /** The decoded segments that match the path's parameters. */
  readonly params: readonly string[]
  /** The target before and after its question mark, as sent. */
  readonly path: string
  readonly query: string
}

/** No route: 404, or 405 if the path has a route with another method. */
export interface RouteMiss {
  readonly route: null
  readonly path: string
  /** The route of the path with another method; null if there is none. */
  readonly other: Route | null
  /** The methods of the path; null if it has none. */
  readonly allow: string | null
  readonly error: ApiError
}

export interface Router {
  match(method: string, url: string): RouteMatch | RouteMiss
}

/** The routes that share the beginning of a path. */
interface Node {
  readonly children: Map<string, Node>
  /** Matches a segment that no child is named after. */
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

/** `notFound` returns the 404 of a path. */
export const createRouter = (
  routes: readonly Route[],
  notFound: (path: string) => ApiError,
): Router => {
  const root = createNode()
  for (const route of routes) addRoute(root, route)
  return {
    match: (method, url) => {
      const [path, query] = splitTarget(url)
      const miss = { route: null, path, other: null, allow: null }
      // An unsupported method is rejected whatever the decoded path would be.
      const isEncoded = method === 'GET' && path.includes('%')
      if (isEncoded && !isDecodable(path)) return { ...miss, error: undecodable() }
      const params: string[] = []
      const node = path.startsWith('/') ? find(root, path, isEncoded, params) : undefined
      if (node) {
        for (const route of node.routes) {
          if (route.method === method) return { route, params, path, query }
        }
      }
      // An empty segment names nothing, but the GET handler explains that better than a 404.
      if (!node || params.includes('')) return { ...miss, error: notFound(path) }
      const allow = node.routes.map((each) => allowed[each.method]).join(', ')
      // Methods without any route share one label: each would add another to the metrics.
      const other = method in allowed ? (node.routes[0] ?? null) : null
      return { ...miss, other, allow, error: methodNotAllowed(allow) }
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
 * Finds the node of a path that begins with a slash. Slices segments one by one: `split` caches its
 * results, which costs more than the rest for paths that are all different.
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

/** Whether a path is percent-encoded UTF-8. A slash is one byte, so each segment then is too. */
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
