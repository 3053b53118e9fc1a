import { ApiError } from '#contract'
import type { Grant } from '#keys'
import {
  allowPage,
  chooseLanguage,
  hashOf,
  keyPage,
  OAuthError,
  type Page,
  readAuthorizationRequest,
  refusedPage,
  withParameters,
} from '#oauth'
import type { Store } from '#store'
import { authenticateToken, requireAddress } from '../admission.ts'
import { type RequestContext, setKey } from '../context.ts'
import { type Form, readForm } from '../form.ts'
import type { Handler } from '../handler.ts'
import type { PlainResponse } from '../response.ts'
import type { OAuthParts } from './oauth.ts'

export interface ConsentHandlerParts extends OAuthParts {
  readonly store: Store
}

/** How long a person may look at what a key allows. */
const ticketMs = 600_000

type AuthorizationRequest = ReturnType<typeof readAuthorizationRequest>
type ValidRequest = Exclude<AuthorizationRequest, { readonly refusal: unknown }>

const pageResponse = (status: number, { html, headers }: Page, more = {}): PlainResponse => ({
  status,
  headers: { ...headers, ...more },
  content: html,
})

/** Redirects the browser to the client, without sending this page's address as referrer. */
const redirect = (location: string): PlainResponse => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  content: '',
})

/** The page on which a person allows a client to read, and the handler of its two forms. */
export const consentHandlers = (
  parts: ConsentHandlerParts,
): { readonly show: Handler; readonly decide: Handler } => {
  const { store, authorizationServer: server, now } = parts
  const { accessTokens, consents, tickets, issuer } = server

  /**
   * Reads the request in the address. Errors are shown here: only the person's decision redirects a
   * browser to a client, since anyone can register one (RFC 9700, 4.11.2).
   */
  const withRequest =
    (
      work: (request: ValidRequest, ctx: RequestContext, query: string) => Promise<PlainResponse>,
    ): Handler =>
    async ({ ctx, match }) => {
      const language = languageOf(ctx)
      try {
        const request = readAuthorizationRequest(server, new URLSearchParams(match.query))
        if (!('refusal' in request)) return await work(request, ctx, match.query)
        const { redirectUri, state, refusal } = request
        const url = withParameters(redirectUri, {
          error: refusal.code,
          error_description: refusal.message,
          ...{ state, iss: issuer() },
        })
        return pageResponse(400, refusedPage(language, refusal.message, { redirectUri, url }))
      } catch (thrown) {
        if (thrown instanceof OAuthError) {
          return pageResponse(thrown.status, refusedPage(language, thrown.message))
        }
        const { status, message, retryAfterSeconds } = parts.reportError(ctx, thrown)
        const after = retryAfterSeconds !== undefined && {
          'retry-after': String(retryAfterSeconds),
        }
        return pageResponse(status, refusedPage(language, message), { ...after })
      }
    }

  const pagePartsOf = (ctx: RequestContext, { client, redirectUri, state }: ValidRequest) => ({
    language: languageOf(ctx),
    ...{ client, redirectUri },
    cancelUrl: withParameters(redirectUri, {
      error: 'access_denied',
      error_description: 'The person did not allow it.',
      ...{ state, iss: issuer() },
    }),
  })

  /** Shows what the entered key allows. */
  const showKey = async (
    ctx: RequestContext,
    request: ValidRequest,
    query: string,
    form: Form,
  ): Promise<PlainResponse> => {
    const shared = pagePartsOf(ctx, request)
    const key = form.optional('key')?.trim() ?? ''
    const grant = await verifyKey(ctx, key)
    if (typeof grant !== 'object') return pageResponse(400, keyPage(shared, grant))
    setKey(ctx, grant)
    await parts.rateLimit.consume(ctx, grant)
    const { keyId, name, global: isGlobal, brands, scope, expiresAt } = grant
    const readable = store.catalog.resources.filter(({ path }) => scope.has(path))
    const page = allowPage({
      ...shared,
      ...{ keyName: name, isGlobal, expiresAt },
      brands: await store.listBrands(isGlobal ? null : brands),
      groups: scope.isWhole ? null : readable.map(({ group }) => group),
      ticket: tickets.sign({ keyId, request: hashOf(query), expiresAt: now() + ticketMs }),
    })
    return pageResponse(200, page)
  }

  /** Limits failures per address, like requests with a wrong key. */
  const verifyKey = async (ctx: RequestContext, key: string): Promise<Grant | KeyProblem> => {
    try {
      return await authenticateToken(parts, ctx, key)
    } catch (error) {
      return keyProblemOf(error)
    }
  }

  /** Finds the key of a ticket, from an address where it may be used. */
  const findKey = async (ctx: RequestContext, keyId: string): Promise<Grant | KeyProblem> => {
    const grant = await accessTokens.findKey(keyId)
    if (typeof grant !== 'object') return grant
    try {
      await requireAddress(parts, ctx, grant)
      return grant
    } catch (error) {
      return keyProblemOf(error)
    }
  }

  const allow = async (
    ctx: RequestContext,
    request: ValidRequest,
    query: string,
    text: string,
  ): Promise<PlainResponse> => {
    const ticket = tickets.verify(text)
    const isValid = ticket?.request === hashOf(query) && ticket.expiresAt > now()
    if (!ticket || !isValid) return pageResponse(400, keyPage(pagePartsOf(ctx, request), 'over'))
    const grant = await findKey(ctx, ticket.keyId)
    if (typeof grant !== 'object') {
      return pageResponse(400, keyPage(pagePartsOf(ctx, request), grant))
    }
    setKey(ctx, grant)
    await parts.rateLimit.consume(ctx, grant)
    const { clientId, redirectUri, challenge, state } = request
    const code = await consents.create({
      ...{ keyId: grant.keyId, clientId, redirectUri, challenge },
      resource: server.resource(),
      ticket: { hash: hashOf(text), expiresAt: ticket.expiresAt },
    })
    if (code === null) return pageResponse(400, keyPage(pagePartsOf(ctx, request), 'over'))
    return redirect(withParameters(redirectUri, { code, state, iss: issuer() }))
  }

  return {
    show: withRequest(async (request, ctx) =>
      pageResponse(200, keyPage(pagePartsOf(ctx, request))),
    ),
    decide: withRequest(async (request, ctx, query) => {
      requireOwnPage(ctx, new URL(issuer()).origin)
      const form = await readForm(ctx)
      const ticket = form.optional('ticket')
      return ticket === undefined
        ? showKey(ctx, request, query, form)
        : allow(ctx, request, query, ticket)
    }),
  }
}

type KeyProblem = 'invalid' | 'expired' | 'elsewhere'

const keyProblemOf = (error: unknown): KeyProblem => {
  if (!(error instanceof ApiError) || error.status !== 401) throw error
  if (error.code === 'out_of_scope') return 'elsewhere'
  return error.code === 'expired_api_key' ? 'expired' : 'invalid'
}

const languageOf = ({ request }: RequestContext) =>
  chooseLanguage(request.headers['accept-language'])

/** Browsers send the origin of a form. A page of another site must not decide for a person. */
const requireOwnPage = ({ headers, request }: RequestContext, own: string): void => {
  if (headers.origin === undefined) {
    throw new ApiError(
      'forbidden_origin',
      'The form was sent without an Origin header. Use a browser that sends it, as all current ones do.',
    )
  }
  const site = request.headers['sec-fetch-site']
  if (headers.origin === own && (site === undefined || site === 'same-origin')) return
  throw new ApiError('forbidden_origin', 'The form was sent from a page of another site.')
}
