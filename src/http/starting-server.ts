import type { Server } from 'node:http'
import { ApiError, basePath, type Catalog } from '#contract'
import { toApiError } from '#request'
import { connectionLimits, createConnections } from './connections.ts'
import { addCorsHeaders, checkMessage, createContexts, type RequestContext } from './context.ts'
import { healthHandler, healthResponse } from './handlers/health.ts'
import { refuseRoute } from './pipeline.ts'
import { createResponder } from './response.ts'
import { createRouter, createRoutes, healthPath } from './router.ts'
import { createHttpServer } from './server.ts'

export interface StartingServerParts {
  readonly catalog: Catalog
  /** Prefix of this process's request ids. */
  readonly idPrefix: string
  readonly corsOrigins: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const retryAfterSeconds = 1
const sendTimeoutSeconds = 5

/**
 * Responds until the database is reachable: the process is alive but not ready, and the records are
 * unavailable. Every response closes its connection.
 */
export const createStartingServer = (parts: StartingServerParts): Server => {
  const draining = () => true
  const responder = createResponder({ now: parts.now, draining })
  const routes = createRoutes(parts.catalog, {
    operation: () => recordsUnavailable,
    queryList: () => recordsUnavailable,
    querySummary: () => recordsUnavailable,
    queryToday: recordsUnavailable,
    queryTrend: recordsUnavailable,
    queryCalendar: recordsUnavailable,
    queryViews: recordsUnavailable,
    queryDocument: () => recordsUnavailable,
    queryScorecards: () => recordsUnavailable,
    queryGrid: () => recordsUnavailable,
    queryLineage: () => recordsUnavailable,
    queryQuality: recordsUnavailable,
    querySources: {
      sources: recordsUnavailable,
      units: recordsUnavailable,
      rows: recordsUnavailable,
    },
    querySearch: recordsUnavailable,
    download: () => recordsUnavailable,
    downloadLink: { authenticate: () => null, handler: recordsUnavailable },
    openApi: notReady,
    queryOpenApi: notReady,
    feed: null,
    ingestOpenApi: null,
    whoami: notReady,
    mcp: { handler: notReady },
    oauth: null,
    health: healthHandler,
    ready: notReady,
    guide: notReady,
    imageFile: notReady,
    console: null,
  })
  const router = createRouter(routes, () => new ApiError('not_found', nothing))

  const respond = async (ctx: RequestContext): Promise<void> => {
    checkMessage(ctx)
    addCorsHeaders(ctx, parts.corsOrigins)
    const match = router.match(ctx.method, ctx.url)
    const { route, path } = match
    if (route?.operation === 'health') {
      return responder.sendPlain(ctx, healthResponse)
    }
    if (route?.auth === 'brand') return recordsUnavailable()
    // Paths unknown to this server may exist once the database does.
    if (route || (ctx.method === 'GET' && !path.startsWith(`${basePath}/brands/`))) {
      return notReady()
    }
    return refuseRoute(responder, ctx, match)
  }

  return createHttpServer({
    createContext: createContexts(parts.idPrefix),
    connections: createConnections({
      limits: { ...connectionLimits, sendTimeoutSeconds },
      isUrgent: ({ url }) => url === healthPath,
      onCut: () => undefined,
    }),
    serve: (ctx) => {
      respond(ctx).catch((thrown: unknown) => {
        // The parser has already answered a malformed body.
        if (!ctx.response.headersSent) responder.sendError(ctx, toApiError(thrown))
      })
    },
    responder,
    draining,
    onStart: () => undefined,
    onFinish: () => undefined,
  })
}

const nothing = 'There is nothing at this path.'

const notReady = async (): Promise<never> => {
  throw new ApiError('not_ready', 'The server is starting: it waits for its database.', {
    retryAfterSeconds,
  })
}

/** The contract has no 503 for records, so this is a store error. */
const recordsUnavailable = async (): Promise<never> => {
  throw new ApiError('store_unavailable', 'The records cannot be reached yet. Try again shortly.', {
    retryAfterSeconds,
  })
}
