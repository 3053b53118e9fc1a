import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Console } from '#console'
import {
  ApiError,
  basePath,
  feedBasePath,
  feedOperation,
  feedPath,
  operationsOf,
  patterns,
} from '#contract'
import { openCursors, openFeedCursors } from '#cursors'
import type { Images } from '#images'
import type { KeyRing } from '#keys'
import type { AccessLog, Log, Metrics } from '#observe'
import type { Policy, Quota } from '#quota'
import { type AsOf, type News, type Store, subjectOf } from '#store'
import { authenticate } from './authenticate.ts'
import { type Brands, openBrands } from './brands.ts'
import { consolePaths, registerConsole } from './console-pages.ts'
import { asApiError, sendError } from './errors.ts'
import { openEtags } from './etag.ts'
import { feedHandler } from './feed.ts'
import { createFront, type FrontParts } from './front.ts'
import { type Handler, handlerOf } from './handlers.ts'
import { registerImageFiles } from './image-files.ts'
import { meter } from './meter.ts'
import { openQuickRoad, type QuickRoad } from './quick-road.ts'
import { chooseForm, writeForm } from './recall.ts'
import type { GivenAnswer, Remembered } from './remembered.ts'
import { endStage, openVisits, type Visit, visitOf } from './visit.ts'
import { documentPath, registerDocument, registerWellKnown, wellKnownPaths } from './well-known.ts'
import { registerWhoami } from './whoami.ts'
import { makeReady, writeNotModified, writeReady } from './write.ts'

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
  /** The change feed's own document; null where there is no feed. */
  readonly feedDocument: Buffer | null
  readonly draining: () => boolean
  /** What requests wait for before they are answered, while there is something. */
  readonly held: () => Promise<void> | null
  /** What has changed since something was read; null where nothing is remembered. */
  readonly news: News | null
  readonly remembered: Remembered | null
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether remembered answers are given before the framework. */
  readonly quickRoad: boolean
  readonly access: AccessLog
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
}

const openRoad = (parts: AppParts, endVisit: FrontParts['endVisit']): QuickRoad | null => {
  const { news, remembered, quickRoad } = parts
  if (!quickRoad || !news || !remembered) return null
  return openQuickRoad({ ...parts, news, remembered, endVisit })
}

