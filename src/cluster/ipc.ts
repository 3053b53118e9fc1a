/** A named stream of messages between the supervisor and a worker. Messages stay in order and may be lost. */
export interface Channel {
  /** Sends anything that JSON can represent. Throws if the other process has exited. */
  send(message: object): void
  /** Calls the listener for each message, until the returned function is called. */
  onMessage(listener: (message: unknown) => void): () => void
}

/** The IPC connection between the supervisor and one worker. */
export interface IpcConnection {
  /** The channel of this name, identical on both sides. */
  channel(name: string): Channel
  /** Resolves when all messages have left this process. */
  flush(): Promise<void>
}

/** The used part of `ChildProcess`, or of `process` in the child. */
export interface IpcEndpoint {
  readonly connected: boolean
  send?(
    message: object,
    handle: undefined,
    options: undefined,
    done: (error: Error | null) => void,
  ): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
}

interface Envelope {
  readonly channel: string
  readonly message: unknown
}

export const createIpcConnection = (end: IpcEndpoint): IpcConnection => {
  const listeners = new Map<string, Set<(message: unknown) => void>>()
  const pending = new Set<Promise<void>>()
  end.on('message', (envelope) => {
    const { channel, message } = envelope as Envelope
    for (const listener of listeners.get(channel) ?? []) listener(message)
  })
  return {
    channel: (name) => ({
      send: (message) => {
        if (!end.connected) throw new Error('The other process has exited.')
        const sent = new Promise<void>((done) => {
          // With a callback, a failure does not become an uncaught error.
          end.send?.({ channel: name, message }, undefined, undefined, () => done())
        }).finally(() => pending.delete(sent))
        pending.add(sent)
      },
      onMessage: (listener) => {
        const all = listeners.get(name) ?? new Set()
        listeners.set(name, all.add(listener))
        return () => all.delete(listener)
      },
    }),
    flush: async () => {
      await Promise.all(pending)
    },
  }
}

/** Start, stop and heartbeat messages. */
export const lifecycleChannel = 'work'

export type WorkerMessage =
  | { readonly type: 'waiting' }
  | { readonly type: 'prepared' }
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'alive' }

export type SupervisorMessage =
  | { readonly type: 'begin' }
  | { readonly type: 'stop' }
  | { readonly type: 'heartbeat' }
