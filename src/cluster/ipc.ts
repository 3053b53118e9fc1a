/** One subject that the supervisor and a worker talk about. Messages arrive in order, or not. */
export interface Channel {
  /** Anything that JSON can carry. Throws when the other side is known to be gone. */
  send(message: object): void
  /** Hands out what the other side sends, until the returned function is called. */
  onMessage(listener: (message: unknown) => void): () => void
}

/** Everything that the supervisor and one worker have to say to each other. */
export interface Line {
  /** The channel of this name; both sides call it the same. */
  channel(name: string): Channel
  /** Resolves when all that was sent has left this process. */
  flush(): Promise<void>
}

/** What is used of a child process, or of the process itself when it is the child. */
export interface LineEnd {
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

export const openLine = (end: LineEnd): Line => {
  const listeners = new Map<string, Set<(message: unknown) => void>>()
  const leaving = new Set<Promise<void>>()
  end.on('message', (envelope) => {
    const { channel, message } = envelope as Envelope
    for (const listener of listeners.get(channel) ?? []) listener(message)
  })
  return {
    channel: (name) => ({
      send: (message) => {
        if (!end.connected) throw new Error('The other process is gone.')
        const sent = new Promise<void>((done) => {
          // With a callback a failure comes here and is no error of the whole process.
          end.send?.({ channel: name, message }, undefined, undefined, () => done())
        }).finally(() => leaving.delete(sent))
        leaving.add(sent)
      },
      onMessage: (listener) => {
        const all = listeners.get(name) ?? new Set()
        listeners.set(name, all.add(listener))
        return () => all.delete(listener)
      },
    }),
    flush: async () => {
      await Promise.all(leaving)
    },
  }
}

/** The channel that the supervisor and a worker understand each other on. */
export const workChannel = 'work'

export type SaidByWorker =
  | { readonly say: 'waiting' }
  | { readonly say: 'prepared' }
  | { readonly say: 'ready' }
  | { readonly say: 'refused'; readonly reason: string }
  | { readonly say: 'alive' }

export type SaidBySupervisor =
  | { readonly say: 'begin' }
  | { readonly say: 'stop' }
  | { readonly say: 'heartbeat' }
