/** What the kernel holds for the connections of a local server, as /proc shows it. */
import { readFileSync } from 'node:fs'

export interface KernelQueues {
  /** Reads the queues again. */
  look(): void
  /**
   * How long the kernel had accepted no byte of each connection when it was closed, in seconds.
   * Counts connections for which it held at least a hundred kilobytes.
   */
  closedAfter(): readonly number[]
}

interface Held {
  bytes: number
  /** When the kernel last held more than before, on the `performance.now` clock. */
  grownAt: number
}

const countedBytes = 100_000

export const watchKernelQueues = (port: number): KernelQueues => {
  const open = new Map<string, Held>()
  const closedAfter: number[] = []
  return {
    look: () => {
      const now = performance.now()
      const bytes = queuesOf(port)
      for (const [client, held] of open) {
        if (bytes.has(client)) continue
        open.delete(client)
        if (held.bytes >= countedBytes) closedAfter.push((now - held.grownAt) / 1_000)
      }
      for (const [client, each] of bytes) {
        const held = open.get(client)
        if (!held) open.set(client, { bytes: each, grownAt: now })
        else if (each > held.bytes) Object.assign(held, { bytes: each, grownAt: now })
      }
    },
    closedAfter: () => closedAfter,
  }
}

const established = '01'

/** The bytes in both queues, the server's and the client's, by the client's port. */
const queuesOf = (port: number): ReadonlyMap<string, number> => {
  const server = port.toString(16).toUpperCase().padStart(4, '0')
  const [sent, unread] = [new Map<string, number>(), new Map<string, number>()]
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', remote = '', state, queues = ''] = line.trim().split(/\s+/)
    const [sending = '', receiving = ''] = queues.split(':')
    if (local.endsWith(`:${server}`) && state === established) {
      sent.set(portOf(remote), Number.parseInt(sending, 16))
    } else if (remote.endsWith(`:${server}`))
      unread.set(portOf(local), Number.parseInt(receiving, 16))
  }
  return new Map([...sent].map(([client, bytes]) => [client, bytes + (unread.get(client) ?? 0)]))
}

const portOf = (address: string): string => address.split(':')[1] ?? ''
