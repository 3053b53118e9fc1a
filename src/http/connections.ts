import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestContext } from './context.ts'
import type { ResponseMemory } from './load-limits.ts'
import { progressOf } from './raw-response.ts'
import { type Client, type ClientLimits, createSlowClients } from './slow-clients.ts'
import { createStartSchedule } from './start-schedule.ts'

export type CutReason = 'stalled' | 'memory' | 'pipelined'

/** Limits on connections, per process. */
export interface ConnectionLimits extends ClientLimits {
  /** Concurrent requests of one connection. */
  readonly startedMax: number
  /**
   * Unfinished requests of all connections. Beyond this limit, a connection that has one and sends
   * another is cut.
   */
  readonly unfinishedMax: number
}

/**
 * Pipelined responses go out one after the other, so more than a few at once gain nothing. An
 * unfinished request takes about 6 KB. Kernels report progress in steps of up to a third of the
 * send buffer, so the timeout must not be short: a client that reads a few KB per second is not
 * stalled.
 */
export const connectionLimits: Omit<ConnectionLimits, 'sendTimeoutSeconds'> = {
  startedMax: 16,
  unfinishedMax: 8_192,
  bytesPerSecond: 1_000,
  downloadBytesPerSecond: 10_000,
  // More than the limit for large responses, so that those alone do not exhaust it.
  heldBytesMax: 96 * 2 ** 20,
  idleUnderPressureMs: 2_000,
}

/** Time limit for the rest of a message once the server resumes reading. */
const restMs = 5_000
/** Interval between progress checks. */
const sweepMs = 500

export interface ConnectionsParts {
  readonly limits: ConnectionLimits
  /** Whether a request starts at once, regardless of other requests. */
  readonly isUrgent: (ctx: RequestContext) => boolean
  readonly onCut: (reason: CutReason) => void
}

type Start = (ctx: RequestContext) => void

/** Limits the resources of clients that request more than they read. */
export interface Connections {
  /** Call for every new connection. */
  open(socket: Socket): void
  /** Starts a request, or queues it until its connection has fewer unfinished requests. */
  admit(ctx: RequestContext, start: Start): void
  /** The last request of a connection. */
  lastOn(socket: Socket): RequestContext | null
  /** Bytes that clients have not received yet. */
  readonly unsentBytes: number
  /**
   * Call when the rest of a message did not arrive in time. If the server itself stopped reading
   * because of earlier requests, returns true, and calls `again` if no message completes within
   * `restMs` after reading resumes.
   */
  excuse(ctx: RequestContext, again: () => void): boolean
  close(): void
}

interface Connection extends Client {
  readonly socket: Socket
  /** Requests whose response has not been handed to the kernel yet. */
  started: number
  /** Requests that have been parsed but not started. */
  readonly waiting: (readonly [RequestContext, Start])[]
  last: RequestContext | null
  paused: boolean
  isCut: boolean
  /** Called if no message completes within `restMs` after reading resumes. */
  late: (() => void) | null
}

/** Stored on the socket: a weak map would cost more for each request. */
const connectionKey = Symbol('connection')
type Watched = Socket & { [connectionKey]?: Connection }

