import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import { ApiError } from '#contract'
import type { BodyPacker, PackedBody } from '#intake'
import {
  type BodyLimits,
  type BodyMemory,
  type BodyPool,
  createKeyPool,
  createShortPool,
  createUnverifiedPool,
  memoryPiece,
  shortBytesMax,
} from './body-pool.ts'
import type { BodyScan } from './body-scan.ts'
import type { RequestContext } from './context.ts'

/**
 * The sender that a body counts for: a key, or the address of a client whose signature can be
 * verified only once the body is complete.
 */
export type BodyOwner = { readonly keyId: string } | { readonly address: string }

export interface BodyOptions {
  readonly owner: BodyOwner
  readonly scan: BodyScan
  /** Packs the decompressed bytes. `onDrain` is called when it can take more. */
  readonly openPacker: (onDrain: () => void) => BodyPacker
  /** Called with the bytes as sent, before decompression. */
  readonly onBytes?: (bytes: Buffer) => void
}

/** A body whose memory is counted until it is released. */
export interface ReceivedBody {
  readonly body: PackedBody
  release(): void
}

/** Receives request bodies, within limits. */
export interface RequestBodies {
  /** Returns the body. Rejects with an `ApiError`. */
  read(ctx: RequestContext, options: BodyOptions): Promise<ReceivedBody>
}

/** The minimum rate of a body, in each of several parts of its time: as for unread responses. */
const bytesPerSecond = 1_000
const timeParts = 3

