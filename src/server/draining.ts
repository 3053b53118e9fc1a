import type { Server as HttpServer } from 'node:http'
import { Server as NetServer, type Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/** How a server stops without losing a request. */
export interface Draining {
  /** Whether the server is about to stop: responses then ask clients to connect again. */
  readonly isDraining: () => boolean
  /** What requests wait for while the server stops listening. */
  readonly paused: () => Promise<void> | null
  /** Calls a listener when the server is about to stop, until the returned function is called. */
  readonly onDraining: (listener: () => void) => () => void
  /** Asks clients to go, then stops listening. Responses may still be sent. */
  drain(server: HttpServer): Promise<void>
}

/** Each of the two steps of stopping lasts so long. */
export const createDraining = (drainMs: number): Draining => {
  let draining = false
  let paused: Promise<void> | null = null
  const listeners = new Set<() => void>()
  return {
    isDraining: () => draining,
    paused: () => paused,
    onDraining: (listener) => {
      if (draining) listener()
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    drain: async (server) => {
      draining = true
      for (const listener of listeners) listener()
      await wait(drainMs)
      // A client without a response does not connect again, so no connection is refused meanwhile.
      const closed = Promise.withResolvers<void>()
      paused = closed.promise
      await acceptPending(server, drainMs)
      // The HTTP server's own close would cut connections that were accepted and sent no request yet.
      NetServer.prototype.close.call(server)
      paused = null
      closed.resolve()
      await wait(drainMs)
      // Timers come before sockets: requests that have arrived are read first.
      await nextTurn()
    },
  }
}

/** Resolves when all responses are sent. Idle connections are closed. */
export const closeServer = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()))

/**
 * Without a new connection for so long, and in so many turns of the event loop, none is pending. Time
 * alone says little on a busy machine, where all of it may pass within one turn.
 */
const quietMs = 20
const quietTurnsMin = 5

/**
 * Waits until all pending connections are accepted, since closing would cut them off. There may be
 * many: the event loop accepts one connection in each of its turns.
 */
const acceptPending = async (server: Server, waitMs: number): Promise<void> => {
  const began = performance.now()
  let lastAcceptedAt = began
  let quietTurns = 0
  const onConnection = () => {
    lastAcceptedAt = performance.now()
    quietTurns = 0
  }
  const isQuiet = () => quietTurns >= quietTurnsMin && performance.now() - lastAcceptedAt >= quietMs
  server.on('connection', onConnection)
  while (!isQuiet() && performance.now() - began < waitMs) {
    quietTurns += 1
    await wait(1)
    // Timers come before sockets, and this after: what is seen is as new as can be.
    await nextTurn()
  }
  server.off('connection', onConnection)
}