export const createConnections = ({
  limits,
  isUrgent,
  onCut,
}: ConnectionsParts): Connections & ResponseMemory => {
  const connections = new Set<Connection>()
  const slowClients = createSlowClients(limits)
  let unfinished = 0

  const cut = (connection: Connection, reason: CutReason) => {
    onCut(reason)
    connection.isCut = true
    // A reset also frees the kernel's buffers for this client.
    connection.socket.resetAndDestroy()
    remove(connection)
  }

  const remove = (connection: Connection) => {
    if (!connections.delete(connection)) return
    unfinished -= connection.started + connection.waiting.length
    connection.waiting.length = 0
    slowClients.releaseAll(connection)
  }

  const begin = (connection: Connection, ctx: RequestContext, start: Start): void => {
    connection.started += 1
    ctx.response.on('finish', finished)
    start(ctx)
  }

  /** Starts as many of a connection's waiting requests as the limit allows. */
  const startWaiting = (connection: Connection): void => {
    while (connection.started < limits.startedMax) {
      const first = connection.waiting.shift()
      if (!first) break
      begin(connection, ...first)
    }
    readOn(connection)
  }

  const schedule = createStartSchedule(startWaiting)

  const readOn = (connection: Connection) => {
    if (!connection.paused || connection.waiting.length > 0) return
    connection.paused = false
    connection.socket.resume()
    if (connection.late && connection.started === 0) awaitRest(connection)
  }

  /** Called with the response as `this`, to avoid a closure per request. */
  function finished(this: ServerResponse) {
    const connection = (this.req.socket as Watched)[connectionKey]
    if (!connection || !connections.has(connection)) return
    connection.started -= 1
    unfinished -= 1
    slowClients.release(connection, this)
    if (connection.started > 0) return
    // In a later turn of the event loop, so that other connections get theirs in between.
    if (connection.paused) schedule.startSoon(connection)
    else if (connection.late) awaitRest(connection)
  }

  const hold: ResponseMemory['hold'] = (response, owner, held) => {
    const connection = (response.req.socket as Watched)[connectionKey]
    // A disconnected client holds no memory.
    if (!connection || !connections.has(connection)) return
    slowClients.hold(connection, response, owner, held)
  }

  const awaitRest = (connection: Connection) => {
    const { late } = connection
    const timer = setTimeout(() => {
      if (connection.late === late && connections.has(connection)) late?.()
    }, restMs)
    timer.unref()
  }

  /** Looks for clients that do not read. */
  const sweep = (now: number) => {
    for (const connection of connections) {
      if (connection.started === 0) connection.stalledSince = null
      else if (slowClients.isStalled(connection, progressOf(connection.socket), now)) {
        cut(connection, 'stalled')
      }
    }
    slowClients.relieve(connections, now, (connection) => cut(connection, 'memory'))
  }

  const timer = setInterval(() => sweep(performance.now()), sweepMs).unref()

  return {
    open: (socket) => {
      const connection = connectionOn(socket)
      ;(socket as Watched)[connectionKey] = connection
      connections.add(connection)
      socket.once('close', () => remove(connection))
      // Node resumes a socket whenever it finishes a request on it.
      socket.on('resume', () => {
        if (connection.paused) socket.pause()
      })
    },
    admit: (ctx, start) => {
      const { socket } = ctx.request
      const connection = (socket as Watched)[connectionKey]
      if (!connection) throw new RangeError('The connection was not opened.')
      // It was cut; Node still parses the data it had read.
      if (connection.isCut) return
      connection.late = null
      connection.last = ctx
      const { waiting } = connection
      const isPipelined = connection.started > 0 || waiting.length > 0 || connection.paused
      if (isPipelined && unfinished >= limits.unfinishedMax) {
        cut(connection, 'pipelined')
        return
      }
      unfinished += 1
      const isFirst = waiting.length === 0 && !connection.paused
      const isFree = connection.started < limits.startedMax && isFirst
      if (isFree && (!schedule.isTurnOver() || (isUrgent(ctx) && schedule.admitsUrgent()))) {
        begin(connection, ctx, start)
        return
      }
      waiting.push([ctx, start])
      if (isFree) schedule.startSoon(connection)
      // A request queued for the next turn starts too soon to be worth pausing for.
      else if (!connection.paused) {
        connection.paused = true
        socket.pause()
      }
    },
    lastOn: (socket) => (socket as Watched)[connectionKey]?.last ?? null,
    excuse: ({ request }, again) => {
      const connection = (request.socket as Watched)[connectionKey]
      // A message after a complete one waits until that one's response is sent.
      const isBehind = request.complete && (connection?.started ?? 0) > 0
      if (!connection || !(isBehind || connection.paused)) return false
      connection.late = again
      return true
    },
    room: slowClients.room,
    hold,
    get unsentBytes() {
      let bytes = 0
      for (const { socket } of connections) bytes += progressOf(socket).unsent
      return bytes
    },
    close: () => clearInterval(timer),
  }
}

const connectionOn = (socket: Socket): Connection => ({
  socket,
  started: 0,
  waiting: [],
  last: null,
  paused: false,
  isCut: false,
  late: null,
  heldBytes: 0,
  heldFor: new Map(),
  downloads: 0,
  stalledSince: null,
  sentBytesThen: 0,
  movedAt: 0,
  sentBytes: 0,
})
