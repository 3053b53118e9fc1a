import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ApiError, basePath } from '#contract'
import { matchesAny, matchesEtag } from './etag.ts'
import { visitOf } from './visit.ts'
import { makeReady, writeNotModified, writeReady } from './write.ts'

export interface WellKnownParts {
  /** Throws when the server should get no requests. */
  readonly checkReady: () => Promise<void>
}

export const documentPath = `${basePath}/openapi.json`

/** Paths outside the API that everybody may read. */
export const wellKnownPaths: readonly RegExp[] = [
  /^\/healthz$/,
  /^\/readyz$/,
  /^\/whoami$/,
  /^\/files\/images\/.+/,
  new RegExp(`^${documentPath}$`),
]

/** An OpenAPI document: no key needed. */
export const registerDocument = (app: FastifyInstance, path: string, document: Buffer): void => {
  const documentTag = hash('sha256', document, 'base64url').slice(0, 22)

  app.get(path, async (request, reply) => {
    const visit = visitOf(request.raw)
    visit.operation = 'openapi'
    const { 'if-none-match': ifNoneMatch } = request.headers
    if (matchesEtag(ifNoneMatch, documentTag) || matchesAny(ifNoneMatch)) {
      reply.hijack()
      writeNotModified(reply.raw, visit, documentTag)
      return reply
    }
    const { ready } = await makeReady(visit, { body: document, tag: documentTag })
    reply.hijack()
    writeReady(reply.raw, visit, ready)
    return reply
  })
}

/** Health and readiness: no key needed. */
export const registerWellKnown = (app: FastifyInstance, parts: WellKnownParts): void => {
  const { checkReady } = parts
  app.get('/healthz', async (request, reply) => {
    const visit = visitOf(request.raw)
    visit.operation = 'health'
    return reply.headers({ ...visit.headers, ...plain }).send('{"status":"ok"}')
  })
  app.get('/readyz', async (request, reply) => {
    const visit = visitOf(request.raw)
    visit.operation = 'ready'
    try {
      await checkReady()
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError('not_ready', 'The records cannot be reached.', {
        cause: error,
        retryAfterSeconds: 1,
      })
    }
    return reply.headers({ ...visit.headers, ...plain }).send('{"status":"ready"}')
  })
}

const plain = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
