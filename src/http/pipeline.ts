import type { Release } from '#concurrency'
import { type ApiError, wholeScope } from '#contract'
import type { Grant, KeyVerifier } from '#keys'
import { type ChangeTracker, dependencyOf, ownerNumber, type ReadState, readAs } from '#store'
import {
  type AuthenticateParts,
  authenticate,
  type BrandLookup,
  type PublicRateLimit,
  type RateLimit,
  requireGroup,
  requireScope,
} from './admission.ts'
import type { AfterWrite } from './after-write.ts'
import {
  addCorsHeaders,
  checkMessage,
  endStage,
  isPreflight,
  preflightResponse,
  type RequestContext,
  setKey,
} from './context.ts'
import type { MissingPage } from './handler.ts'
import { enterWithRoom, type KeyConcurrency, type ResponseMemory } from './load-limits.ts'
import { sentAtOnceMax, sizeOf } from './raw-response.ts'
import {
  type EncodedEntity,
  type Entity,
  encodeEntity,
  type Responder,
  type Response,
} from './response.ts'
import {
  type CachedResponse,
  feedOf,
  type NewResponse,
  type ResponseCache,
  selectVariant,
} from './response-cache.ts'
import type { KeyedRoute, PublicRoute, RouteMatch, RouteMiss, Router } from './router.ts'
import { streamSendBytes } from './stream-send.ts'

export interface PipelineParts extends AuthenticateParts {
  readonly router: Router
  readonly keyVerifier: KeyVerifier
  readonly rateLimit: RateLimit
  readonly publicRateLimit: PublicRateLimit
  readonly lookUpBrand: BrandLookup
  readonly keyConcurrency: KeyConcurrency
  readonly memory: ResponseMemory
  readonly responder: Responder
  /** Both null if responses are not cached. */
  readonly cache: ResponseCache | null
  readonly changes: ChangeTracker | null
  /** Null if the header After-Write has no meaning. */
  readonly afterWrite: AfterWrite | null
  readonly corsOrigins: readonly string[]
  /**
   * The 401 message for a brand outside the key's scope; by default, that the key may not read it.
   */
  readonly outOfScope?: string | undefined
  /** The page of a path without a route, for browsers; null if the console is not built. */
  readonly missingPage?: MissingPage | null | undefined
  /** Requests wait for this promise while the server stops listening. */
  readonly paused: () => Promise<void> | null
  /** Returns the error to respond with; logs it if the fault is the server's. */
  readonly reportError: (ctx: RequestContext, thrown: unknown) => ApiError
}

type Pending = undefined | Promise<void>

/**
 * The story of a request: cache lookup, route, key, rate limit, then the cached variant, or brand,
 * handler, encoding, cache. A stage returns a promise only if it has to wait, so a cache hit has
 * none. A stage that throws, sync or async, ends in `fail` and never ends the process.
 */
