import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import { createSemaphore, type Semaphore } from '#concurrency'
import { ApiError } from '#contract'
import type { BodyScan } from './body-scan.ts'
import type { RequestContext } from './context.ts'

export interface BodyLimits {
  /** Maximum bytes of a body, both as sent and decompressed. */
  readonly bytesMax: number
  /** Concurrently received bodies of keys. One key may have half of them. */
  readonly concurrent: number
  /** How long a body may take to arrive, once it is being read. */
  readonly seconds: number
}

/**
 * The sender that a body counts for: a key, or the address of a client whose signature can be
 * verified only once the body is complete.
 */
export type BodyOwner = { readonly keyId: string } | { readonly address: string }

export interface BodyOptions {
  readonly owner: BodyOwner
  readonly scan: BodyScan
  /** Called with the bytes as sent, before decompression. */
  readonly onBytes?: (bytes: Buffer) => void
  /** Called if the client disconnects before the end of the body, or sends it too slowly. */
  readonly onAbandoned?: () => void
}

/** Receives request bodies, within limits. */
export interface RequestBodies {
  /** Returns the decompressed body. Rejects with an `ApiError`. */
  read(ctx: RequestContext, options: BodyOptions): Promise<Buffer>
}

/** Concurrent senders wait briefly; retries cost more. */
export const slotWaitMs = 1_000
const waitingMax = 100
const retryAfterSeconds = 2
/** Most bodies are shorter. */
const firstBytes = 65_536
/** The minimum rate of a body, in each of several parts of its time: as for unread responses. */
const bytesPerSecond = 1_000
const timeParts = 3

/** One owner may have half of the slots. A quarter is kept for owners that have none. */
const createSlots = (total: number): Semaphore =>
  createSemaphore({
    total,
    perOwner: Math.ceil(total / 2),
    keptForNew: Math.ceil(total / 4),
    waitingPerOwner: waitingMax,
    waitMs: slotWaitMs,
  })

export const createRequestBodies = ({
  bytesMax,
  concurrent,
  seconds,
}: BodyLimits): RequestBodies => {
  const keySlots = createSlots(concurrent)
  // Separate, so that clients that have not proved who they are take nothing from those that have.
  const unverifiedSlots = createSlots(Math.max(2, Math.ceil(concurrent / 4)))
  const tooLarge = () =>
    new ApiError(
      'body_too_large',
      `A body has at most ${bytesMax.toLocaleString('en')} bytes, as it is sent and once it is decompressed. Send the records in several batches.`,
    )
  const busy = (): ApiError =>
    new ApiError('queue_full', 'Too many batches are being received. Try again shortly.', {
      retryAfterSeconds,
    })

  const tooSlow = (): ApiError =>
    new ApiError(
      'request_timeout',
      `A body must arrive within ${seconds} s, and at ${bytesPerSecond.toLocaleString('en')} bytes per second at least.`,
    )

  const receive = ({ request, response }: RequestContext, options: BodyOptions): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const decoder = decoderOf(request)
      // Small pieces take more memory than their bytes, so they are copied together.
      let body = Buffer.allocUnsafeSlow(Math.min(firstBytes, bytesMax))
      let sent = 0
      let size = 0
      const fail = (error: unknown) => {
        stopWatch()
        decoder?.destroy()
        // The rest is read and discarded, so that the sender gets the error.
        request.off('data', take)
        request.resume()
        reject(error)
      }
      const abandon = (error: ApiError) => {
        options.onAbandoned?.()
        fail(error)
      }
      const stopWatch = watchRate({
        seconds,
        bytes: () => sent,
        onSlow: () => {
          // The rest of the body may never arrive.
          if (!response.headersSent) response.setHeader('connection', 'close')
          abandon(tooSlow())
        },
      })
      const guard = (work: () => void) => {
        try {
          work()
        } catch (error) {
          fail(error)
        }
      }
      const keep = (bytes: Buffer) =>
        guard(() => {
          if (size + bytes.length > bytesMax) throw tooLarge()
          options.scan.write(bytes)
          if (size + bytes.length > body.length) {
            const larger = Math.max(body.length * 2, size + bytes.length)
            const grown = Buffer.allocUnsafeSlow(Math.min(larger, bytesMax))
            body.copy(grown, 0, 0, size)
            body = grown
          }
          bytes.copy(body, size)
          size += bytes.length
        })
      const finish = () =>
        guard(() => {
          if (options.scan.end() === 0) throw empty()
          resolve(body.subarray(0, size))
        })
      const take = (bytes: Buffer) =>
        guard(() => {
          sent += bytes.length
          if (sent > bytesMax) throw tooLarge()
          options.onBytes?.(bytes)
          if (!decoder) keep(bytes)
          else if (!decoder.write(bytes)) {
            request.pause()
            decoder.once('drain', () => request.resume())
          }
        })
      decoder?.on('data', keep)
      decoder?.once('end', finish)
      decoder?.once('error', () => fail(undecodable(request)))
      request.on('data', take)
      request.once('end', () => {
        stopWatch()
        if (decoder) decoder.end()
        else finish()
      })
      request.once('error', fail)
      // Not the request's event: the request is not closed after a response such as 408.
      response.once('close', () => {
        if (!request.readableEnded) abandon(clientGone())
      })
      if (response.closed && !request.readableEnded) abandon(clientGone())
    })

  return {
    read: async (ctx, options) => {
      const { request, response } = ctx
      const length = Number(request.headers['content-length'] ?? 0)
      if (length > bytesMax) throw tooLarge()
      requireEncoding(request)
      const { owner } = options
      const entered =
        'keyId' in owner ? keySlots.acquire(owner.keyId) : unverifiedSlots.acquire(owner.address)
      const leave = await Promise.resolve(entered).catch(() => {
        throw busy()
      })
      try {
        // The client may wait for this before it sends the body.
        if (request.headers.expect !== undefined) response.writeContinue()
        return await receive(ctx, options)
      } finally {
        leave()
      }
    },
  }
}

