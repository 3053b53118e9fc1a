import {
  type Channel,
  createIpcConnection,
  type IpcEndpoint,
  lifecycleChannel,
  type SupervisorMessage,
  type WorkerMessage,
} from './ipc.ts'

/** The descriptor of the shared socket in a worker, after the standard streams and IPC. */
export const socketDescriptor = 4

/** The supervisor, seen from a worker. */
export interface Supervised {
  /** Descriptor of the socket to listen on. */
  readonly descriptor: number
  channel(name: string): Channel
  /** Reports that this worker waits for a dependency. */
  waiting(): void
  /**
   * Reports that this worker can accept connections, and resolves when it should. `close` is called
   * when it should stop, whether it has begun or not.
   */
  prepared(close: () => Promise<void>): Promise<void>
  /** Reports that this worker accepts connections. */
  ready(): void
  /** Reports why this worker cannot start, and exits. */
  refuse(reason: string): Promise<void>
}

export interface SupervisedParts {
  readonly exit: (code: number) => void
  readonly onError: (error: unknown) => void
}

/** Makes this process a worker. It drains and stops when the supervisor asks for it or exits. */
export const connectWorker = ({ exit, onError }: SupervisedParts): Supervised => {
  const connection = createIpcConnection(process as IpcEndpoint)
  const work = connection.channel(lifecycleChannel)
  const send = (message: WorkerMessage) => {
    if (process.connected) work.send(message)
  }
  const begun = Promise.withResolvers<void>()
  let close: () => Promise<void> = async () => undefined
  let stopping = false

  const stop = async () => {
    if (stopping) return
    stopping = true
    try {
      await close()
      await connection.flush()
      exit(0)
    } catch (error) {
      onError(error)
      exit(1)
    }
  }

  work.onMessage((message) => {
    const { type } = message as SupervisorMessage
    if (type === 'heartbeat') send({ type: 'alive' })
    else if (type === 'stop') void stop()
    else if (!stopping) begun.resolve()
  })
  process.once('disconnect', stop)
  // A terminal sends these to the whole process group; the supervisor handles them.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.on('SIGTERM', stop)

  return {
    descriptor: socketDescriptor,
    channel: connection.channel,
    waiting: () => send({ type: 'waiting' }),
    prepared: (closeWork) => {
      close = closeWork
      send({ type: 'prepared' })
      return begun.promise
    },
    ready: () => send({ type: 'ready' }),
    refuse: async (reason) => {
      send({ type: 'refused', reason })
      await connection.flush()
      exit(1)
    },
  }
}
