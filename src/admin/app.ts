import type { Server } from 'node:http'
import { createSemaphore, OverloadedError } from '#concurrency'
import { type AdminPage, assetsPath } from '#console'
import { ApiError, type ErrorCode } from '#contract'
import {
  consoleFileResponse,
  createBareServer,
  errorBody,
  type RequestContext,
  type Responder,
} from '#http'
import { type Log, loggablePath } from '#observability'
import { OperatorError, type OperatorErrorKind } from '#operator'
import { createMemoryLimiter, type Decision, type Policy } from '#rate-limit'
import { actAs } from './actor.ts'
import { discardRest, openRaw, readBytes, readJson } from './body.ts'
import { cookieIn } from './cookie.ts'
import { checkHost, checkOrigin } from './guard.ts'
import {
  type Call,
  type Operation,
  OperationFile,
  type OperationParts,
  type OperationResult,
} from './operation.ts'
import { operations } from './operations/table.ts'
import { createOperationRouter } from './router.ts'
import { isCsrfToken, type Session } from './sessions.ts'

export interface AdminAppParts extends OperationParts {
  /** Null if the page has not been built. */
  readonly page: AdminPage | null
  readonly log: Log
  /** Prefix of this process's request ids. */
  readonly idPrefix: string
  readonly draining: () => boolean
  /** Failed sign-ins and wrong cookies allowed per address. */
  readonly failurePolicy: Policy
}

const apiPath = '/api'
const jsonBytesMax = 65_536
const connectionsMax = 200
/** A file may be sent for as long as it makes progress. */
const requestTimeoutMs = 3_600_000

/** Several reads of one screen at once, and few long operations. */
const concurrency = {
  total: 32,
  perOwner: 16,
  waitingPerOwner: 64,
  waitMs: 10_000,
}

