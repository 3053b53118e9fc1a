import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Console } from '#console'
import { ApiError, basePath, type Operation, operationsOf, patterns } from '#contract'
import type { Images } from '#images'
import type { KeyRing } from '#keys'
import type { Log, Metrics } from '#observe'
import type { Policy, Quota } from '#quota'
import type { Store } from '#store'
import { authenticate } from './authenticate.ts'
import { consolePaths, registerConsole } from './console-pages.ts'
import { openCursors } from './cursor.ts'
import { asApiError, sendError } from './errors.ts'
import { openEtags } from './etag.ts'
import { createFront } from './front.ts'
import { handlerOf } from './handlers.ts'
import { registerImageFiles } from './image-files.ts'
import { meter } from './meter.ts'
import { endStage, openVisits, type Visit, visitOf } from './visit.ts'
import { registerWellKnown, wellKnownPaths } from './well-known.ts'
import { registerWhoami } from './whoami.ts'
import { writeAnswer, writeNotModified } from './write.ts'

/** Everything the service is made of. */
export interface AppParts {
  readonly store: Store
  readonly keyRing: KeyRing
  readonly quota: Quota
  readonly images: Images
  /** Null where it has not been built. */
  readonly console: Console | null
  readonly log: Log
  readonly metrics: Metrics
  readonly policy: Policy
  readonly failurePolicy: Policy
  /** Of the database: what cursors and tags are made with. */
  readonly secret: string
  /** Part of every tag, because another release may write other bytes. */
  readonly release: string
  /** Begins the ids of this process's requests. */
  readonly idPrefix: string
  readonly document: Buffer
  readonly draining: () => boolean
  /** What requests wait for before they are answered, while there is something. */
  readonly held: () => Promise<void> | null
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
}

/** The service, in the order a request meets it. */
export const buildApp = async (parts: AppParts): Promise<FastifyInstance> => {
  const { store, keyRing, log, metrics } = parts
  const beginVisit = openVisits(parts.idPrefix)
  const app = fastify({
    serverFactory: (next) =>
      createFront(
        {
          catalog: store.catalog,
          beginVisit: (request) => {
            metrics.inFlight(1)
            return beginVisit(request)
          },
          endVisit: (request, response, visit) => {
            metrics.inFlight(-1)
            writeAccess(parts, visit, request.method ?? '', response.statusCode)
          },
          draining: parts.draining,
          held: parts.held,
          corsOrigins: parts.corsOrigins,
          otherPaths: [...wellKnownPaths, ...consolePaths(parts.console)],
        },
        next,
      ),
    trustProxy: parts.trustedProxies.length > 0 ? [...parts.trustedProxies] : false,
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
    const error = asApiError(thrown)
    if (error.status >= 500) {
      if (error.code === 'store_unavailable') metrics.storeFailed()
      log.error({ requestId: visit.id, error: error.cause ?? error }, error.message)
    }
    return sendError(reply, visit, error)
  })
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found', 'There is nothing at this path.')
  })

  const handlerParts = {
    store,
    images: parts.images,
    cursors: openCursors(parts.secret),
    etags: openEtags(parts.secret, parts.release),
  }
  for (const operation of operationsOf(store.catalog)) {
    const handle = handlerOf(handlerParts, operation.resource, operation.endpoint)
    app.get<{ Params: { brand: string; id?: string } }>(
      routeOf(operation),
      async (request, reply) => {
        const visit = visitOf(request.raw)
        visit.operation = operation.id
        const { brand } = request.params
        await admit(parts, request, visit, brand)
        const [path = '', query = ''] = splitUrl(request.url)
        const answer = await handle({
          visit,
          brand,
          id: request.params.id ?? '',
          path,
          query,
          ifNoneMatch: request.headers['if-none-match'],
        })
        return 'notModified' in answer
          ? writeNotModified(request, reply, visit, answer.notModified)
          : writeAnswer(request, reply, visit, answer)
      },
    )
  }
  registerImageFiles(app, parts.images)
  registerConsole(app, parts.console)
  registerWhoami(app, parts)
  registerWellKnown(app, {
    document: parts.document,
    checkReady: async () => {
      if (parts.draining()) throw new ApiError('not_ready', 'The server is stopping.')
      if (keyRing.stale) throw new ApiError('not_ready', 'Keys cannot be read.')
      await store.has('')
    },
  })
  await app.ready()
  return app
}

/** Who, how much, and whether the brand is there at all. */
const admit = async (
  parts: AppParts,
  request: FastifyRequest,
  visit: Visit,
  brand: string,
): Promise<void> => {
  const grant = await authenticate(parts, {
    authorization: request.headers.authorization,
    brand,
    address: request.ip,
  })
  visit.keyId = grant.keyId
  parts.keyRing.used(grant.keyId)
  await meter(parts, grant, visit)
  if (!brandPattern.test(brand) || !(await parts.store.has(brand))) {
    throw new ApiError('not_found', 'There is no such brand.')
  }
  visit.brand = brand
  endStage(visit, 'admit')
}

const brandPattern = new RegExp(patterns.brand)

const routeOf = ({ path }: Operation): string => basePath + path.replaceAll(/\{(\w+)\}/g, ':$1')

const splitUrl = (url: string): readonly string[] => {
  const mark = url.indexOf('?')
  return mark === -1 ? [url] : [url.slice(0, mark), url.slice(mark + 1)]
}

/** One line for each request. Paths and queries stay out of it: they may hold anything. */
const writeAccess = (
  { log, metrics }: AppParts,
  visit: Visit,
  method: string,
  status: number,
): void => {
  const tookMs = performance.now() - visit.startedAt
  metrics.answered(visit.operation, method, status, tookMs / 1_000)
  if (visit.errorCode) metrics.refused(visit.errorCode)
  log.info(
    {
      requestId: visit.id,
      ...(visit.keyId && { keyId: visit.keyId }),
      ...(visit.brand && { brand: visit.brand }),
      route: visit.operation,
      method,
      status,
      ...(visit.errorCode && { errorCode: visit.errorCode }),
      ms: Math.round(tookMs * 100) / 100,
    },
    'request',
  )
}
