import type { Server } from 'node:http'
import { OverloadedError } from '#concurrency'
import type { ApiError } from '#contract'
import type { KeyVerifier } from '#keys'
import type { AccessLog, Log, Metrics } from '#observability'
import type { Policy, RateLimiter } from '#rate-limit'
import { toApiError } from '#request'
import { type ChangeTracker, isCancelledRead, isReadLimit, type Store } from '#store'
import type { UsageWriter } from '#usage'
import {
  type BrandLookup,
  createBrandLookup,
  createPublicRateLimit,
  createRateLimit,
  type RateLimit,
} from './admission.ts'
import type { AfterWrite } from './after-write.ts'
import {
  type ClientAddress,
  type ClientIp,
  createClientAddress,
  createClientIp,
} from './client-ip.ts'
import { type ConnectionLimits, connectionLimits, createConnections } from './connections.ts'
import { createContexts, type RequestContext } from './context.ts'
import { createKeyConcurrency, type ResponseMemory } from './load-limits.ts'
import { createPipeline, type PipelineParts } from './pipeline.ts'
import { createResponder, type Responder } from './response.ts'
import type { ResponseCache } from './response-cache.ts'
import { createRouter, healthPath, type Route } from './router.ts'
import { createHttpServer, type HttpServerParts } from './server.ts'

/** What any HTTP server needs, whatever it serves. */
export interface RoutedServerParts {
  readonly store: Store
  readonly keyVerifier: KeyVerifier
  readonly limiter: RateLimiter
  readonly log: Log
  readonly metrics: Metrics
  /** For keys without their own rate. */
  readonly policy: Policy
  /** Requests without a valid key allowed per address. */
  readonly failurePolicy: Policy
  /** Requests to paths without a key allowed per address. */
  readonly publicPolicy: Policy
  /** Concurrent requests of one key. */
  readonly keyConcurrency: number
  /** Prefix of this process's request ids. */
  readonly idPrefix: string
  /** Whether the server is draining: responses then ask clients to reconnect. */
  readonly draining: () => boolean
  /** Requests wait for this promise while the server stops listening. */
  readonly paused: () => Promise<void> | null
  /** Both null if responses are not cached. */
  readonly changes: ChangeTracker | null
  readonly cache: ResponseCache | null
  /** Null if the header After-Write has no meaning. */
  readonly afterWrite: AfterWrite | null
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly access: AccessLog
  readonly usage: Pick<UsageWriter, 'add'>
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly outOfScope?: PipelineParts['outOfScope']
  readonly sendTimeoutSeconds: number
  /** Overrides of the usual connection limits. */
  readonly connectionLimits?: Partial<ConnectionLimits> | undefined
  /** Overrides of the usual message limits. */
  readonly messageLimits?: HttpServerParts['messageLimits']
}

/** What handlers share with the pipeline. */
export interface ServerShared {
  readonly memory: ResponseMemory
  readonly clientAddress: ClientAddress
  readonly clientIp: ClientIp
  readonly lookUpBrand: BrandLookup
  readonly rateLimit: RateLimit
  readonly responder: Responder
  /** Returns the error to respond with; logs it if the fault is the server's. */
  readonly reportError: (ctx: RequestContext, thrown: unknown) => ApiError
}

export interface ServedPaths {
  readonly routes: readonly Route[]
  /** The 404 of a path. */
  readonly notFound: (path: string) => ApiError
  readonly missingPage?: PipelineParts['missingPage']
}

/** Wires connections, pipeline, log and metrics around a route table. */
export const createRoutedServer = (
  parts: RoutedServerParts,
  pathsOf: (shared: ServerShared) => ServedPaths,
): Server => {
  const { store, metrics, log, draining } = parts
  const connections = createConnections({
    limits: {
      ...connectionLimits,
      sendTimeoutSeconds: parts.sendTimeoutSeconds,
      ...parts.connectionLimits,
    },
    // A health check asks whether the process is alive, not how busy it is.
    isUrgent: ({ url }) => url === healthPath,
    onCut: metrics.connectionCut,
  })
  metrics.countUnsent(() => connections.unsentBytes)

  const reportError = (ctx: RequestContext, thrown: unknown): ApiError => {
    const error = toApiError(thrown)
    // A read that ended because its client disconnected is not a failure.
    if (isFault(error) && !isCancelledRead(error.cause)) {
      if (error.code === 'store_unavailable') metrics.storeFailed()
      if (isLimit(error)) {
        const reason = error.cause instanceof Error ? error.cause.message : undefined
        log.warn({ ...idsOf(ctx), reason }, error.message)
      } else log.error({ ...idsOf(ctx), error: error.cause ?? error }, error.message)
    }
    return error
  }
  const clientAddress = createClientAddress(parts.trustedProxies)
  const shared: ServerShared = {
    memory: connections,
    clientAddress,
    clientIp: createClientIp(clientAddress),
    lookUpBrand: createBrandLookup(store, parts.changes),
    rateLimit: createRateLimit(parts),
    responder: createResponder(parts),
    reportError,
  }
  const { routes, notFound, missingPage } = pathsOf(shared)
  const serve = createPipeline({
    ...parts,
    ...shared,
    router: createRouter(routes, notFound),
    missingPage,
    publicRateLimit: createPublicRateLimit({ ...parts, ...shared }),
    keyConcurrency: createKeyConcurrency(parts.keyConcurrency),
  })
  return createHttpServer({
    createContext: createContexts(parts.idPrefix),
    connections,
    serve,
    responder: shared.responder,
    draining,
    onStart: (ctx) => {
      metrics.inFlight(1)
      // A closed connection has no address.
      ctx.address = shared.clientIp(ctx.request)
    },
    onFinish: (ctx) => {
      metrics.inFlight(-1)
      try {
        record(parts, ctx)
      } catch (error) {
        log.error({ ...idsOf(ctx), error }, 'The request could not be logged.')
      }
    },
    messageLimits: parts.messageLimits,
  })
}

/** What a log line is found by. */
const idsOf = ({ id, trace }: RequestContext) => ({
  requestId: id,
  ...(trace && { traceId: trace.traceId, spanId: trace.spanId }),
})

/** Whether the fault is the server's. A full queue is a limit, like a rate limit. */
const isFault = ({ status, code }: ApiError): boolean => status >= 500 && code !== 'queue_full'

/** Whether the server refused to do more than it may. This is expected, so it has no stack. */
const isLimit = ({ code, cause }: ApiError): boolean =>
  code === 'store_unavailable' &&
  (cause === undefined || cause instanceof OverloadedError || isReadLimit(cause))

/** Counts a request and writes it to the access log. */
const record = ({ access, metrics, usage }: RoutedServerParts, ctx: RequestContext): void => {
  const { method = '' } = ctx.request
  const status = ctx.response.statusCode
  const tookMs = performance.now() - (ctx.startedAt ?? 0)
  metrics.answered(ctx, method, status, tookMs / 1_000)
  if (ctx.errorCode) metrics.refused(ctx.errorCode)
  usage.add(ctx)
  access.write({
    requestId: ctx.id,
    trace: ctx.trace,
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