export const createPipeline = (parts: PipelineParts): ((ctx: RequestContext) => void) => {
  const { cache, changes, memory, responder } = parts

  const serve = (ctx: RequestContext): void => {
    try {
      checkMessage(ctx)
      addCorsHeaders(ctx, parts.corsOrigins)
      const paused = parts.paused()
      const pending = paused ? paused.then(() => route(ctx)) : route(ctx)
      pending?.catch((thrown: unknown) => fail(ctx, thrown))
    } catch (thrown) {
      fail(ctx, thrown)
    }
  }

  const route = (ctx: RequestContext): Pending => {
    const cached = lookUpCached(ctx)
    const match = cached?.match ?? parts.router.match(ctx.method, ctx.url)
    if (!match.route || match.route.auth === 'none') parts.publicRateLimit(ctx, match.path)
    // A wrong method is rejected at once.
    const canWait = match.route !== null || ctx.method === 'GET'
    // Yield once: the parser may still reject the body, and that error takes precedence.
    return canWait && ctx.headers.hasBody
      ? Promise.resolve().then(() => enter(ctx, match, cached))
      : enter(ctx, match, cached)
  }

  const lookUpCached = (ctx: RequestContext): CachedResponse | undefined =>
    ctx.method === 'GET' && !ctx.headers.hasBody ? cache?.get(ctx.cacheTarget) : undefined

  const enter = (
    ctx: RequestContext,
    match: RouteMatch | RouteMiss,
    cached: CachedResponse | undefined,
  ): Pending => {
    if (!match.route) {
      const page = match.error.status === 404 ? parts.missingPage?.(ctx) : null
      return page
        ? page.then((sent) => responder.sendPlain(ctx, sent))
        : refuseRoute(responder, ctx, match)
    }
    ctx.operation = match.route.operation
    ctx.operationKind = match.route.kind
    if (match.route.auth === 'none') return runPublic(ctx, match, match.route)
    const { route } = match
    route.precheck?.(ctx)
    const grant = route.authenticate?.({ ctx, match }) ?? authenticate(parts, ctx)
    return grant instanceof Promise
      ? grant.then((late) => charge(ctx, match, route, late, cached))
      : charge(ctx, match, route, grant, cached)
  }

  const charge = (
    ctx: RequestContext,
    match: RouteMatch,
    route: KeyedRoute,
    grant: Grant,
    cachedForWhole: CachedResponse | undefined,
  ): Pending => {
    setKey(ctx, grant)
    parts.keyVerifier.markUsed(grant.keyId)
    const cached = grant.scope === wholeScope ? cachedForWhole : cachedWithin(ctx, grant)
    const admit = (): Pending => {
      if (route.auth === 'brand') requireScope(grant, match.params[0] ?? '', parts.outOfScope)
      if (route.group !== undefined) requireGroup(grant, route.group)
      const token = ctx.headers.afterWrite
      if (token !== undefined && parts.afterWrite) {
        const brand = route.auth === 'brand' ? (match.params[0] ?? '') : null
        return parts.afterWrite({ token, grant, brand }, (change) =>
          answer(ctx, match, route, grant, changes?.hasSeen(change) ? cached : undefined),
        )
      }
      return answer(ctx, match, route, grant, cached)
    }
    const pending = parts.rateLimit.consume(ctx, grant)
    return pending ? pending.then(admit) : admit()
  }

  /** Keys with the same scope share their responses, and with no others. */
  const cachedWithin = (ctx: RequestContext, { scope }: Grant): CachedResponse | undefined => {
    ctx.cacheTarget = `${scope.id} ${ctx.url}`
    return lookUpCached(ctx)
  }

  const answer = (
    ctx: RequestContext,
    match: RouteMatch,
    route: KeyedRoute,
    grant: Grant,
    cached: CachedResponse | undefined,
  ): Pending => {
    if (cached && sendCached(ctx, cached)) return undefined
    return runKeyed(ctx, match, route, grant)
  }

  const sendCached = (ctx: RequestContext, cached: CachedResponse): boolean => {
    const variant = selectVariant(ctx.headers, cached)
    if (!variant || !changes?.isFresh(cached.readState)) return false
    ctx.brand = cached.match.params[0] ?? null
    cache?.hit(cached)
    endStage(ctx, 'admit')
    if (variant === 'not modified') responder.sendNotModified(ctx, cached.tag, feedOf(cached))
    else responder.sendEncoded(ctx, variant)
    return true
  }

  const runPublic = async (
    ctx: RequestContext,
    match: RouteMatch,
    { handler }: PublicRoute,
  ): Promise<void> => {
    const response = handler({ ctx, match })
    await respond(ctx, match, response instanceof Promise ? await response : response, null)
  }

  const runKeyed = (
    ctx: RequestContext,
    match: RouteMatch,
    route: KeyedRoute,
    grant: Grant,
  ): Pending => {
    const pending = route.auth === 'brand' ? parts.lookUpBrand(match.params[0] ?? '') : undefined
    return pending
      ? pending.then(() => runAdmitted(ctx, match, route, grant))
      : runAdmitted(ctx, match, route, grant)
  }

  const runAdmitted = (
    ctx: RequestContext,
    match: RouteMatch,
    { auth, handler }: KeyedRoute,
    grant: Grant,
  ): Pending => {
    if (auth === 'brand') ctx.brand = match.params[0] ?? ''
    endStage(ctx, 'admit')
    const leave = enterWithRoom(memory, parts.keyConcurrency, ctx.response, grant.keyId)
    const run = (entered: Release) =>
      readAs(grant.keyId, () => runEntered(ctx, match, handler, grant, entered))
    return leave instanceof Promise ? leave.then(run) : run(leave)
  }

  const runEntered = async (
    ctx: RequestContext,
    match: RouteMatch,
    handler: KeyedRoute['handler'],
    grant: Grant,
    leave: Release,
  ): Promise<void> => {
    try {
      // The client may have disconnected while its request waited.
      if (ctx.response.closed) return
      const [brand = '', id = ''] = match.params
      const reserve = parts.keyConcurrency.reserver(grant.keyId, ctx.response)
      const isCancelled = () => ctx.response.closed
      const response = await handler({ ctx, match, grant, brand, id, reserve, isCancelled })
      const pending = respond(ctx, match, response, grant.keyId)
      if (pending) await pending
    } finally {
      leave()
    }
  }

  /** Encodes, caches and sends. The bytes count for the key, if there is one. */
  const respond = (
    ctx: RequestContext,
    match: RouteMatch,
    response: Response,
    keyId: string | null,
  ): Pending => {
    // The parser has already answered a malformed body.
    if (ctx.response.headersSent) {
      if ('file' in response) response.file.stream.destroy()
      return undefined
    }
    if ('body' in response) {
      const size = sizeOf(response.body)
      const pending = encodeEntity(ctx.headers.acceptEncoding, response, size)
      if (!(pending instanceof Promise)) return sendPlainly(ctx, match, response, pending, keyId)
      hold(ctx, keyId, size)
      return pending.then((made) => {
        if (made.encoded.length !== size) hold(ctx, keyId, made.encoded.length)
        sendEntity(ctx, match, response, made)
      })
    }
    if ('notModified' in response) {
      const { notModified: tag, readState, feed } = response
      put(ctx, match, { tag, size: 0, encoding: null, encoded: null, feed }, readState)
      responder.sendNotModified(ctx, tag, feed)
    } else if ('encodedBody' in response) responder.sendEncoded(ctx, response)
    else if ('file' in response) return responder.sendFile(ctx, response)
    else if ('stream' in response) {
      hold(ctx, keyId, streamSendBytes, true)
      return responder.sendStream(ctx, response)
    } else {
      hold(ctx, keyId, response.content?.length ?? 0)
      responder.sendPlain(ctx, response)
    }
    return undefined
  }

  /** Holds a short body only if the kernel did not take all of it at once, which is rare. */
  const sendPlainly = (
    ctx: RequestContext,
    match: RouteMatch,
    entity: Entity,
    made: EncodedEntity,
    keyId: string | null,
  ): undefined => {
    const isSentAtOnce = made.size <= sentAtOnceMax
    if (!isSentAtOnce) hold(ctx, keyId, made.size)
    sendEntity(ctx, match, entity, made)
    if (isSentAtOnce && ctx.response.writableLength > 0) hold(ctx, keyId, made.size)
  }

  const sendEntity = (
    ctx: RequestContext,
    match: RouteMatch,
    { tag, readState }: Entity,
    { size, encoding, encoded }: EncodedEntity,
  ): undefined => {
    endStage(ctx, 'write')
    put(ctx, match, { tag, size, encoding, encoded }, readState)
    if (!ctx.response.headersSent) responder.sendEncoded(ctx, encoded)
  }

  const hold = (
    ctx: RequestContext,
    keyId: string | null,
    bytes: number,
    isDownload = false,
  ): void => {
    if (keyId !== null) memory.hold(ctx.response, keyId, { bytes, isDownload })
  }

  const put = (
    ctx: RequestContext,
    match: RouteMatch,
    made: Omit<NewResponse, 'match' | 'readState'>,
    readState: ReadState | undefined,
  ): void => {
    if (!readState || !cache?.shouldCache(ctx.cacheTarget)) return
    cache.put(ctx.cacheTarget, { ...made, match, readState: withBrand(readState, ctx.brand ?? '') })
  }

  /** Responds with an error; closes the connection if that is no longer possible. */
  const fail = (ctx: RequestContext, thrown: unknown): void => {
    try {
      const error = parts.reportError(ctx, thrown)
      if (!ctx.response.headersSent) responder.sendError(ctx, error)
      else if (!ctx.response.writableEnded) ctx.request.socket.destroy()
    } catch {
      ctx.request.socket.destroy()
    }
  }

  return serve
}

/** Responds with 404, 405 with the methods of the path, or to a preflight. */
export const refuseRoute = (
  responder: Responder,
  ctx: RequestContext,
  { other, allow, error }: RouteMiss,
): undefined => {
  if (other !== null) {
    ctx.operation = other.operation
    ctx.operationKind = other.kind
  }
  if (allow !== null && isPreflight(ctx)) {
    responder.sendPlain(ctx, preflightResponse(allow))
    return
  }
  if (allow !== null) ctx.responseHeaders['allow'] = allow
  throw error
}

/** A response about a brand is stale once the brand itself has changed. */
const withBrand = ({ change, dependencies }: ReadState, brand: string): ReadState => ({
  change,
  dependencies: [...dependencies, dependencyOf(ownerNumber(brand), 'brand')],
})
