import { lookup } from 'node:dns/promises'
import net from 'node:net'

/**
 * A bound socket that the supervisor keeps open and its workers listen on. Connections wait in its
 * queue while no worker accepts them.
 */
export interface SharedSocket {
  readonly port: number
  readonly descriptor: number
  /** Closes this process's handle. The socket closes when every worker has closed its own. */
  close(): void
}

/** Whether this Node version and platform can share a socket between processes. */
export const canShareSockets = (): boolean => {
  // Available since Node 26.4; Windows has no descriptor.
  if (typeof net.BoundSocket !== 'function') return false
  using socket = new net.BoundSocket({ host: '127.0.0.1', port: 0 })
  return socket.fd() >= 0
}

/** Binds without listening: no connection is accepted until a worker is ready. */
export const bindSocket = async (host: string, port: number): Promise<SharedSocket> => {
  const { address } = await lookup(host)
  const socket = new net.BoundSocket({ host: address, port })
  return {
    port: socket.address().port,
    descriptor: socket.fd(),
    close: () => socket[Symbol.dispose](),
  }
}
