import type { Server } from 'node:http'
import type { Console } from '#console'
import { ApiError, type Endpoint, type Operation } from '#contract'
import { createCursors, createFeedCursors, createQueryCursors } from '#cursors'
import type { Images } from '#images'
import type { KeyVerifier } from '#keys'
import type { AccessLog, Log, Metrics } from '#observability'
import type { Policy, RateLimiter } from '#rate-limit'
import { toApiError, wrongPath } from '#request'
import { type ChangeTracker, isCancelledRead, type Store } from '#store'
import { createBrandLookup, createPublicRateLimit, createRateLimit } from './admission.ts'
import { createClientIp } from './client-ip.ts'
import { type ConnectionLimits, connectionLimits, createConnections } from './connections.ts'
import { createContexts, type RequestContext } from './context.ts'
import { brandHandler } from './handlers/brand.ts'
import { changesHandler } from './handlers/changes.ts'
import { consoleHandler } from './handlers/console-file.ts'
import { documentHandler } from './handlers/document.ts'
import { createDownloadEntry, type DownloadLimits, downloadHandler } from './handlers/download.ts'
import { getHandler } from './handlers/get.ts'
import type { KeyedHandler } from './handlers/handler.ts'
import { healthHandler, readyHandler } from './handlers/health.ts'
import { imageFileHandler } from './handlers/image-file.ts'
import { imageLinkHandler } from './handlers/image-link.ts'
import { listHandler } from './handlers/list.ts'
import { checkOrigin, mcpHandler } from './handlers/mcp.ts'
import { queryListHandler } from './handlers/query-list.ts'
import { querySearchHandler } from './handlers/query-search.ts'
import { querySummaryHandler } from './handlers/query-summary.ts'
import { todayHandler } from './handlers/query-today.ts'
import { whoamiHandler } from './handlers/whoami.ts'
import { createKeyConcurrency } from './load-limits.ts'
import { createPipeline } from './pipeline.ts'
import { createEtags, createResponder } from './response.ts'
import type { ResponseCache } from './response-cache.ts'
import { createRouter, createRoutes, healthPath } from './router.ts'
import { createHttpServer } from './server.ts'

/** Everything the HTTP server is made of. */
export interface AppParts {
  readonly store: Store
  readonly keyVerifier: KeyVerifier
  readonly limiter: RateLimiter
  readonly images: Images
  /** Null where it has not been built. */
  readonly console: Console | null
  readonly log: Log
  readonly metrics: Metrics
  /** For keys without a rate of their own. */
  readonly policy: Policy
  /** How many requests without a valid key an address may send. */
  readonly failurePolicy: Policy
  /** How many requests to paths that need no key an address may send. */
  readonly publicPolicy: Policy
  /** Requests of one key that are processed at the same time. */
  readonly keyConcurrency: number
  /** Of the database: what cursors and tags are made with. */
  readonly secret: string
  /** Part of every tag, because another release may write other bytes. */
  readonly release: string
  /** Begins the ids of this process's requests. */
  readonly idPrefix: string
  readonly openApi: Buffer
  readonly queryOpenApi: Buffer
  readonly guide: Buffer
  /** The change feed's own OpenAPI document; null where the feed is off. */
  readonly feedOpenApi: Buffer | null
  /** Whether the server is about to stop: responses then ask clients to connect again. */
  readonly draining: () => boolean
  /** What requests wait for while the server stops listening. */
  readonly paused: () => Promise<void> | null
  /** Both null where responses are not cached. */
  readonly changes: ChangeTracker | null
  readonly cache: ResponseCache | null
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly access: AccessLog
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  /** Whether agents are served. */
  readonly mcp: boolean
  /** The address that clients reach this server at. */
  readonly ownUrl: () => string
  readonly sendTimeoutSeconds: number
  readonly downloadLimits: DownloadLimits
  /** Limits of connections that differ from the usual ones. */
  readonly connectionLimits?: Partial<ConnectionLimits> | undefined
}

