import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ApiError, basePath } from '#contract'
import { matchesAny, matchesEtag } from './etag.ts'
import { visitOf } from './visit.ts'
import { makeReadyOnce, writeNotModified, writeReady } from './write.ts'

export interface WellKnownParts {
  /** The service in a page of text, for programs that read. */
  readonly guide: Buffer
  /** Throws when the server should get no requests. */
  readonly checkReady: () => Promise<void>
  /** What an operator should mend although requests are served. */
  readonly warnings: readonly string[]
}

export const documentPath = `${basePath}/openapi.json`
export const healthPath = '/healthz'
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

/** A text that is there as long as the process, such as an OpenAPI document. */
export interface Standing {
  /** What its requests are called in logs. */
  readonly operation: string
  readonly body: Buffer
  /** JSON unless said. */
  readonly contentType?: string
}

/** Serves a text: no key needed. */
export const registerText = (app: FastifyInstance, path: string, standing: Standing): void => {
  const { operation, ...text } = standing
  const tag = hash('sha256', text.body, 'base64url').slice(0, 22)
  const readyFor = makeReadyOnce({ ...text, tag })
  app.get(path, async (request, reply) => {
    const visit = visitOf(request.raw)
    visit.operation = operation
    const { 'if-none-match': ifNoneMatch } = request.headers
    if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
      reply.hijack()
      writeNotModified(reply.raw, visit, tag)
      return reply
    }
    const ready = await readyFor(visit)
    reply.hijack()
    writeReady(reply.raw, visit, ready)
    return reply
  })
}

/** Health, readiness and the guide: no key needed. */
export const registerWellKnown = (app: FastifyInstance, parts: WellKnownParts): void => {
  const { guide, checkReady, warnings } = parts
  const ready = JSON.stringify({ status: 'ready', ...(warnings.length > 0 && { warnings }) })
  const contentType = 'text/plain; charset=utf-8'
  registerText(app, guidePath, { operation: 'llms', body: guide, contentType })
  app.get(healthPath, async (request, reply) => {
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
    return reply.headers({ ...visit.headers, ...plain }).send(ready)
  })
}

const plain = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