export const createRequestBodies = (limits: BodyLimits): RequestBodies => {
  const { bytesMax, seconds } = limits
  const keyPool = createKeyPool(limits)
  const unverifiedPool = createUnverifiedPool(limits)
  const shortPool = createShortPool()
  const poolOf = (owner: BodyOwner, request: IncomingMessage): [pool: BodyPool, name: string] =>
    'keyId' in owner
      ? [keyPool, owner.keyId]
      : [isShort(request) ? shortPool : unverifiedPool, owner.address]
  const tooLarge = () =>
    new ApiError(
      'body_too_large',
      `A body has at most ${bytesMax.toLocaleString('en')} bytes, as it is sent and once it is decompressed. Send the records in several batches.`,
    )
  const tooSlow = (): ApiError =>
    new ApiError(
      'request_timeout',
      `A body must arrive within ${seconds} s, and at ${bytesPerSecond.toLocaleString('en')} bytes per second at least.`,
    )

  const waitForTurn = createTurns()
  const receive = (
    { request, response }: RequestContext,
    options: BodyOptions,
    memory: BodyMemory,
  ): Promise<PackedBody> =>
    new Promise((resolve, reject) => {
      const decoder = decoderOf(request)
      const windowBytes = windowBytesOf(request)
      const source = decoder ?? request
      let sent = 0
      let size = 0
      /** Bytes that were scanned in this turn. */
      let turnSize = 0
      /** What the body waits for. */
      const waits = new Set<Wait>()
      let hasWaited = false
      const pause = (why: Wait) => {
        waits.add(why)
        hasWaited ||= isLong(why)
        source.pause()
      }
      const resume = (why: Wait) => {
        if (waits.delete(why) && waits.size === 0) source.resume()
      }
      const packer = options.openPacker(() => resume('packer'))
      const fail = (error: unknown) => {
        stopWatch()
        packer.destroy()
        decoder?.destroy()
        // The rest is read and discarded, so that the sender gets the error.
        request.off('data', take)
        request.resume()
        reject(error)
      }
      const stopWatch = watchRate({
        seconds,
        bytes: () => sent,
        // Only the client's own pauses count.
        isExcused: () => {
          const isExcused = hasWaited || waits.size > 0
          hasWaited = [...waits].some(isLong)
          return isExcused
        },
        onSlow: () => {
          // The rest of the body may never arrive.
          if (!response.headersSent) response.setHeader('connection', 'close')
          fail(tooSlow())
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
          size += bytes.length
          if (size > bytesMax) throw tooLarge()
          options.scan.write(bytes)
          if (!packer.write(bytes)) pause('packer')
          turnSize += bytes.length
          if (turnSize >= turnBytes) {
            turnSize = 0
            pause('turn')
            waitForTurn(() => resume('turn'))
          }
          const room = memory.grow(packer.heldBytes + Math.min(size, windowBytes))
          if (!room) return
          pause('memory')
          room.then(() => resume('memory'), fail)
        })
      const finish = () =>
        guard(() => {
          if (options.scan.end() === 0) throw empty()
          packer.end().then(resolve, reject)
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
        if (!request.readableEnded) fail(clientGone())
      })
      if (response.closed && !request.readableEnded) fail(clientGone())
    })

  return {
    read: async (ctx, options) => {
      const { request, response } = ctx
      const length = Number(request.headers['content-length'] ?? 0)
      if (length > bytesMax) throw tooLarge()
      requireEncoding(request)
      const [pool, name] = poolOf(options.owner, request)
      const leave = await pool.enter(name)
      const memory = pool.openMemory(name)
      try {
        await memory.grow(memoryPiece)
        // The client may wait for this before it sends the body.
        if (request.headers.expect !== undefined) response.writeContinue()
        return { body: await receive(ctx, options, memory), release: memory.release }
      } catch (error) {
        memory.release()
        throw error
      } finally {
        leave()
      }
    },
  }
}

type Wait = 'packer' | 'memory' | 'turn'

/** Longer than some turns of the event loop. */
const isLong = (why: Wait): boolean => why !== 'turn'

/** Bytes of a body that are scanned in its turn: less than a millisecond. */
const turnBytes = 65_536
/** Bodies that are scanned in one turn of the event loop: with one, short bodies wait longer. */
const atOnce = 2

/** Calls some of the functions in each turn of the event loop, in their order. */
const createTurns = () => {
  const waiting: (() => void)[] = []
  const next = () => {
    const begins = waiting.splice(0, atOnce)
    if (waiting.length > 0) setImmediate(next)
    for (const begin of begins) begin()
  }
  return (begin: () => void): void => {
    if (waiting.push(begin) === 1) setImmediate(next)
  }
}

interface RateWatch {
  readonly seconds: number
  /** The number of bytes that have arrived. */
  readonly bytes: () => number
  /** Whether the rate of the part that ends now does not count. */
  readonly isExcused: () => boolean
  readonly onSlow: () => void
}

/**
 * Calls `onSlow` once if too few bytes arrive in a part of the time, or when the time is over.
 * Returns a function that stops it.
 */
const watchRate = ({ seconds, bytes, isExcused, onSlow }: RateWatch): (() => void) => {
  const partMs = (seconds * 1_000) / timeParts
  const partBytes = (bytesPerSecond * seconds) / timeParts
  let parts = 0
  let before = 0
  const look = () => {
    parts += 1
    // Asked for each part: a wait in one does not excuse the next.
    const isSlow = !isExcused() && bytes() - before < partBytes
    if (parts === timeParts || isSlow) {
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

/** Decompressed bytes that come from a thread at once: each time costs more than scanning them. */
const chunkSize = 65_536

const decoders: { readonly [encoding: string]: () => Transform } = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  zstd: () =>
    createZstdDecompress({
      chunkSize,
      params: { [constants.ZSTD_d_windowLogMax]: windowLogMax },
    }),
}

/** The memory of a decompressor beyond a few pages: that of gzip is small. */
const windowBytesOf = (request: IncomingMessage): number =>
  encodingOf(request) === 'zstd' ? 2 ** windowLogMax : 0

const encodingOf = ({ headers }: IncomingMessage): string =>
  headers['content-encoding']?.trim().toLowerCase() ?? 'identity'

/** Whether a body has a short length, and is not compressed. */
const isShort = (request: IncomingMessage): boolean =>
  Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= shortBytesMax &&
  encodingOf(request) === 'identity'

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
