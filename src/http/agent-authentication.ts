import { ApiError } from '#contract'
import type { Grant, Refusal } from '#keys'
import { type AuthorizationServer, isAccessToken, resourceDocumentUrl } from '#oauth'
import type { Policy } from '#rate-limit'
import {
  type AuthenticateParts,
  authenticate,
  limitFailures,
  readToken,
  requireAddress,
  unchecked,
} from './admission.ts'
import type { RequestContext } from './context.ts'

export interface AgentAuthenticationParts extends AuthenticateParts {
  /** Null if there is none: then only keys are valid. */
  readonly authorizationServer: AuthorizationServer | null
}

/** Returns an agent's grant: that of its key, or of the key behind its access token. */
export type AuthenticateAgent = (ctx: RequestContext) => Promise<Grant>

/**
 * Rate of token lookups in the database per address. Assistants of many people may share an
 * address, so this limits the cost of guesses, not normal use.
 */
const readPolicy: Policy = { perSecond: 500, burst: 2_000 }

export const createAgentAuthentication = (parts: AgentAuthenticationParts): AuthenticateAgent => {
  const { authorizationServer: server, keyVerifier, limiter, clientIp } = parts
  if (!server) return async (ctx) => authenticate(parts, ctx)

  const verifyToken = async (ctx: RequestContext, token: string): Promise<Grant> => {
    if (keyVerifier.isStale) throw unchecked()
    const address = clientIp(ctx.request)
    const beforeRead = async () => {
      const { allowed, retryAfterSeconds } = await limiter.consume(`token ${address}`, readPolicy)
      if (!allowed) throw tooManyReads(retryAfterSeconds)
    }
    const verified = await server.accessTokens.verify(token, beforeRead).catch((error: unknown) => {
      throw error instanceof ApiError ? error : unchecked()
    })
    if (typeof verified === 'object') {
      await requireAddress(parts, ctx, verified)
      return verified
    }
    await limitFailures(parts, address)
    throw refusals[verified]()
  }

  return async (ctx) => {
    const token = readToken(ctx.headers.authorization)
    try {
      return await (token !== null && isAccessToken(token)
        ? verifyToken(ctx, token)
        : authenticate(parts, ctx))
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        addChallenge(ctx, error, resourceDocumentUrl(server.issuer()))
      }
      throw error
    }
  }
}

/** Tells a client where to learn how to get a token (RFC 9728, 5.1). */
const addChallenge = (
  { responseHeaders }: RequestContext,
  { code }: ApiError,
  documentUrl: string,
): void => {
  const error = code === 'missing_api_key' ? '' : 'error="invalid_token", '
  responseHeaders['www-authenticate'] = `Bearer ${error}resource_metadata="${documentUrl}"`
  const exposed = responseHeaders['access-control-expose-headers']
  if (exposed) responseHeaders['access-control-expose-headers'] = `${exposed}, WWW-Authenticate`
}

const refusals: Readonly<Record<Refusal, () => ApiError>> = {
  invalid: () =>
    new ApiError(
      'invalid_api_key',
      'The access token is not valid: unknown or revoked, issued for another server, or its API key is revoked.',
    ),
  expired: () => new ApiError('expired_api_key', 'The access token or its API key has expired.'),
}

const tooManyReads = (retryAfterSeconds: number): ApiError =>
  new ApiError(
    'rate_limited',
    `Too many access tokens from this address. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