interface RateWatch {
  readonly seconds: number
  /** The number of bytes that have arrived. */
  readonly bytes: () => number
  readonly onSlow: () => void
}

/**
 * Calls `onSlow` once if too few bytes arrive in a part of the time, or when the time is over.
 * Returns a function that stops it.
 */
const watchRate = ({ seconds, bytes, onSlow }: RateWatch): (() => void) => {
  const partMs = (seconds * 1_000) / timeParts
  const partBytes = (bytesPerSecond * seconds) / timeParts
  let parts = 0
  let before = 0
  const look = () => {
    parts += 1
    if (parts === timeParts || bytes() - before < partBytes) {
      clearInterval(timer)
      onSlow()
    }
    before = bytes()
  }
  // After a pause of this process, timers run before sockets are read. Read data that has arrived
  // first.
  let late: NodeJS.Immediate | undefined
  const timer = setInterval(() => {
    late = setImmediate(look)
  }, partMs)
  return () => {
    clearInterval(timer)
    clearImmediate(late)
  }
}

/** Limits the decompression window to 8 MiB, which all usual levels of zstd respect. */
const windowLogMax = 23

const decoders: { readonly [encoding: string]: () => Transform } = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } }),
}

const encodingOf = ({ headers }: IncomingMessage): string =>
  headers['content-encoding']?.trim().toLowerCase() ?? 'identity'

/** Null if the body is not compressed. */
const decoderOf = (request: IncomingMessage): Transform | null =>
  decoders[encodingOf(request)]?.() ?? null

const requireEncoding = (request: IncomingMessage): void => {
  const encoding = encodingOf(request)
  if (encoding === 'identity' || Object.hasOwn(decoders, encoding)) return
  throw new ApiError(
    'unsupported_media_type',
    'This Content-Encoding is not supported. Use gzip, zstd or none.',
  )
}

const undecodable = (request: IncomingMessage): ApiError =>
  new ApiError('malformed_request', `The body is not valid ${encodingOf(request)}.`)

const empty = (): ApiError => new ApiError('malformed_request', 'The body has no items.')

/** For the log: the connection is closed. */
const clientGone = (): ApiError =>
  new ApiError('malformed_request', 'The connection was closed before the body was received.')
