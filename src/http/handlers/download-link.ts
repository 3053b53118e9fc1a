import { ApiError, type Catalog, type Resource } from '#contract'
import { type Grant, isLinkToken, type KeyVerifier, type LinkRecord } from '#keys'
import type { RateLimiter } from '#rate-limit'
import {
  type AuthenticateParts,
  type BrandLookup,
  isFromItsAddress,
  limitFailures,
  unchecked,
} from '../admission.ts'
import type { RequestContext } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import type { KeyedRoute } from '../router.ts'

/** Finds the link of a token, which may have expired. */
export type FindLink = (token: string) => Promise<LinkRecord | null>

export interface DownloadLinkParts
  extends Pick<AuthenticateParts, 'failurePolicy' | 'clientAddress' | 'clientIp'> {
  readonly catalog: Catalog
  readonly findLink: FindLink
  readonly keyVerifier: KeyVerifier
  readonly limiter: RateLimiter
  readonly lookUpBrand: BrandLookup
  readonly now: () => number
  readonly download: (resource: Resource) => KeyedHandler
}

/** What a token gives: a download, with the rights of a key. */
interface Access {
  readonly link: LinkRecord
  readonly resource: Resource
  readonly grant: Grant
}

/**
 * The route of links to downloads. The token in the path is all that a person needs, so nothing of
 * the response may be kept or passed on. Every token that gives nothing gets the same response, and
 * is charged to the address.
 */
export const downloadLinkRoute = (
  parts: DownloadLinkParts,
): Required<Pick<KeyedRoute, 'authenticate' | 'handler'>> => {
  const { catalog, download } = parts
  const admitted = new WeakMap<RequestContext, Access>()
  const handlers = new Map<string, KeyedHandler>()
  const handlerOf = (resource: Resource): KeyedHandler => {
    const handler = handlers.get(resource.path) ?? download(resource)
    handlers.set(resource.path, handler)
    return handler
  }
  return {
    authenticate: async ({ ctx, match }) => {
      Object.assign(ctx.responseHeaders, secretHeaders)
      const access = await find(parts, catalog, ctx, match.params[0] ?? '')
      admitted.set(ctx, access)
      return access.grant
    },
    handler: async (request) => {
      const { ctx, match } = request
      const access = admitted.get(ctx)
      if (!access) throw noSuchLink()
      const { link, resource } = access
      ctx.brand = link.brand
      const response = await handlerOf(resource)({
        ...request,
        match: { ...match, query: link.query, params: [link.brand] },
        brand: link.brand,
      })
      // No operation of the route has the group.
      ctx.groups = [link.group, ...(ctx.groups ?? [])]
      return response
    },
  }
}

/** Neither a cache nor the next page that a browser opens gets to know a link. */
const secretHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

const find = async (
  parts: DownloadLinkParts,
  catalog: Catalog,
  ctx: RequestContext,
  token: string,
): Promise<Access> => {
  if (parts.keyVerifier.isStale) throw unchecked()
  const address = parts.clientIp(ctx.request)
  const access = await valid(parts, catalog, ctx, address, token)
  if (access) return access
  await limitFailures(parts, address)
  throw noSuchLink()
}

/** Rate of lookups in the database per address. People in one office share an address. */
const lookUpPolicy = { perSecond: 50, burst: 500 }

const valid = async (
  parts: DownloadLinkParts,
  catalog: Catalog,
  ctx: RequestContext,
  address: string,
  token: string,
): Promise<Access | null> => {
  if (!isLinkToken(token)) return null
  const { allowed, retryAfterSeconds } = await parts.limiter.consume(
    `link ${address}`,
    lookUpPolicy,
  )
  // It may be a good one, of somebody else at the same address.
  if (!allowed) throw tooManyLinks(retryAfterSeconds)
  const link = await parts.findLink(token).catch(failedLookUp)
  const resource = link && catalog.byPath.get(link.group)
  if (!link || !resource || Date.parse(link.expiresAt) <= parts.now()) return null
  const grant = await keyOf(parts.keyVerifier, link.keyId)
  const isValid =
    grant !== null &&
    (grant.global || grant.brands.has(link.brand)) &&
    grant.scope.has(link.group) &&
    isFromItsAddress(parts, ctx, grant) &&
    (await exists(parts, link.brand))
  return isValid ? { link, resource, grant } : null
}

/** The key of a link, which may be brand-new. */
const keyOf = async (keys: KeyVerifier, keyId: string): Promise<Grant | null> => {
  const cached = keys.findKey(keyId)
  const grant = cached === 'invalid' ? await keys.findKeyAgain(keyId).catch(failedLookUp) : cached
  return typeof grant === 'object' ? grant : null
}

const failedLookUp = (): never => {
  throw unchecked()
}

const exists = async ({ lookUpBrand }: DownloadLinkParts, brand: string): Promise<boolean> => {
  try {
    await lookUpBrand(brand)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return false
    throw error
  }
}

const tooManyLinks = (retryAfterSeconds: number): ApiError =>
  new ApiError(
    'rate_limited',
    `Too many requests for links from this address. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )

const noSuchLink = (): ApiError =>
  new ApiError(
    'not_found',
    'This link does not exist, has expired or was removed. Ask the person who gave it to you for another one.',
  )