/** The service, in the order a request meets it. */
export const buildApp = async (parts: AppParts): Promise<FastifyInstance> => {
  const { store, keyRing, log, metrics } = parts
  const beginVisit = openVisits(parts.idPrefix)
  const endVisit: FrontParts['endVisit'] = (request, response, visit) => {
    metrics.inFlight(-1)
    writeAccess(parts, visit, request.method ?? '', response.statusCode)
  }
  const app = fastify({
    serverFactory: (next) =>
      createFront(
        {
          catalog: store.catalog,
          beginVisit: (request) => {
            metrics.inFlight(1)
            return beginVisit(request)
          },
          endVisit,
          draining: parts.draining,
          held: parts.held,
          corsOrigins: parts.corsOrigins,
          otherPaths: [
            ...wellKnownPaths,
            ...consolePaths(parts.console),
            ...(parts.feedDocument ? feedPaths : []),
          ],
          quickRoad: openRoad(parts, endVisit),
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

  const brands = openBrands(store, parts.news)
  const handlerParts = {
    store,
    images: parts.images,
    cursors: openCursors(parts.secret),
    etags: openEtags(parts.secret, parts.release),
  }
  const serve = (path: string, operation: string, handle: Handler) => {
    app.get<{ Params: { brand: string; id?: string } }>(routeOf(path), async (request, reply) => {
      const visit = visitOf(request.raw)
      visit.operation = operation
      const { brand } = request.params
      await admit(parts, brands, request, visit, brand)
      if (answerRemembered(parts, request.raw, reply, visit, brand)) return reply
      const [path = '', query = ''] = splitUrl(request.url)
      const answer = await handle({
        visit,
        brand,
        id: request.params.id ?? '',
        path,
        query,
        ifNoneMatch: request.headers['if-none-match'],
      })
      const note = (given: Pick<GivenAnswer, 'tag' | 'size' | 'encoding' | 'ready'>) =>
        answer.asOf &&
        parts.remembered?.note(request.url, {
          ...given,
          operation,
          brand,
          asOf: withBrand(answer.asOf, brand),
        })
      // The framework would change headers, and add to a HEAD that its answer has no bytes.
      if ('notModified' in answer) {
        reply.hijack()
        note({ tag: answer.notModified, size: 0, encoding: null, ready: null })
        writeNotModified(reply.raw, visit, answer.notModified)
        return reply
      }
      const { encoding, ready } = await makeReady(visit, answer)
      endStage(visit, 'write')
      reply.hijack()
      note({ tag: answer.tag, size: answer.body.length, encoding, ready })
      writeReady(reply.raw, visit, ready)
      return reply
    })
  }
  for (const { path, id, resource, endpoint } of operationsOf(store.catalog)) {
    serve(basePath + path, id, handlerOf(handlerParts, resource, endpoint))
  }
  registerDocument(app, documentPath, parts.document)
  if (parts.feedDocument) {
    const cursors = openFeedCursors(parts.secret)
    serve(feedBasePath + feedPath, feedOperation, feedHandler({ ...handlerParts, cursors }))
    registerDocument(app, feedDocumentPath, parts.feedDocument)
  }
  registerImageFiles(app, parts.images)
  registerConsole(app, parts.console)
  registerWhoami(app, parts)
  registerWellKnown(app, {
    checkReady: async () => {
      if (parts.draining()) throw new ApiError('not_ready', 'The server is stopping.')
      if (keyRing.stale) throw new ApiError('not_ready', 'Keys cannot be read.')
      await store.has('')
    },
  })
  await app.ready()
  return app
}

/** An answer says nothing about a brand that is not there any more. */
const withBrand = ({ change, behind }: AsOf, brand: string): AsOf => ({
  change,
  behind: [...behind, subjectOf(brand, 'brand')],
})

/** Gives an answer that was given before, where it still holds; says whether it did. */
const answerRemembered = (
  { remembered, news }: AppParts,
  request: IncomingMessage,
  reply: FastifyReply,
  visit: Visit,
  brand: string,
): boolean => {
  const answer = request.method === 'GET' ? remembered?.find(request.url ?? '') : undefined
  const form = answer?.brand === brand ? chooseForm(visit, answer) : null
  if (!answer || !form || !news?.holds(answer.asOf)) return false
  reply.hijack()
  writeForm(reply.raw, visit, answer, form)
  return true
}

/** Who, how much, and whether the brand is there at all. */
const admit = async (
  parts: AppParts,
  brands: Brands,
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
  if (!brandPattern.test(brand) || !(await brands.has(brand))) {
    throw new ApiError('not_found', 'There is no such brand.')
  }
  visit.brand = brand
  endStage(visit, 'admit')
}

const brandPattern = new RegExp(patterns.brand)

const feedDocumentPath = `${feedBasePath}/openapi.json`

const feedPaths: readonly RegExp[] = [
  new RegExp(`^${feedBasePath}${feedPath.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  new RegExp(`^${feedDocumentPath}$`),
]

const routeOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

const splitUrl = (url: string): readonly string[] => {
  const mark = url.indexOf('?')
  return mark === -1 ? [url] : [url.slice(0, mark), url.slice(mark + 1)]
}

/** Counts an answer and writes it down. */
const writeAccess = (
  { access, metrics }: AppParts,
  visit: Visit,
  method: string,
  status: number,
): void => {
  const tookMs = performance.now() - visit.startedAt
  metrics.answered(visit.operation, method, status, tookMs / 1_000)
  if (visit.errorCode) metrics.refused(visit.errorCode)
  access.write({
    requestId: visit.id,
    keyId: visit.keyId,
    brand: visit.brand,
    route: visit.operation,
    method,
    status,
    errorCode: visit.errorCode,
    ms: Math.round(tookMs * 100) / 100,
  })
}
