import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '#contract'
import { openCursors } from '#cursors'
import type { Grant } from '#keys'
import type { Reserve, Store } from '#store'
import { type AuthenticateParts, authenticate, requireScope } from './authenticate.ts'
import { type Brands, requireBrand } from './brands.ts'
import type { ClientOf } from './client-address.ts'
import { chooseEncoding, compress } from './compress.ts'
import type { ResponseMemory } from './connections.ts'
import { enterWithRoom, type InProgress } from './in-progress.ts'
import { type MeterParts, meter } from './meter.ts'
import { endStage, nameKey, serverTiming, type Visit, visitOf } from './visit.ts'

export interface McpEndpointParts extends AuthenticateParts, MeterParts {
  readonly store: Store
  readonly brands: Brands
  readonly inProgress: InProgress
  readonly secret: string
  readonly release: string
  readonly corsOrigins: readonly string[]
  readonly clientOf: ClientOf
  readonly memory: ResponseMemory
  /** The address that clients reach this server at. */
  readonly ownUrl: () => string
  /** Notes what went wrong inside. */
  readonly report: (visit: Visit, error: ApiError) => void
}

export const mcpPath = '/mcp'

/** Messages of agents are short; a batch of as many calls as it may have stays far below this. */
const bodyBytesMax = 65_536

/**
 * Answers agents: each message as a request of its own, with the keys and limits of the API. The
 * protocol's library is loaded when the first of them comes, and costs nothing until then.
 */
export const registerMcp = (app: FastifyInstance, parts: McpEndpointParts): void => {
  const { store, brands, release } = parts
  const cursors = openCursors(parts.secret)

  void app.register(async (scope) => {
    // The one path with a body. It is read here, once it is known who sent it.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.get(mcpPath, async (request) => {
      const visit = visitOf(request.raw)
      visit.operation = 'mcp'
      throw postOnly(visit)
    })
    scope.post(mcpPath, async (request, reply) => {
      const visit = visitOf(request.raw)
      visit.operation = 'mcp'
      refuseForeignPage(parts, visit)
      const claim = {
        authorization: request.headers.authorization,
        address: parts.clientOf(request.raw),
      }
      const grant = await authenticate(parts, claim)
      nameKey(visit, grant)
      parts.keyRing.markUsed(grant.keyId)
      await meter(parts, grant, visit)
      const leave = await enterWithRoom(parts.memory, parts.inProgress, reply.raw, grant.keyId)
      if (reply.raw.closed) {
        leave()
        throw clientGone()
      }
      reply.raw.once('close', leave)
      endStage(visit, 'admit')
      const { text, message } = withoutCancels((await readBody(request.raw)).toString())
      endStage(visit, 'read')
      const { answerHttp, callerOf, messageBudget, nextTurn, openBudget, storeReader } =
        await import('#mcp')
      // Many messages may come in at once; each is taken up in a turn of its own.
      await nextTurn()
      if (Array.isArray(message) && message.length > messageBudget.messages) {
        throw new ApiError(
          'body_too_large',
          `A batch has at most ${messageBudget.messages} messages. Send the others in further requests.`,
        )
      }
      // The request itself has paid for the first message of a batch.
      let isPaid = true
      const pay = async () => {
        if (!isPaid) await meter(parts, grant, visit)
        isPaid = false
      }
      for (const each of Array.isArray(message) ? message : []) {
        if (each?.method !== 'tools/call') await pay()
      }

      const budgeted = openBudget({ pay: () => meter(parts, grant, visit) })
      // Asked once for a message, however many of its calls want to know.
      let found: Promise<readonly string[]> | undefined
      const reserveAll = parts.inProgress.reserver(grant.keyId, reply.raw)
      let reserved = 0
      /** For one reader, whose reads come one after the other; readers may read at the same time. */
      const openReserve = (): Reserve => {
        let own = 0
        return (bytes) => {
          if (bytes <= own) return
          reserved += bytes - own
          own = bytes
          return reserveAll(reserved)
        }
      }
      const caller = callerOf({
        brands: () => {
          found ??= readable(parts, grant)
          return found
        },
        reader: async (brand) => {
          requireScope(await authenticate(parts, claim), brand)
          await requireBrand(brands, brand)
          visit.brand = brand
          return budgeted(storeReader({ store, cursors, reserve: openReserve() }, brand))
        },
      })
      const client = {
        ...caller,
        begin: async (tool: string) => {
          visit.operation = `mcp.${tool}`
          await pay()
        },
        failed: (error: ApiError) => {
          visit.errorCode = error.code
          parts.report(visit, error)
        },
      }
      const asked = new Request(`http://selvedge${mcpPath}`, {
        method: 'POST',
        headers: headersOf(request.raw),
        body: text,
      })
      const response = await answerHttp({ release }, client, asked, message)
      endStage(visit, 'run')
      reply.hijack()
      await write(
        (bytes) => parts.memory.hold(reply.raw, grant.keyId, bytes),
        reply.raw,
        visit,
        response,
      )
      return reply
    })
  })
}

