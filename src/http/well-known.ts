import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ApiError, basePath } from '#contract'
import { matchesAny, matchesEtag } from './etag.ts'
import { visitOf } from './visit.ts'
import { makeReady, writeNotModified, writeReady } from './write.ts'

export interface WellKnownParts {
  /** The OpenAPI document's bytes. */
  readonly document: Buffer
  /** The same service in a page of text, for programs that read. */
  readonly guide: Buffer
  /** Throws when the server should get no requests. */
  readonly checkReady: () => Promise<void>
}

export const documentPath = `${basePath}/openapi.json`
const guidePath = '/llms.txt'

/** Paths outside the API that everybody may read. */
export const wellKnownPaths: readonly RegExp[] = [
  /^\/healthz$/,
  /^\/readyz$/,
  /^\/whoami$/,
  /^\/files\/images\/.+/,
  /^\/llms\.txt$/,
  new RegExp(`^${documentPath}$`),
]

/** Health, readiness and the document: no key needed. */
export const registerWellKnown = (app: FastifyInstance, parts: WellKnownParts): void => {
  const { document, guide, checkReady } = parts
  const serve = (path: string, operation: string, body: Buffer, contentType?: string) => {
    const tag = hash('sha256', body, 'base64url').slice(0, 22)
    app.get(path, async (request, reply) => {
      const visit = visitOf(request.raw)
      visit.operation = operation
      const { 'if-none-match': ifNoneMatch } = request.headers
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        reply.hijack()
        writeNotModified(reply.raw, visit, tag)
        return reply
      }
      const { ready } = await makeReady(visit, { body, tag, ...(contentType && { contentType }) })
      reply.hijack()
      writeReady(reply.raw, visit, ready)
      return reply
    })
  }
  serve(documentPath, 'openapi', document)
  serve(guidePath, 'llms', guide, 'text/plain; charset=utf-8')
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