/** Wires the HTTP server. */
export const createApp = (parts: AppParts): Server => {
  const { store, images, console: site, metrics, log, secret, draining } = parts
  const connections = createConnections({
    limits: {
      ...connectionLimits,
      sendTimeoutSeconds: parts.sendTimeoutSeconds,
      ...parts.connectionLimits,
    },
    // A health check asks whether the process lives, not how busy it is.
    isUrgent: ({ url }) => url === healthPath,
    onCut: metrics.connectionCut,
  })
  metrics.countUnsent(() => connections.unsentBytes)

  const reportError = (ctx: RequestContext, thrown: unknown): ApiError => {
    const error = toApiError(thrown)
    // Nothing has failed where a read ended because its client has left.
    if (error.status >= 500 && !isCancelledRead(error.cause)) {
      if (error.code === 'store_unavailable') metrics.storeFailed()
      log.error({ requestId: ctx.id, error: error.cause ?? error }, error.message)
    }
    return error
  }
  const shared = {
    ...parts,
    memory: connections,
    clientIp: createClientIp(parts.trustedProxies),
    lookUpBrand: createBrandLookup(store, parts.changes),
    rateLimit: createRateLimit(parts),
    responder: createResponder(parts),
    cursors: createCursors(secret),
    queryCursors: createQueryCursors(secret),
    etags: createEtags(secret, parts.release),
    reportError,
  }
  const downloadParts = {
    ...shared,
    enterDownload: createDownloadEntry(parts.downloadLimits),
    onTimeout: () => metrics.connectionCut('download'),
  }
  const operationHandlers: Record<Endpoint, (operation: Operation) => KeyedHandler> = {
    list: ({ resource }) => listHandler(shared, resource),
    get: ({ resource }) => getHandler(shared, resource),
    content: ({ resource }) => imageLinkHandler(shared, resource),
  }
  const routes = createRoutes(store.catalog, {
    operation: (operation) =>
      operation.resource.lookup
        ? brandHandler(shared, operation.resource)
        : operationHandlers[operation.endpoint](operation),
    openApi: documentHandler(parts.openApi),
    queryOpenApi: documentHandler(parts.queryOpenApi),
    queryList: (resource) => queryListHandler(shared, resource),
    querySummary: (resource) => querySummaryHandler(shared, resource),
    queryToday: todayHandler(shared),
    querySearch: querySearchHandler(shared),
    download: (resource) => downloadHandler(downloadParts, resource),
    feed: parts.feedOpenApi && {
      changes: changesHandler({ ...shared, cursors: createFeedCursors(secret) }),
      openApi: documentHandler(parts.feedOpenApi),
    },
    whoami: whoamiHandler(store),
    mcp: parts.mcp
      ? { precheck: (ctx) => checkOrigin(parts, ctx), handler: mcpHandler(shared) }
      : null,
    health: healthHandler,
    ready: readyHandler({ checkReady: () => checkReady(parts), warnings: warningsOf(store) }),
    guide: documentHandler(parts.guide, 'text/plain; charset=utf-8'),
    imageFile: images.open ? imageFileHandler({ ...shared, open: images.open }) : null,
    console: site && {
      pagePaths: site.pagePaths,
      page: consoleHandler(site.page),
      reference: consoleHandler(site.reference),
      asset: consoleHandler(site.asset),
    },
  })
  const serve = createPipeline({
    ...shared,
    router: createRouter(routes, wrongPath(store.catalog)),
    publicRateLimit: createPublicRateLimit(shared),
    keyConcurrency: createKeyConcurrency(parts.keyConcurrency),
  })
  return createHttpServer({
    createContext: createContexts(parts.idPrefix),
    connections,
    serve,
    responder: shared.responder,
    draining,
    onStart: () => metrics.inFlight(1),
    onFinish: (ctx) => {
      metrics.inFlight(-1)
      try {
        record(parts, ctx)
      } catch (error) {
        log.error({ requestId: ctx.id, error }, 'The request could not be logged.')
      }
    },
  })
}

/** Throws when the server should get no requests. */
const checkReady = async ({ draining, keyVerifier, store }: AppParts): Promise<void> => {
  if (draining()) throw new ApiError('not_ready', 'The server is stopping.')
  if (keyVerifier.isStale) throw new ApiError('not_ready', 'Keys cannot be read.')
  await store.has('')
}

const warningsOf = ({ missingSecurity }: Store): readonly string[] =>
  missingSecurity === null ? [] : ['Row-level security is missing; see the log.']

/** Counts a request and writes it to the access log. */
const record = ({ access, metrics }: AppParts, ctx: RequestContext): void => {
  const { method = '' } = ctx.request
  const status = ctx.response.statusCode
  const tookMs = performance.now() - (ctx.startedAt ?? 0)
  metrics.answered(ctx.operation, method, status, tookMs / 1_000)
  if (ctx.errorCode) metrics.refused(ctx.errorCode)
  access.write({
    requestId: ctx.id,
    keyId: ctx.keyId,
    keyName: ctx.keyName,
    brand: ctx.brand,
    route: ctx.operation,
    method,
    path: ctx.url,
    status,
    errorCode: ctx.errorCode,
    ms: tookMs,
  })
}