/** In every response. The policy is that of responses other than pages. */
const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** The server of the operator page. */
export const createAdminApp = (parts: AdminAppParts): Server => {
  const { config, sessions, log } = parts
  const router = createOperationRouter(operations)
  const semaphore = createSemaphore(concurrency)
  const limiter = createMemoryLimiter({ now: () => performance.now(), bucketsMax: 20_000 })
  /** The operator of a request, for its log line. */
  const operators = new WeakMap<RequestContext, string>()

  /** Charges a failure to an address; throws 429 if none is left. */
  const chargeFailure = ({ address }: RequestContext): void => {
    // A memory limiter decides synchronously.
    const decision = limiter.consume(address, parts.failurePolicy) as Decision
    if (decision.allowed) return
    const { retryAfterSeconds } = decision
    throw new ApiError(
      'rate_limited',
      `Too many failed attempts from this address. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    )
  }

  const serve = async (ctx: RequestContext, responder: Responder): Promise<void> => {
    try {
      checkHost(config, ctx.request)
      const [path = '/'] = ctx.url.split('?', 1)
      if (path === apiPath || path.startsWith(`${apiPath}/`)) await serveCall(ctx, path, responder)
      else await servePage(ctx, path, responder)
    } finally {
      discardRest(ctx.request)
    }
  }

  const servePage = async (ctx: RequestContext, path: string, responder: Responder) => {
    if (ctx.method !== 'GET') {
      ctx.responseHeaders['allow'] = 'GET, HEAD'
      throw new ApiError('method_not_allowed', 'This path can only be read.')
    }
    const { page } = parts
    if (!page) {
      throw new ApiError(
        'not_found',
        'The operator page is not built. To build it: node tools/bootstrap.cjs',
      )
    }
    const isAsset = path.startsWith(`${assetsPath}/`)
    const file = isAsset ? page.asset(path.slice(assetsPath.length + 1)) : page.page()
    if (!file) throw new ApiError('not_found', 'There is nothing at this path.')
    const { headers, ...response } = await consoleFileResponse(ctx, file, 200)
    responder.sendPlain(ctx, { ...response, headers: { ...securityHeaders, ...headers } })
  }

  const serveCall = async (ctx: RequestContext, path: string, responder: Responder) => {
    checkOrigin(config, ctx.request)
    const { operation, params } = router.match(ctx.method, path.slice(apiPath.length), (allow) => {
      ctx.responseHeaders['allow'] = allow
    })
    ctx.operation = `${operation.method} ${operation.path}`
    const session = operation.isOpen ? null : await authenticate(ctx)
    if (session && operation.method !== 'GET') checkCsrf(ctx, session)
    if (operation.isOpen) chargeFailure(ctx)
    const input = await readInput(ctx, operation, params).catch(rethrow)
    // Not earlier: a body that arrives slowly must not take the place of others.
    const leave = await enter(session?.id ?? ctx.address)
    try {
      const run = async () => operation.run(parts, input, callOf(ctx, operation, session))
      const result = await (session ? actAs(session.operator, run) : run()).catch(rethrow)
      await respond(ctx, result, responder)
    } finally {
      leave()
    }
  }

  const authenticate = async (ctx: RequestContext): Promise<Session> => {
    const cookie = cookieIn(parts, ctx.request.headers.cookie)
    const session = cookie === null ? null : await sessions.find(cookie)
    if (session) {
      operators.set(ctx, session.operator)
      return session
    }
    if (cookie !== null) chargeFailure(ctx)
    throw new ApiError(
      'signed_out',
      'There is no session, or it has ended. To sign in, print a link: selvedge admin --as <name>',
    )
  }

  const checkCsrf = ({ request }: RequestContext, session: Session): void => {
    const sent = request.headers['x-csrf-token']
    if (typeof sent === 'string' && isCsrfToken(session, sent)) return
    throw new ApiError(
      'invalid_csrf_token',
      'The header x-csrf-token must have the token of the session. Load the page again.',
    )
  }

  const enter = async (owner: string) => {
    try {
      return await semaphore.acquire(owner)
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error
      throw new ApiError('not_ready', 'The operator page is busy. Try again shortly.', {
        retryAfterSeconds: 1,
      })
    }
  }

  const callOf = (
    ctx: RequestContext,
    { bytesMax = 0 }: Operation,
    session: Session | null,
  ): Call => {
    const { request, response, address } = ctx
    const closing = new AbortController()
    response.once('close', () => closing.abort())
    return {
      // An open operation does not look at it.
      session: session as Session,
      setOperator: (operator) => operators.set(ctx, operator),
      address,
      openBody: () => openRaw(request, bytesMax),
      signal: closing.signal,
      setHeader: (name, value) => {
        ctx.responseHeaders[name] = value
      },
    }
  }

  const refuse = (ctx: RequestContext, error: ApiError, responder: Responder): void => {
    if (error.status >= 500 && error.code !== 'not_ready') {
      log.error({ requestId: ctx.id, error: error.cause ?? error }, error.message)
    }
    ctx.errorCode = error.code
    const { retryAfterSeconds: after } = error
    responder.sendPlain(ctx, {
      status: error.status,
      headers: {
        ...jsonHeaders,
        ...(after !== undefined && { 'retry-after': String(after) }),
      },
      content: errorBody(error),
    })
  }

  const server = createBareServer({
    ...{ idPrefix: parts.idPrefix, now: parts.now, draining: parts.draining },
    sendTimeoutSeconds: config.sendTimeoutSeconds,
    trustedProxies: config.trustedProxies,
    messageLimits: { requestTimeoutMs, continuesOnRead: true },
    serve,
    refuse,
    onFinish: (ctx) =>
      log.info(
        {
          requestId: ctx.id,
          operator: operators.get(ctx),
          method: ctx.request.method,
          path: loggablePath(ctx.url),
          status: ctx.response.statusCode,
          ...(ctx.errorCode && { errorCode: ctx.errorCode }),
          ms: Math.round(performance.now() - (ctx.startedAt ?? 0)),
        },
        'operator page request',
      ),
  })
  server.maxConnections = connectionsMax
  return server
}

/** The statuses of what an operator can act on. */
const refusals: Readonly<Record<OperatorErrorKind, ErrorCode>> = {
  usage: 'invalid_parameter',
  invalid: 'invalid_parameter',
  missing: 'not_found',
  conflict: 'operation_refused',
}

const rethrow = (thrown: unknown): never => {
  if (!(thrown instanceof OperatorError)) throw thrown
  throw new ApiError(refusals[thrown.kind], thrown.message)
}

/** Reads the body, unless the operation does that itself, and the input in it. */
const readInput = async (
  { request, response, url }: RequestContext,
  operation: Operation,
  params: { readonly [name: string]: string },
): Promise<unknown> => {
  const { body: kind = operation.method === 'GET' ? 'none' : 'json' } = operation
  if (request.headers.expect !== undefined) response.writeContinue()
  const body = kind === 'json' ? await readJson(request, operation.bytesMax ?? jsonBytesMax) : {}
  if (kind === 'none') await readBytes(request, 0)
  return operation.read({ params, query: queryOf(url), body, headers: request.headers })
}

const jsonHeaders = { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' }

const respond = async (
  ctx: RequestContext,
  result: OperationResult,
  responder: Responder,
): Promise<void> => {
  if (ctx.response.closed) return
  if (result instanceof OperationFile) {
    const { name, contentType, pieces } = result
    const fileName = `filename*=UTF-8''${encodeURIComponent(name)}`
    const headers = {
      ...securityHeaders,
      'content-type': contentType,
      'content-disposition': `attachment; ${fileName}`,
    }
    await responder.sendStream(ctx, {
      stream: (begin) =>
        begin({ headers, isCompressible: true }).send(pieces, {}, async () => undefined),
    })
    return
  }
  responder.sendPlain(
    ctx,
    result === undefined
      ? { status: 204, headers: securityHeaders, content: null }
      : { status: 200, headers: jsonHeaders, content: JSON.stringify(result) },
  )
}

const queryOf = (url: string): { readonly [name: string]: string } => {
  const start = url.indexOf('?')
  const all = [...new URLSearchParams(start < 0 ? '' : url.slice(start))]
  const query = Object.fromEntries(all)
  if (Object.keys(query).length === all.length) return query
  throw new ApiError('invalid_parameter', 'A parameter occurs twice.')
}
