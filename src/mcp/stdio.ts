import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Client, type McpParts, serverFor } from './server.ts'

export interface StdioStreams {
  readonly input: Readable
  readonly output: Writable
  /** Receives errors that cannot be sent to the client. */
  readonly onError: (error: Error) => void
}

/** Serves one client over two streams until the input ends and every request has a response. */
export const answerStdio = async (
  parts: McpParts,
  client: Client,
  { input, output, onError }: StdioStreams,
): Promise<void> => {
  const closed = Promise.withResolvers<void>()
  // The library drops pending requests when its input ends, so the end is forwarded later.
  const buffered = new PassThrough()
  const pending = pendingRequests(() => buffered.end())
  input.pipe(buffered, { end: false })
  for (const event of ['end', 'close', 'error']) input.once(event, pending.end)
  const inner = new StdioServerTransport(buffered, output)
  const transport: Transport = {
    start: () => {
      inner.onmessage = (message) => {
        pending.track(message)
        transport.onmessage?.(message)
      }
      inner.onerror = (error) => transport.onerror?.(error)
      inner.onclose = () => {
        transport.onclose?.()
        closed.resolve()
      }
      return inner.start()
    },
    send: async (message) => {
      await inner.send(message)
      pending.track(message)
    },
    close: () => inner.close(),
  }
  serveStdio(() => serverFor(parts, client), { transport, onerror: onError, maxSubscriptions: 0 })
  await closed.promise
}

/** The requests without a response. Calls `onDone` once there are none and the input has ended. */
const pendingRequests = (onDone: () => void) => {
  const pending = new Set<unknown>()
  let ended = false
  const check = () => {
    if (ended && pending.size === 0) onDone()
  }
  return {
    track: (message: JSONRPCMessage) => {
      if (!('method' in message)) pending.delete(message.id)
      else if ('id' in message) pending.add(message.id)
      // A cancelled request gets no response.
      else if (message.method === 'notifications/cancelled') {
        pending.delete(message.params?.['requestId'])
      }
      check()
    },
    end: () => {
      ended = true
      // Messages that were read may not have reached the transport yet.
      setImmediate(() => setImmediate(check))
    },
  }
}
