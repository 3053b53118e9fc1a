import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Config } from '#config'
import type { JsonValue } from '#contract'
import type { Images } from '#images'
import type { Units } from '#intake'
import type { OperatorParts } from '#operator'
import type { Session, Sessions } from './sessions.ts'
import type { Uploads } from './uploads.ts'

/** What operations work with: the parts of an operator, the units, and the server itself. */
export interface OperationParts extends OperatorParts {
  readonly config: Config
  readonly release: string
  /** The address of the API, for people. */
  readonly apiUrl: string
  readonly units: Units
  /** Opens the storage of images. */
  readonly openImages: () => Images
  readonly sessions: Sessions
  readonly uploads: Uploads
}

/** A request whose path, method and body are those of its operation. */
export interface OperationRequest {
  /** The values of the names in the path. */
  readonly params: { readonly [name: string]: string }
  /** The parameters of the query. A repeated one is refused before. */
  readonly query: { readonly [name: string]: string }
  /** The parsed JSON of the body; an empty object if the operation takes no JSON. */
  readonly body: { readonly [name: string]: unknown }
  readonly headers: IncomingHttpHeaders
}

/** Who calls an operation. */
export interface Call {
  readonly session: Session
  /** Names the operator in the log line of a request without a session. */
  readonly setOperator: (operator: string) => void
  /** The address of the client, for the audit log. */
  readonly address: string
  /** Opens the body of an operation with a raw one. It fails beyond the limit. Call it once. */
  readonly openBody: () => Readable
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal
  /** Sets a header of the response. */
  readonly setHeader: (name: string, value: string) => void
}

/** What an operation returns: JSON, a file, or nothing (204). */
export type OperationResult = JsonValue | object | OperationFile | undefined

/** A file to save, made while it is sent. */
export class OperationFile {
  readonly name: string
  readonly contentType: string
  readonly pieces: AsyncIterable<Uint8Array>

  constructor(name: string, contentType: string, pieces: AsyncIterable<Uint8Array>) {
    this.name = name
    this.contentType = contentType
    this.pieces = pieces
  }
}

/** How the body of a request is read: none, JSON, or as bytes while it arrives. */
export type BodyKind = 'none' | 'json' | 'raw'

interface OperationRow<Input> {
  /** Everything but GET changes something, and needs `Origin` and `x-csrf-token`. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api`, with names in braces: `/brands/{slug}`. */
  readonly path: string
  /** `none` for GET, `json` otherwise. */
  readonly body?: BodyKind
  /** Maximum size of the body; 64 KiB by default. */
  readonly bytesMax?: number
  /** Whether it is called without a session: the sign-in. */
  readonly isOpen?: true
  /** Reads the input, and refuses it with an `ApiError`: see `readFields`. */
  readonly read: (request: OperationRequest) => Input
  readonly run: (parts: OperationParts, input: Input, call: Call) => Promise<OperationResult>
}

/** A row of the table of operations. */
export type Operation = OperationRow<unknown>

/** An operation whose input is what `read` returns. */
export const operation = <Input>(row: OperationRow<Input>): Operation => row as Operation
