import { lookup } from 'node:dns/promises'
import net from 'node:net'

/**
 * A bound socket that the supervisor keeps and its workers listen on. Connections wait in it while
 * no worker is there to accept them.
 */
export interface SharedSocket {
  readonly port: number
  readonly descriptor: number
  /** Lets go of it. It is closed once every worker has let go, too. */
  close(): void
}

/** Whether this Node, on this system, can hand a socket to other processes. */
export const canShareSockets = (): boolean => {
  // Since Node 26.4, and without a descriptor on Windows.
  if (typeof net.BoundSocket !== 'function') return false
  using socket = new net.BoundSocket({ host: '127.0.0.1', port: 0 })
  return socket.fd() >= 0
}

/** Binds without listening: nobody connects until a worker is ready to answer. */
export const bindSocket = async (host: string, port: number): Promise<SharedSocket> => {
  const { address } = await lookup(host)
  const socket = new net.BoundSocket({ host: address, port })
  return {
    port: socket.address().port,
    descriptor: socket.fd(),
    close: () => socket[Symbol.dispose](),
  }
}
