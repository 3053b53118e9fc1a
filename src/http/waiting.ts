import type { RequestListener, Server, ServerResponse } from 'node:http'
import { ApiError, basePath, type Catalog } from '#contract'
import { asApiError } from '#request'
import { connectionLimits, openConnections } from './connections.ts'
import { writeError } from './errors.ts'
import { createFront } from './front.ts'
import { mcpPath } from './mcp-endpoint.ts'
import { openPaths, splitTarget } from './paths.ts'
import { openVisits, type Visit, visitOf } from './visit.ts'
import { healthPath, wellKnownPaths } from './well-known.ts'

export interface WaitingParts {
  readonly catalog: Catalog
  /** Begins the ids of this process's requests. */
  readonly idPrefix: string
  readonly corsOrigins: readonly string[]
}

const retryAfterSeconds = 1
const sendTimeoutSeconds = 5

/**
 * Answers while the service itself cannot be opened yet: it is alive, it is not ready, and the
 * records cannot be reached. Every response closes its connection.
 */
export const createWaiting = (parts: WaitingParts): Server => {
  const find = openPaths(parts.catalog)
  const isKnown = (path: string) =>
    find(path) !== null || wellKnownPaths.some((pattern) => pattern.test(path))
  const answer: RequestListener = (request, response) => {
    const visit = visitOf(request)
    const [path] = splitTarget(request.url ?? '')
    if (path === healthPath) writeHealth(response, visit)
    else writeError(response, visit, refusalOf(path, isKnown))
  }
  return createFront(
    {
      beginVisit: openVisits(parts.idPrefix),
      endVisit: () => undefined,
      draining: () => true,
      held: () => null,
      corsOrigins: parts.corsOrigins,
      isKnown,
      postPaths: [mcpPath],
      // Every response here is a constant of some bytes and reads nothing.
      limitPublic: () => null,
      quickRoad: null,
      connections: openConnections({
        limits: { ...connectionLimits, sendTimeoutSeconds },
        isUrgent: ({ url }) => url === healthPath,
        onCut: () => undefined,
      }),
      reasonOf: (_visit, thrown) => asApiError(thrown),
    },
    answer,
  )
}

/** The contract has no 503 for records: there it is an error of the store. */
const refusalOf = (path: string, isKnown: (path: string) => boolean): ApiError => {
  if (!path.startsWith(`${basePath}/brands/`)) {
    return new ApiError('not_ready', 'The server is starting: it waits for its database.', {
      retryAfterSeconds,
    })
  }
  return isKnown(path)
    ? new ApiError('store_unavailable', 'The records cannot be reached yet. Try again shortly.', {
        retryAfterSeconds,
      })
    : new ApiError('not_found', 'There is nothing at this path.')
}

const writeHealth = (response: ServerResponse, visit: Visit): void => {
  response
    .writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...visit.headers,
    })
    .end('{"status":"ok"}')
}
