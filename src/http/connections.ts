import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestContext } from './context.ts'
import { createHeldBytes, type ResponseMemory } from './load-limits.ts'
import { progressOf } from './raw-response.ts'

/** Why a connection was cut. */
export type CutReason = 'stalled' | 'memory' | 'pipelined'

/** What connections may occupy. Everything here is for one process. */
export interface ConnectionLimits {
  /** Requests of one connection that are processed at the same time. */
  readonly startedMax: number
  /**
   * Requests of all connections together that are unfinished. From here on a connection that has one
   * and sends another is cut.
   */
  readonly unfinishedMax: number
  /**
   * A client must take `bytesPerSecond` of what is ready for it, measured over this time: this many
   * seconds' worth within this many seconds, or all there is.
   */
  readonly sendTimeoutSeconds: number
  readonly bytesPerSecond: number
  /**
   * Bytes of responses that only one client gets and that are not sent yet. One owner, a key or the
   * address of a client without one, may hold a quarter of them.
   */
  readonly heldBytesMax: number
  /** Too many held bytes for this long: clients that took nothing in the meantime are cut. */
  readonly idleUnderPressureMs: number
}

/**
 * Pipelined responses go out one after the other, so more than a few at once gain nothing. An
 * unfinished request takes about 6 KB. Kernels report progress in steps of up to a third of the send
 * buffer, so the time must not be short: a client that reads a few KB a second is not stalled.
 */
export const connectionLimits: Omit<ConnectionLimits, 'sendTimeoutSeconds'> = {
  startedMax: 16,
  unfinishedMax: 8_192,
  bytesPerSecond: 1_000,
  // More than all large responses together may have, so that those alone do not exhaust it.
  heldBytesMax: 96 * 2 ** 20,
  idleUnderPressureMs: 2_000,
}

/** How long the rest of a message may take once the server reads on. */
const restMs = 5_000
/** How often progress is looked at. */
const sweepMs = 500
/** The share of the held bytes that one owner may have. */
const ownerShare = 1 / 4
/** Several times as long as it takes until connections are cut to make room. */
const roomWaitMs = 20_000
/** Too many for this long: the connection that holds the most is cut, even if it reads. */
const pressureMaxMs = 5_000

/**
 * For how long requests are started in one turn of the event loop; the others wait for the next. As
 * turns are noticed when this time is over, it can be twice as long at most.
 */
const startingMs = 4
/** Urgent requests that are started in a turn beyond that. */
const urgentPerTurn = 16

export interface ConnectionsParts {
  readonly limits: ConnectionLimits
  /** Whether a request is started at once, however many others there are that are not urgent. */
  readonly isUrgent: (ctx: RequestContext) => boolean
  readonly onCut: (reason: CutReason) => void
}

type Start = (ctx: RequestContext) => void

/** Bounds what clients occupy by asking for more than they read. */
export interface Connections {
  /** To be called for every new connection. */
  open(socket: Socket): void
  /** Starts a request, or lets it wait until fewer of its connection are unfinished. */
  admit(ctx: RequestContext, start: Start): void
  /** The last request of a connection. */
  lastOn(socket: Socket): RequestContext | null
  /** Bytes that clients have not taken yet. */
  readonly unsentBytes: number
  /**
   * Called when the rest of a message did not come in time. Where the server itself did not read on,
   * because of requests before it, `again` is called once it has read on for as long; says whether
   * that is so.
   */
  excuse(ctx: RequestContext, again: () => void): boolean
  close(): void
}

interface Connection {
  readonly socket: Socket
  /** Requests whose response has not been handed to the kernel yet. */
  started: number
  /** Requests that have been parsed and not started. */
  readonly waiting: (readonly [RequestContext, Start])[]
  last: RequestContext | null
  paused: boolean
  isCut: boolean
  /** Whether it is among those whose requests are started in the next turns. */
  isNext: boolean
  /** What to do if no message is completed within `restMs` after reading continues. */
  late: (() => void) | null
  heldBytes: number
  /** The same for each owner of its responses. */
  readonly heldFor: Map<string, number>
  /** When the client had last taken its share, or had nothing to take; null: it has nothing to take. */
  stalledSince: number | null
  /** What the kernel had taken by then. */
  sentBytesThen: number
  /** When the kernel last took anything, and how much it had taken. */
  movedAt: number
  sentBytes: number
}

/** Carried by the socket itself, as a weak map would cost more for each request. */
const connectionKey = Symbol('connection')
type Watched = Socket & { [connectionKey]?: Connection }

