import type { Grant } from '#keys'
import type { ListRequest, Reserve } from '#store'
import type { RequestContext } from './context.ts'
import type { PlainResponse, Response } from './response.ts'
import type { RouteMatch } from './router.ts'

/** A request for an operation. */
export interface OperationRequest {
  readonly ctx: RequestContext
  readonly match: RouteMatch
}

/** A request with a valid key. */
export interface KeyedRequest extends OperationRequest {
  readonly grant: Grant
  /** The path parameters; empty if the route has none. */
  readonly brand: string
  readonly id: string
  /** Reserves memory for a large response. */
  readonly reserve: Reserve
  /** Whether the client has disconnected. */
  readonly isCancelled: NonNullable<ListRequest['isCancelled']>
}

export type Handler = (request: OperationRequest) => Response | Promise<Response>
/** Responds to a browser at a path that has nothing; null for other clients. */
export type MissingPage = (ctx: RequestContext) => Promise<PlainResponse> | null
export type KeyedHandler = (request: KeyedRequest) => Promise<Response>
