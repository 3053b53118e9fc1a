import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import type { Console } from '#console'
import { ApiError, basePath, feedBasePath, feedOperation, feedPath, operationsOf } from '#contract'
import { openCursors, openFeedCursors } from '#cursors'
import type { Images } from '#images'
import type { KeyVerifier } from '#keys'
import type { AccessLog, Log, Metrics } from '#observability'
import type { Policy, RateLimiter } from '#rate-limit'
import { wrongPath } from '#request'
import type { ChangeTracker, Store } from '#store'
import { type Answering, openAnswering } from './answering.ts'
import { authenticate } from './authenticate.ts'
import { openBrands } from './brands.ts'
import { openClientOf } from './client-address.ts'
import { type ConnectionLimits, connectionLimits, openConnections } from './connections.ts'
import { consolePaths, registerConsole } from './console-pages.ts'
import { openDirectRoad } from './direct-road.ts'
import { sendError } from './errors.ts'
import { openEtags } from './etag.ts'
import { feedHandler } from './feed.ts'
import { createFront, type FrontParts } from './front.ts'
import { registerImageFiles } from './image-files.ts'
import { createInProgress } from './in-progress.ts'
import { mcpPath, registerMcp } from './mcp-endpoint.ts'
import { type Named, openPaths, splitTarget } from './paths.ts'
import { openPublicLimit } from './public-limit.ts'
import { openQuickRoad, type QuickRoad } from './quick-road.ts'
import type { Remembered } from './remembered.ts'
import { openVisits, type Visit, visitOf } from './visit.ts'
import {
  documentPath,
  healthPath,
  registerText,
  registerWellKnown,
  wellKnownPaths,
} from './well-known.ts'
import { registerWhoami } from './whoami.ts'

/** Everything the service is made of. */
export interface AppParts {
  readonly store: Store
  readonly keyRing: KeyVerifier
  readonly limiter: RateLimiter
  readonly images: Images
  /** Null where it has not been built. */
  readonly console: Console | null
  readonly log: Log
  readonly metrics: Metrics
  readonly policy: Policy
  readonly failurePolicy: Policy
  /** How much an address may ask for without a key. */
  readonly publicPolicy: Policy
  /** Requests of one key that are worked on at the same time. */
  readonly keyConcurrency: number
  /** Of the database: what cursors and tags are made with. */
  readonly secret: string
  /** Part of every tag, because another release may write other bytes. */
  readonly release: string
  /** Begins the ids of this process's requests. */
  readonly idPrefix: string
  readonly document: Buffer
  readonly guide: Buffer
  /** The change feed's own document; null where there is no feed. */
  readonly feedDocument: Buffer | null
  readonly draining: () => boolean
  /** What requests wait for before they are answered, while there is something. */
  readonly held: () => Promise<void> | null
  /** What has changed since something was read; null where nothing is remembered. */
  readonly news: ChangeTracker | null
  readonly remembered: Remembered | null
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether operations are answered before the framework. */
  readonly access: AccessLog
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  /** Whether agents are served. */
  readonly mcp: boolean
  /** The address that clients reach this server at. */
  readonly ownUrl: () => string
  readonly sendTimeoutSeconds: number
  /** Where connections have other limits than usual. */
  readonly connectionLimits?: Partial<ConnectionLimits> | undefined
}

/** The roads before the framework: what is remembered first, then what has to be asked for. */
const openRoads = (
  parts: AppParts,
  answering: Answering,
  find: (path: string) => Named | null,
  endVisit: FrontParts['endVisit'],
): QuickRoad | null => {
  const { news, remembered, keyRing } = parts
  const direct = openDirectRoad({ find, keyRing, answering, endVisit })
  if (!news || !remembered) return direct
  const quick = openQuickRoad({ ...parts, ...answering, news, remembered, endVisit })
  return (...visit) => quick(...visit) || direct(...visit)
}

