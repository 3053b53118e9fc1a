import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Client, type McpParts, serverFor } from './server.ts'

export interface StdioStreams {
  readonly input: Readable
  readonly output: Writable
  /** Told what cannot be told to the client. */
  readonly onError: (error: Error) => void
}

/** Serves one client on two streams until the input ends and every call is answered. */
export const answerStdio = async (
  parts: McpParts,
  client: Client,
  { input, output, onError }: StdioStreams,
): Promise<void> => {
  const closed = Promise.withResolvers<void>()
  // The library drops what is not answered yet when its input ends; so it is told of that later.
  const held = new PassThrough()
  const open = openLedger(() => held.end())
  input.pipe(held, { end: false })
  for (const event of ['end', 'close', 'error']) input.once(event, open.end)
  const inner = new StdioServerTransport(held, output)
  const transport: Transport = {
    start: () => {
      inner.onmessage = (message) => {
        open.note(message)
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
      open.note(message)
    },
    close: () => inner.close(),
  }
  serveStdio(() => serverFor(parts, client), { transport, onerror: onError, maxSubscriptions: 0 })
  await closed.promise
}

/** Which requests have no answer yet. Calls `onDone` once none has and no more can come. */
const openLedger = (onDone: () => void) => {
  const waiting = new Set<unknown>()
  let ended = false
  const check = () => {
    if (ended && waiting.size === 0) onDone()
  }
  return {
    note: (message: JSONRPCMessage) => {
      if (!('method' in message)) waiting.delete(message.id)
      else if ('id' in message) waiting.add(message.id)
      // Who cancels a call gets no answer to it.
      else if (message.method === 'notifications/cancelled') {
        waiting.delete(message.params?.['requestId'])
      }
      check()
    },
    end: () => {
      ended = true
      // What has been read is still on its way.
      setImmediate(() => setImmediate(check))
    },
  }
}
