import { fork } from 'node:child_process'
import {
  type Channel,
  createIpcConnection,
  lifecycleChannel,
  type SupervisorMessage,
  type WorkerMessage,
} from './ipc.ts'
import { socketDescriptor } from './worker.ts'

/** A worker could not start; the message says why. */
export class WorkerStartError extends Error {}

/** A worker, seen from the supervisor. */
export interface WorkerProcess {
  readonly pid: number | undefined
  channel(name: string): Channel
  /** Calls the listener when the worker waits for a dependency before it can start. */
  onWaiting(listener: () => void): void
  /** Resolves when the worker is prepared to accept connections; rejects with `WorkerStartError`. */
  readonly prepared: Promise<void>
  /** Lets it accept connections as soon as it is prepared. */
  begin(): void
  /** Resolves when it accepts connections; rejects with `WorkerStartError`. */
  readonly ready: Promise<void>
  /** Resolves when the process has exited, with the reason in a few words. */
  readonly exited: Promise<string>
  /** Whether it runs and `stop` was not called. */
  readonly active: boolean
  /**
   * Drains and stops it. Kills it if that takes too long, or if it has not begun. Resolves when it
   * has exited.
   */
  stop(): Promise<void>
  kill(): void
}

export interface WorkerProcessParts {
  /** The module that a worker runs. It calls `connectWorker`. */
  readonly program: string | URL
  readonly args?: readonly string[]
  /** Descriptor of the socket that all workers listen on; absent if it opens its own. */
  readonly descriptor?: number
  /** Maximum time until a worker is prepared, and then until it is ready. */
  readonly startMs: number
  /** Maximum time to drain. */
  readonly stopMs: number
  readonly heartbeat: Heartbeat
}

/** How the supervisor watches a ready worker. */
export interface Heartbeat {
  /** Interval between heartbeats. */
  readonly everyMs: number
  /**
   * Consecutive unanswered heartbeats before it is killed. Counts heartbeats instead of time, so
   * that a machine that wakes from suspension does not kill its workers.
   */
  readonly unansweredMax: number
}

/** Ten seconds: longer than a worker ever blocks its event loop, even on a busy machine. */
export const defaultHeartbeat: Heartbeat = { everyMs: 1_000, unansweredMax: 10 }

export const forkWorker = (parts: WorkerProcessParts): WorkerProcess => {
  const stdio: (number | 'inherit' | 'ipc')[] = ['inherit', 'inherit', 'inherit', 'ipc']
  if (parts.descriptor !== undefined) stdio[socketDescriptor] = parts.descriptor
  const child = fork(parts.program, parts.args ?? [], { stdio })
  const connection = createIpcConnection(child)
  const work = connection.channel(lifecycleChannel)
  const send = (message: SupervisorMessage) => {
    // Without a connection it is already exiting.
    if (child.connected) work.send(message)
  }
  let active = true
  let begun = false

  // The last messages may arrive after the exit, but before the disconnect.
  const disconnected = new Promise((resolve) => child.once('disconnect', resolve))
  const exited = new Promise<string>((resolve) => {
    child.once('exit', async (code, signal) => {
      await disconnected
      if (hung) resolve('because it did not respond')
      else resolve(signal ? `by ${signal}` : `with code ${code}`)
    })
    // A process that could not be spawned emits no exit event.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(`before it began: ${error.message}`)
    })
  }).finally(() => {
    active = false
  })

  const prepared = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const refuse = (reason: string) => {
    clearTimeout(timer)
    const error = new WorkerStartError(reason)
    prepared.reject(error)
    ready.reject(error)
  }
  const awaitNext = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      refuse(`A worker did not start within ${parts.startMs / 1_000} s.`)
      child.kill('SIGKILL')
    }, parts.startMs)
  }
  let timer: NodeJS.Timeout | undefined
  awaitNext()

  const waitingListeners = new Set<() => void>()
  let unanswered = 0
  let hung = false
  /** Kills a worker whose event loop is blocked: it would hold its connections forever. */
  const watch = () => {
    const { everyMs, unansweredMax } = parts.heartbeat
    const ticking = setInterval(() => {
      if (unanswered >= unansweredMax) {
        hung = true
        child.kill('SIGKILL')
      }
      unanswered += 1
      send({ type: 'heartbeat' })
    }, everyMs).unref()
    void exited.then(() => clearInterval(ticking))
  }
  work.onMessage((message) => {
    const received = message as WorkerMessage
    if (received.type === 'refused') return refuse(received.reason)
    if (received.type === 'alive') {
      unanswered = 0
      return
    }
    if (received.type === 'waiting') {
      // It is alive; a new worker would wait for the same dependency.
      awaitNext()
      for (const listener of waitingListeners) listener()
      return
    }
    clearTimeout(timer)
    if (received.type === 'ready') {
      watch()
      return ready.resolve()
    }
    prepared.resolve()
    if (begun) awaitNext()
  })
  void exited.then((reason) => refuse(`A worker exited ${reason} before it was ready.`))
  // They may have no listener left, and an unhandled rejection would end the process.
  for (const { promise } of [prepared, ready]) promise.catch(() => undefined)

  return {
    pid: child.pid,
    channel: connection.channel,
    onWaiting: (listener) => void waitingListeners.add(listener),
    prepared: prepared.promise,
    begin: () => {
      if (!active) return
      begun = true
      awaitNext()
      send({ type: 'begin' })
    },
    ready: ready.promise,
    exited,
    get active() {
      return active
    },
    stop: async () => {
      active = false
      // Immediately: connections would wait for it while it holds the socket.
      if (!begun) child.kill('SIGKILL')
      send({ type: 'stop' })
      const timer = setTimeout(() => child.kill('SIGKILL'), parts.stopMs)
      await exited
      clearTimeout(timer)
    },
    kill: () => {
      active = false
      child.kill('SIGKILL')
    },
  }
}
