import type { Server as HttpServer } from 'node:http'
import { Server as NetServer, type Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/** Stops a server without losing a request. */
export interface Draining {
  /** Whether the server is draining: responses then ask clients to reconnect. */
  readonly isDraining: () => boolean
  /** Requests wait for this promise while the server stops listening. */
  readonly paused: () => Promise<void> | null
  /** Calls a listener when the server starts to drain, until the returned function is called. */
  readonly onDraining: (listener: () => void) => () => void
  /** Asks clients to disconnect, then stops listening. Responses may still be sent. */
  drain(server: HttpServer): Promise<void>
}

/** Each of the two steps takes `drainMs`. */
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
      // Clients that wait for a response open no new connection, so none is refused meanwhile.
      const closed = Promise.withResolvers<void>()
      paused = closed.promise
      await acceptPending(server, drainMs)
      // `http.Server.close` would cut accepted connections that have not sent a request yet.
      NetServer.prototype.close.call(server)
      paused = null
      closed.resolve()
      await wait(drainMs)
      // Timers run before sockets: read the requests that have arrived first.
      await nextTurn()
    },
  }
}

/** Resolves when all responses are sent. Closes idle connections. */
export const closeServer = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()))

/**
 * No connection is pending after this time and this many turns of the event loop without a new one.
 * Time alone says little on a busy machine, where all of it may pass within one turn.
 */
const quietMs = 20
const quietTurnsMin = 5

/**
 * Waits until all pending connections are accepted, since closing would cut them. There may be
 * many: the event loop accepts one connection per turn.
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
    // Timers run before sockets, and this after both: the state is as fresh as possible.
    await nextTurn()
  }
  server.off('connection', onConnection)
}