/** What is answered to every method but one. */
export const postOnly = (visit: Visit): ApiError => {
  visit.headers['allow'] = 'POST'
  return new ApiError(
    'method_not_allowed',
    'This path is called with POST only; there is no stream.',
  )
}

/**
 * A page in somebody's browser may reach a server that only they can reach, under a name that its
 * author lets point there. Browsers say where a page is from; everybody else says nothing.
 */
const refuseForeignPage = ({ corsOrigins, ownUrl }: McpEndpointParts, visit: Visit): void => {
  const { origin } = visit.head
  if (origin === undefined || corsOrigins.includes(origin)) return
  if (origin === new URL(ownUrl()).origin) return
  throw new ApiError(
    'forbidden_origin',
    'Web pages of this origin may not call the server. CORS_ORIGINS lists those that may.',
  )
}

/** The brands that a key may read and that are there. */
const readable = async (
  { store }: McpEndpointParts,
  { global, brands }: Grant,
): Promise<readonly string[]> =>
  (await store.brandNames(global ? null : brands)).map(({ slug }) => slug)

const readBody = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (request.destroyed && !request.readableEnded) reject(clientGone())
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      // What is too long is read to its end all the same, so that the sender hears of it.
      if (size <= bodyBytesMax) chunks.push(chunk)
      else reject(tooLarge())
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('close', () => reject(clientGone()))
  })

/** For the log: there is nobody left to send it to. */
const clientGone = (): ApiError =>
  new ApiError('malformed_request', 'The connection was closed before the message was read.')

const tooLarge = (): ApiError =>
  new ApiError('body_too_large', `A message has at most ${bodyBytesMax} bytes.`)

/** What the protocol's library looks at. */
const passedOn = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

/**
 * Without sessions there is nothing to cancel but a message of the same batch, and the library gives
 * no answer at all to a batch with one that was cancelled.
 */
const withoutCancels = (text: string): { readonly text: string; readonly message: unknown } => {
  const message = parse(text)
  if (!Array.isArray(message)) return { text, message }
  const kept = message.filter((each) => each?.method !== 'notifications/cancelled')
  return kept.length === 0 ? { text, message } : { text: JSON.stringify(kept), message: kept }
}

/** Undefined for what is no JSON, which the library explains to the client. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const write = async (
  hold: (bytes: number) => void,
  raw: ServerResponse,
  visit: Visit,
  response: Response,
): Promise<void> => {
  const body = Buffer.from(await response.arrayBuffer())
  hold(body.length)
  const encoding = chooseEncoding(visit.head.acceptEncoding, body.length)
  const bytes = encoding ? await compress(body, encoding) : body
  hold(bytes.length)
  const type = response.headers.get('content-type')
  raw
    .writeHead(response.status, {
      ...(type && { 'content-type': type }),
      ...(encoding && { 'content-encoding': encoding }),
      'content-length': String(bytes.length),
      'cache-control': 'no-store',
      vary: 'Authorization, Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'server-timing': serverTiming(visit),
      ...visit.headers,
    })
    .end(bytes)
}
