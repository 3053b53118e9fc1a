import type { ApiError } from '#contract'
import type { Grant } from '#keys'
import {
  type AuthorizationServer,
  type IssuedTokens,
  isResource,
  issuerMetadata,
  OAuthError,
  resourceMetadata,
  scope,
} from '#oauth'
import {
  type AuthenticateParts,
  foreignAddress,
  isFromItsAddress,
  limitFailures,
  type RateLimit,
} from '../admission.ts'
import { type RequestContext, setKey } from '../context.ts'
import { type Form, readForm } from '../form.ts'
import type { Handler } from '../handler.ts'
import type { PlainResponse } from '../response.ts'
import { readShortBody } from '../short-body.ts'

export interface OAuthParts extends AuthenticateParts {
  readonly authorizationServer: AuthorizationServer
  readonly rateLimit: RateLimit
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Returns the error to respond with; logs it if the fault is the server's. */
  readonly reportError: (ctx: RequestContext, thrown: unknown) => ApiError
}

const registrationBytesMax = 16_384

const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

const jsonResponse = (status: number, body: object, headers = {}): PlainResponse => ({
  status,
  headers: { ...jsonHeaders, ...headers },
  content: JSON.stringify(body),
})

/** The metadata of the resource or of the authorization server. */
export const metadataHandler =
  ({ issuer }: AuthorizationServer, about: 'resource' | 'issuer'): Handler =>
  () =>
    jsonResponse(200, (about === 'resource' ? resourceMetadata : issuerMetadata)(issuer()), {
      'cache-control': 'public, max-age=300',
    })

/** Responds with errors in the form of RFC 6749 (5.2). */
const respondInForm =
  (
    { reportError }: Pick<OAuthParts, 'reportError'>,
    work: (ctx: RequestContext) => Promise<PlainResponse>,
  ): Handler =>
  async ({ ctx }) => {
    try {
      return await work(ctx)
    } catch (thrown) {
      if (thrown instanceof OAuthError) {
        return jsonResponse(thrown.status, {
          error: thrown.code,
          error_description: thrown.message,
        })
      }
      const { status, message, retryAfterSeconds } = reportError(ctx, thrown)
      const isOwnFault = status === 429 || status >= 500
      return jsonResponse(
        status,
        {
          error: isOwnFault ? 'temporarily_unavailable' : 'invalid_request',
          error_description: message,
        },
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
      )
    }
  }

/** Registers a client (RFC 7591, 3). */
export const registrationHandler = (parts: OAuthParts): Handler =>
  respondInForm(parts, async ({ request }) => {
    const body = await readShortBody(request, registrationBytesMax)
    const { clients } = parts.authorizationServer
    const { clientId, client } = clients.register(parseJson(body.toString()))
    return jsonResponse(201, {
      client_id: clientId,
      client_id_issued_at: client.registeredAt,
      ...(client.name !== '' && { client_name: client.name }),
      redirect_uris: client.redirectUris,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope,
    })
  })

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new OAuthError('invalid_client_metadata', 'The body is not valid JSON.')
  }
}

/** Issues tokens for a code or a refresh token (RFC 6749, 4.1.3 and 6). */
export const tokenHandler = (parts: OAuthParts): Handler => {
  const { consents, accessTokens, clients, resource } = parts.authorizationServer

  /** Finds the key of a consent and charges the request to it. */
  const chargeKey = async (
    ctx: RequestContext,
    kind: 'code' | 'refresh',
    token: string,
  ): Promise<Grant> => {
    const consent = await consents.find(kind, token)
    const grant = consent ? await accessTokens.findKey(consent.keyId) : 'invalid'
    if (typeof grant !== 'object' || consent?.resource !== resource()) {
      throw new OAuthError(
        'invalid_grant',
        `The ${kind === 'code' ? 'code' : 'refresh token'} is unknown or has expired, or its API key is not valid any more. Ask for authorization again.`,
      )
    }
    setKey(ctx, grant)
    // Charged to the address below, like other failed attempts.
    if (!isFromItsAddress(parts, ctx, grant)) {
      throw new OAuthError('invalid_grant', foreignAddress(parts, ctx, grant).message)
    }
    await parts.rateLimit.consume(ctx, grant)
    return grant
  }

  const issue = async (ctx: RequestContext, form: Form): Promise<IssuedTokens> => {
    const grantType = form.required('grant_type')
    const isCode = grantType === 'authorization_code'
    if (!isCode && grantType !== 'refresh_token') {
      throw new OAuthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token.',
      )
    }
    const clientId = form.required('client_id')
    if (!clients.find(clientId)) {
      throw new OAuthError('invalid_client', 'The client is not registered with this server.')
    }
    if (!form.all('resource').every((each) => isResource(resource(), each))) {
      throw new OAuthError('invalid_target', `resource must be ${resource()}.`)
    }
    if (!isCode) {
      const token = form.required('refresh_token')
      await chargeKey(ctx, 'refresh', token)
      return consents.refresh(token, { clientId })
    }
    const code = form.required('code')
    const verifier = form.required('code_verifier')
    await chargeKey(ctx, 'code', code)
    return consents.redeem(code, { clientId, verifier, redirectUri: form.optional('redirect_uri') })
  }

  return respondInForm(parts, async (ctx) => {
    try {
      const { accessToken, expiresInSeconds, refreshToken } = await issue(ctx, await readForm(ctx))
      return jsonResponse(200, {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: expiresInSeconds,
        refresh_token: refreshToken,
        scope,
      })
    } catch (error) {
      if (isFailedAttempt(error)) {
        // A token that was used twice has ended its consent.
        accessTokens.forget()
        await limitFailures(parts, parts.clientIp(ctx.request))
      }
      throw error
    }
  })
}

/** Whether a client tried to use a grant or client id that it does not have. */
const isFailedAttempt = (error: unknown): boolean =>
  error instanceof OAuthError && ['invalid_grant', 'invalid_client'].includes(error.code)

/** Ends the consent of a token (RFC 7009, 2). */
export const revocationHandler = (parts: OAuthParts): Handler =>
  respondInForm(parts, async (ctx) => {
    const { consents, accessTokens } = parts.authorizationServer
    const form = await readForm(ctx)
    await consents.revoke(form.required('token'), form.optional('client_id'))
    accessTokens.forget()
    return jsonResponse(200, {})
  })
