import type { Channel } from '#cluster'

/** Two ends of a channel in one process, and what was sent over it. */
export const openChannelPair = () => {
  const sent: object[] = []
  const open = { now: true }
  const listeners = [new Set<(message: unknown) => void>(), new Set<(message: unknown) => void>()]
  const end = (own: 0 | 1): Channel => ({
    send: (message) => {
      if (!open.now) throw new Error('The other process has exited.')
      sent.push(message)
      setImmediate(() => {
        for (const listener of listeners[1 - own] ?? []) listener(structuredClone(message))
      })
    },
    onMessage: (listener) => {
      listeners[own]?.add(listener)
      return () => listeners[own]?.delete(listener)
    },
  })
  return { sent, open, worker: end(0), keeper: end(1) }
}
