import type { Server } from 'node:http'
import type { ApiError } from '#contract'
import { toApiError } from '#request'
import { type ClientIp, createClientAddress, createClientIp } from './client-ip.ts'
import { connectionLimits, createConnections } from './connections.ts'
import { checkMessage, createContexts, type RequestContext } from './context.ts'
import { createResponder, type Responder } from './response.ts'
import { createHttpServer, type MessageLimits } from './server.ts'

/** Everything that a server without the API's keys and records needs. */
export interface BareServerParts {
  /** Prefix of this process's request ids. */
  readonly idPrefix: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether the server is draining: responses then ask clients to reconnect. */
  readonly draining: () => boolean
  readonly sendTimeoutSeconds: number
  readonly messageLimits: MessageLimits
  readonly trustedProxies: readonly string[]
  /** Responds to a request whose message is valid, or throws. */
  readonly serve: (ctx: RequestContext, responder: Responder) => Promise<void>
  /** Responds with an error of `serve`. */
  readonly refuse: (ctx: RequestContext, error: ApiError, responder: Responder) => void
  /** Called when a response is sent, or its connection is closed. */
  readonly onFinish: (ctx: RequestContext) => void
}

/** The HTTP server of the API, with its limits and its errors, without its pipeline. */
export const createBareServer = (parts: BareServerParts): Server => {
  const responder = createResponder(parts)
  const clientIp: ClientIp = createClientIp(createClientAddress(parts.trustedProxies))

  const serve = async (ctx: RequestContext): Promise<void> => {
    try {
      checkMessage(ctx)
      await parts.serve(ctx, responder)
    } catch (thrown) {
      // After a part of a response, only the end of the connection tells the client.
      if (!ctx.response.headersSent) parts.refuse(ctx, toApiError(thrown), responder)
      else if (!ctx.response.writableEnded) ctx.request.socket.destroy()
    }
  }

  return createHttpServer({
    createContext: createContexts(parts.idPrefix),
    connections: createConnections({
      limits: { ...connectionLimits, sendTimeoutSeconds: parts.sendTimeoutSeconds },
      isUrgent: () => false,
      onCut: () => undefined,
    }),
    serve: (ctx) => void serve(ctx).catch(() => ctx.request.socket.destroy()),
    responder,
    draining: parts.draining,
    onStart: (ctx) => {
      ctx.address = clientIp(ctx.request)
    },
    onFinish: parts.onFinish,
    messageLimits: parts.messageLimits,
  })
}
