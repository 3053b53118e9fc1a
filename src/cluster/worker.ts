import {
  type Channel,
  type LineEnd,
  openLine,
  type SaidBySupervisor,
  type SaidByWorker,
  workChannel,
} from './ipc.ts'

/** Where a worker finds the shared socket: next to the standard streams and the line. */
export const socketDescriptor = 4

/** The supervisor as a worker sees it. */
export interface Supervised {
  /** Of the socket to listen on. */
  readonly descriptor: number
  channel(name: string): Channel
  /** Says that this worker waits for something without which it cannot work. */
  waiting(): void
  /**
   * Says that all is done short of answering, and resolves when this worker should begin; that may
   * be never. `close` is called when it should stop, whether it has begun or not.
   */
  prepared(close: () => Promise<void>): Promise<void>
  /** Says that this worker answers requests. */
  ready(): void
  /** Says why this worker cannot work, and ends it. */
  refuse(reason: string): Promise<void>
}

export interface SupervisedParts {
  readonly exit: (code: number) => void
  readonly onError: (error: unknown) => void
}

/**
 * Makes this process a worker: it stops when the supervisor says so, and also, in the same order
 * and without losing a request, when the supervisor is gone.
 */
export const superviseWorker = ({ exit, onError }: SupervisedParts): Supervised => {
  const line = openLine(process as LineEnd)
  const work = line.channel(workChannel)
  const tell = (message: SaidByWorker) => {
    if (process.connected) work.send(message)
  }
  const begun = Promise.withResolvers<void>()
  let close: () => Promise<void> = async () => undefined
  let leaving = false

  const leave = async () => {
    if (leaving) return
    leaving = true
    try {
      await close()
      await line.flush()
      exit(0)
    } catch (error) {
      onError(error)
      exit(1)
    }
  }

  work.onMessage((message) => {
    const { say } = message as SaidBySupervisor
    if (say === 'heartbeat') tell({ say: 'alive' })
    else if (say === 'stop') void leave()
    else if (!leaving) begun.resolve()
  })
  process.once('disconnect', leave)
  // A terminal sends these to every process of the group; what they mean is the supervisor's call.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.on('SIGTERM', leave)

  return {
    descriptor: socketDescriptor,
    channel: line.channel,
    waiting: () => tell({ say: 'waiting' }),
    prepared: (closeWork) => {
      close = closeWork
      tell({ say: 'prepared' })
      return begun.promise
    },
    ready: () => tell({ say: 'ready' }),
    refuse: async (reason) => {
      tell({ say: 'refused', reason })
      await line.flush()
      exit(1)
    },
  }
}