/** The service, in the order a request meets it. */
export const buildApp = async (parts: AppParts): Promise<FastifyInstance> => {
  const { store, keyRing, metrics } = parts
  const beginVisit = openVisits(parts.idPrefix)
  const endVisit: FrontParts['endVisit'] = (request, response, visit) => {
    metrics.inFlight(-1)
    writeAccess(parts, visit, request, response.statusCode)
  }
  const brands = openBrands(store, parts.news)
  const etags = openEtags(parts.secret, parts.release)
  const connections = openConnections({
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
  const inProgress = createInProgress(parts.keyConcurrency)
  const answering = openAnswering({
    ...parts,
    memory: connections,
    brands,
    inProgress,
    cursors: openCursors(parts.secret),
    etags,
    others: parts.feedDocument
      ? { [feedOperation]: feedHandler({ store, cursors: openFeedCursors(parts.secret), etags }) }
      : {},
  })
  const find = openPaths(store.catalog)
  const clientOf = openClientOf(parts.trustedProxies)
  const postPaths = parts.mcp ? [mcpPath] : []
  const app = fastify({
    serverFactory: (next) =>
      createFront(
        {
          beginVisit: (request) => {
            metrics.inFlight(1)
            return beginVisit(request)
          },
          endVisit,
          draining: parts.draining,
          held: parts.held,
          corsOrigins: parts.corsOrigins,
          isKnown: knownPaths(parts, find),
          postPaths,
          limitPublic: openPublicLimit({
            publicPolicy: parts.publicPolicy,
            clientOf,
            isKeyed: keyedPaths(parts, find),
            postPaths,
          }),
          quickRoad: openRoads(parts, answering, find, endVisit),
          connections,
          reasonOf: answering.reasonOf,
        },
        next,
      ),
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (_error, request, reply) => {
      const error = new ApiError(
        'malformed_request',
        'The path is not valid percent-encoded UTF-8.',
      )
      return sendError(reply as FastifyReply, visitOf(request.raw), error)
    },
    // The front has answered already; the framework would write a second answer.
    clientErrorHandler: () => undefined,
    forceCloseConnections: 'idle',
  })
  // The API has no bodies, and what is not parsed cannot be parsed wrongly.
  app.removeAllContentTypeParsers()

  app.setErrorHandler((thrown, request, reply) => {
    const visit = visitOf(request.raw)
    return sendError(reply, visit, answering.reasonOf(visit, thrown))
  })
  const refusePath = wrongPath(store.catalog)
  app.setNotFoundHandler((request) => {
    throw refusePath(splitTarget(request.url)[0])
  })

  const serve = (path: string, operation: string) => {
    app.get<{ Params: { brand: string; id?: string } }>(routeOf(path), async (request, reply) => {
      const visit = visitOf(request.raw)
      visit.operation = operation
      const { brand, id = '' } = request.params
      const grant = await authenticate(parts, {
        authorization: request.headers.authorization,
        address: clientOf(request.raw),
      })
      // The framework would change headers, and add to a HEAD that its answer has no bytes.
      reply.hijack()
      const question = { request: request.raw, response: reply.raw, visit, operation, brand, id }
      await answering.answer(question, grant)
      return reply
    })
  }
  for (const { path, id } of operationsOf(store.catalog)) serve(basePath + path, id)
  registerText(app, documentPath, { operation: 'openapi', body: parts.document })
  if (parts.feedDocument) {
    serve(feedBasePath + feedPath, feedOperation)
    registerText(app, feedDocumentPath, { operation: 'openapi', body: parts.feedDocument })
  }
  registerImageFiles(app, parts.images, { memory: connections, clientOf })
  registerConsole(app, parts.console)
  registerWhoami(app, { ...parts, clientOf, memory: connections })
  if (parts.mcp) {
    const report = answering.reasonOf
    registerMcp(app, { ...parts, brands, clientOf, inProgress, memory: connections, report })
  }
  registerWellKnown(app, {
    guide: parts.guide,
    checkReady: async () => {
      if (parts.draining()) throw new ApiError('not_ready', 'The server is stopping.')
      if (keyRing.isStale) throw new ApiError('not_ready', 'Keys cannot be read.')
      await store.has('')
    },
    warnings: store.missingSecurity === null ? [] : ['Row-level security is missing; see the log.'],
  })
  await app.ready()
  return app
}

/** Whether a path is one that is served, whatever the method. */
const knownPaths = (
  parts: AppParts,
  find: (path: string) => Named | null,
): ((path: string) => boolean) => {
  const others = [
    ...wellKnownPaths,
    ...consolePaths(parts.console),
    ...(parts.feedDocument ? feedPaths : []),
  ]
  return (path) => others.some((pattern) => pattern.test(path)) || find(path) !== null
}

/** Whether a path is answered to a key alone. What cannot be decoded is answered to everybody. */
const keyedPaths = (
  parts: AppParts,
  find: (path: string) => Named | null,
): ((path: string) => boolean) => {
  const others = new Set(['/whoami', ...(parts.mcp ? [mcpPath] : [])])
  const [feedRoute] = parts.feedDocument ? feedPaths : []
  const isKeyed = (path: string): boolean =>
    find(path) !== null || others.has(path) || Boolean(feedRoute?.test(path))
  return (path) => {
    if (!path.includes('%')) return isKeyed(path)
    try {
      return isKeyed(decodeURIComponent(path))
    } catch {
      return false
    }
  }
}

const feedDocumentPath = `${feedBasePath}/openapi.json`

const feedPaths: readonly RegExp[] = [
  new RegExp(`^${feedBasePath}${feedPath.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  new RegExp(`^${feedDocumentPath}$`),
]

const routeOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Counts an answer and writes it down. */
const writeAccess = (
  { access, metrics }: AppParts,
  visit: Visit,
  { method = '', url = '' }: IncomingMessage,
  status: number,
): void => {
  const tookMs = performance.now() - visit.startedAt
  metrics.answered(visit.operation, method, status, tookMs / 1_000)
  if (visit.errorCode) metrics.refused(visit.errorCode)
  access.write({
    requestId: visit.id,
    keyId: visit.keyId,
    keyName: visit.keyName,
    brand: visit.brand,
    route: visit.operation,
    method,
    path: url,
    status,
    errorCode: visit.errorCode,
    ms: Math.round(tookMs * 100) / 100,
  })
}