/** What a response holds, and for whom. */
const heldKey = Symbol('held')
type Held = ServerResponse & { [heldKey]?: { readonly owner: string; readonly bytes: number } }

export const createConnections = ({
  limits,
  isUrgent,
  onCut,
}: ConnectionsParts): Connections & ResponseMemory => {
  const stallMs = limits.sendTimeoutSeconds * 1_000
  const stallBytes = limits.sendTimeoutSeconds * limits.bytesPerSecond
  const connections = new Set<Connection>()
  let unfinished = 0
  const perOwner = limits.heldBytesMax * ownerShare
  const held = createHeldBytes({ total: limits.heldBytesMax, perOwner, waitMs: roomWaitMs })

  const cut = (connection: Connection, reason: CutReason) => {
    onCut(reason)
    connection.isCut = true
    // A reset also frees what the kernel holds for this client.
    connection.socket.resetAndDestroy()
    remove(connection)
  }

  /** Counts bytes of a connection; a negative number once they are not held any more. */
  const count = (connection: Connection, owner: string, bytes: number) => {
    const before = connection.heldFor.get(owner) ?? 0
    if (before + bytes > 0) connection.heldFor.set(owner, before + bytes)
    else connection.heldFor.delete(owner)
    connection.heldBytes += bytes
    held.add(owner, bytes)
  }

  const remove = (connection: Connection) => {
    if (!connections.delete(connection)) return
    unfinished -= connection.started + connection.waiting.length
    connection.waiting.length = 0
    for (const [owner, bytes] of connection.heldFor) count(connection, owner, -bytes)
  }

  const begin = (connection: Connection, ctx: RequestContext, start: Start): void => {
    connection.started += 1
    ctx.response.on('finish', finished)
    start(ctx)
  }

  /** Connections whose waiting requests may be started, in the order they came. */
  const next: Connection[] = []

  const startSoon = (connection: Connection) => {
    if (connection.isNext) return
    connection.isNext = true
    next.push(connection)
    if (next.length === 1) setImmediate(startNext)
  }

  const startNext = () => {
    const until = performance.now() + startingMs
    do {
      const connection = next.shift()
      if (!connection) return
      connection.isNext = false
      startWaiting(connection)
    } while (performance.now() < until)
    if (next.length > 0) setImmediate(startNext)
  }

  let startingUntil = 0
  let lastTurn = -1
  /** Whether requests have been started for as long as may be in this turn of the event loop. */
  const isTurnOver = (): boolean => {
    if (next.length > 0) return true
    const now = performance.now()
    if (now < startingUntil) return false
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    if (loopCount === lastTurn) return true
    lastTurn = loopCount
    startingUntil = now + startingMs
    return false
  }

  let urgent = 0
  let lastUrgentTurn = -1
  /** Whether few enough urgent requests were started in this turn of the event loop. */
  const hasUrgentTurn = (): boolean => {
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    if (loopCount !== lastUrgentTurn) urgent = 0
    lastUrgentTurn = loopCount
    urgent += 1
    return urgent <= urgentPerTurn
  }

  /** Starts as many of a connection's waiting requests as may be. */
  const startWaiting = (connection: Connection): void => {
    while (connection.started < limits.startedMax) {
      const first = connection.waiting.shift()
      if (!first) break
      begin(connection, ...first)
    }
    readOn(connection)
  }

  const readOn = (connection: Connection) => {
    if (!connection.paused || connection.waiting.length > 0) return
    connection.paused = false
    connection.socket.resume()
    if (connection.late && connection.started === 0) awaitRest(connection)
  }

  /** Called with the response as `this`, so that no function is made for each request. */
  function finished(this: Held) {
    const connection = (this.req.socket as Watched)[connectionKey]
    if (!connection || !connections.has(connection)) return
    connection.started -= 1
    unfinished -= 1
    if (this[heldKey]) count(connection, this[heldKey].owner, -this[heldKey].bytes)
    if (connection.started > 0) return
    // In a later turn of the event loop, so that other connections get theirs in between.
    if (connection.paused) startSoon(connection)
    else if (connection.late) awaitRest(connection)
  }

  const hold: ResponseMemory['hold'] = (response, owner, bytes) => {
    const connection = (response.req.socket as Watched)[connectionKey]
    // A client that has gone gets nothing that could be waited for.
    if (!connection || !connections.has(connection)) return
    const counted: Held = response
    const before = counted[heldKey]?.bytes ?? 0
    counted[heldKey] = { owner, bytes }
    // The difference alone: giving all of it back first would let a request in that has no room.
    count(connection, owner, bytes - before)
  }

  const awaitRest = (connection: Connection) => {
    const { late } = connection
    const timer = setTimeout(() => {
      if (connection.late === late && connections.has(connection)) late?.()
    }, restMs)
    timer.unref()
  }

  const isStalled = (connection: Connection, now: number): boolean => {
    const { unsent, sentBytes } = progressOf(connection.socket)
    if (sentBytes !== connection.sentBytes || unsent === 0) {
      connection.sentBytes = sentBytes
      connection.movedAt = now
    }
    const { stalledSince, sentBytesThen } = connection
    if (unsent === 0) connection.stalledSince = null
    else if (stalledSince === null || sentBytes - sentBytesThen >= stallBytes) {
      connection.stalledSince = now
      connection.sentBytesThen = sentBytes
    } else return now - stalledSince >= stallMs
    return false
  }

  /** Connections that hold bytes and have something to take, those that hold the most first. */
  const byBytes = (bytesOf: (each: Connection) => number): readonly Connection[] =>
    [...connections]
      .filter((each) => bytesOf(each) > 0 && each.stalledSince !== null)
      .sort((a, b) => bytesOf(b) - bytesOf(a))

  /** Frees memory when responses that are not read have filled it for too long. */
  const relieve = (now: number) => {
    const idleSince = now - limits.idleUnderPressureMs
    const isIdle = (each: Connection) => each.movedAt <= idleSince
    for (const owner of held.crowded(idleSince)) {
      for (const each of byBytes(({ heldFor }) => heldFor.get(owner) ?? 0)) {
        if (isIdle(each) && held.of(owner) >= perOwner / 2) cut(each, 'memory')
      }
    }
    const { fullSince } = held
    if (fullSince === null || fullSince > idleSince) return
    for (const each of byBytes(({ heldBytes }) => heldBytes)) {
      // Of those that take nothing, as many as make room for many others, not for one.
      if (held.total < limits.heldBytesMax / (isIdle(each) ? 2 : 1)) continue
      if (isIdle(each) || now - fullSince >= pressureMaxMs) cut(each, 'memory')
    }
  }

  /** Looks for clients that do not read. */
  const sweep = (now: number) => {
    for (const connection of connections) {
      if (connection.started === 0) connection.stalledSince = null
      else if (isStalled(connection, now)) cut(connection, 'stalled')
    }
    relieve(now)
  }

  const timer = setInterval(() => sweep(performance.now()), sweepMs).unref()

  return {
    open: (socket) => {
      const connection: Connection = {
        socket,
        started: 0,
        waiting: [],
        last: null,
        paused: false,
        isCut: false,
        isNext: false,
        late: null,
        heldBytes: 0,
        heldFor: new Map(),
        stalledSince: null,
        sentBytesThen: 0,
        movedAt: 0,
        sentBytes: 0,
      }
      ;(socket as Watched)[connectionKey] = connection
      connections.add(connection)
      socket.once('close', () => remove(connection))
      // Node resumes a socket whenever it is done with one of its requests.
      socket.on('resume', () => {
        if (connection.paused) socket.pause()
      })
    },
    admit: (ctx, start) => {
      const { socket } = ctx.request
      const connection = (socket as Watched)[connectionKey]
      if (!connection) throw new RangeError('The connection was not opened.')
      // It was cut; Node still parses what it had read.
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
      if (isFree && (!isTurnOver() || (isUrgent(ctx) && hasUrgentTurn()))) {
        begin(connection, ctx, start)
        return
      }
      waiting.push([ctx, start])
      if (isFree) startSoon(connection)
      // One that waits for the next turn is started so soon that it is not worth pausing for.
      else if (!connection.paused) {
        connection.paused = true
        socket.pause()
      }
    },
    lastOn: (socket) => (socket as Watched)[connectionKey]?.last ?? null,
    excuse: ({ request }, again) => {
      const connection = (request.socket as Watched)[connectionKey]
      // A message that follows a whole one waits for that one's response to be taken.
      const isBehind = request.complete && (connection?.started ?? 0) > 0
      if (!connection || !(isBehind || connection.paused)) return false
      connection.late = again
      return true
    },
    room: held.room,
    hold,
    get unsentBytes() {
      let bytes = 0
      for (const { socket } of connections) bytes += progressOf(socket).unsent
      return bytes
    },
    close: () => clearInterval(timer),
  }
}
