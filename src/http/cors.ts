import type { RequestContext } from './context.ts'
import type { PlainResponse } from './response.ts'

const exposedHeaders = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id'

/** Pages of a listed origin may read responses; no others may. */
export const addCorsHeaders = (
  { headers, responseHeaders }: RequestContext,
  origins: readonly string[],
): void => {
  if (origins.length === 0) return
  responseHeaders['vary'] = 'Authorization, Accept-Encoding, Origin'
  const { origin } = headers
  if (origin === undefined || !origins.includes(origin)) return
  responseHeaders['access-control-allow-origin'] = origin
  responseHeaders['access-control-expose-headers'] = exposedHeaders
}

/** Whether a request asks what a page of a listed origin may send. */
export const isPreflight = ({ method, responseHeaders }: RequestContext): boolean =>
  method === 'OPTIONS' && responseHeaders['access-control-allow-origin'] !== undefined

const readHeaders = 'Authorization, If-None-Match, X-Request-Id'
const postHeaders =
  'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-Request-Id'

/** The response to a preflight for a path with these methods. */
export const preflightResponse = (allow: string): PlainResponse => ({
  status: 204,
  headers: {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': allow === 'POST' ? postHeaders : readHeaders,
    'access-control-max-age': '600',
  },
  content: null,
})
