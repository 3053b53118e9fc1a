import { fork } from 'node:child_process'
import {
  type Channel,
  openLine,
  type SaidBySupervisor,
  type SaidByWorker,
  workChannel,
} from './ipc.ts'
import { socketDescriptor } from './worker.ts'

/** A worker did not come to answer requests; the message says why. */
export class WorkerRefused extends Error {}

/** A worker as the supervisor sees it. */
export interface WorkerProcess {
  readonly pid: number | undefined
  channel(name: string): Channel
  /** Calls the listener whenever it says that it waits for something, and cannot begin yet. */
  onWaiting(listener: () => void): void
  /** Resolves when all is done short of answering; rejects with `WorkerRefused` if it never is. */
  readonly prepared: Promise<void>
  /** Has it answer requests, as soon as it is prepared. */
  begin(): void
  /** Resolves when it answers requests; rejects with `WorkerRefused` when it never will. */
  readonly ready: Promise<void>
  /** Resolves when the process has ended, with how it did in a few words. */
  readonly gone: Promise<string>
  /** Whether it is there and was not told to go. */
  readonly employed: boolean
  /**
   * Has it drain and end, by force if it takes too long, or if it has not begun and so has nothing
   * to lose. Resolves when it is gone.
   */
  stop(): Promise<void>
  kill(): void
}

export interface WorkerProcessParts {
  /** The module that a worker runs. It calls `superviseWorker`. */
  readonly program: URL
  /** Of the socket that all workers listen on. */
  readonly descriptor: number
  /** How long a worker may take until it is prepared, and then until it answers. */
  readonly startMs: number
  /** How long a worker may take to drain. */
  readonly stopMs: number
  readonly heartbeat: Heartbeat
}

/** How a worker is watched once it answers requests. */
export interface Heartbeat {
  /** How often it is asked whether it is alive. */
  readonly everyMs: number
  /**
   * How many questions in a row may stay unanswered before it is killed. Questions are counted
   * instead of time, so that a machine that was suspended does not end its workers on waking up.
   */
  readonly unansweredMax: number
}

export const forkWorker = (parts: WorkerProcessParts): WorkerProcess => {
  const stdio: (number | 'inherit' | 'ipc')[] = ['inherit', 'inherit', 'inherit', 'ipc']
  stdio[socketDescriptor] = parts.descriptor
  const child = fork(parts.program, { stdio })
  const line = openLine(child)
  const work = line.channel(workChannel)
  const tell = (message: SaidBySupervisor) => {
    // Without a line it is leaving already.
    if (child.connected) work.send(message)
  }
  let employed = true
  let begun = false

  // The end of the line comes with the last of what it said, which may be later than its exit.
  const hungUp = new Promise((resolve) => child.once('disconnect', resolve))
  const gone = new Promise<string>((resolve) => {
    child.once('exit', async (code, signal) => {
      await hungUp
      if (hung) resolve('because it did not respond')
      else resolve(signal ? `by ${signal}` : `with code ${code}`)
    })
    // A process that could not even be started has no exit.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(`before it began: ${error.message}`)
    })
  }).finally(() => {
    employed = false
  })

  const prepared = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const refuse = (reason: string) => {
    clearTimeout(timer)
    const error = new WorkerRefused(reason)
    prepared.reject(error)
    ready.reject(error)
  }
  const awaitNext = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      refuse(`A worker did not answer within ${parts.startMs / 1_000} s.`)
      child.kill('SIGKILL')
    }, parts.startMs)
  }
  let timer: NodeJS.Timeout | undefined
  awaitNext()

  const waitingListeners = new Set<() => void>()
  let unanswered = 0
  let hung = false
  /** Kills a worker whose event loop does not turn any more: it would hold its connections for ever. */
  const watch = () => {
    const { everyMs, unansweredMax } = parts.heartbeat
    const ticking = setInterval(() => {
      if (unanswered >= unansweredMax) {
        hung = true
        child.kill('SIGKILL')
      }
      unanswered += 1
      tell({ say: 'heartbeat' })
    }, everyMs).unref()
    void gone.then(() => clearInterval(ticking))
  }
  work.onMessage((message) => {
    const said = message as SaidByWorker
    if (said.say === 'refused') return refuse(said.reason)
    if (said.say === 'alive') {
      unanswered = 0
      return
    }
    if (said.say === 'waiting') {
      // It is alive: a new one would have to wait for the same.
      awaitNext()
      for (const listener of waitingListeners) listener()
      return
    }
    clearTimeout(timer)
    if (said.say === 'ready') {
      watch()
      return ready.resolve()
    }
    prepared.resolve()
    if (begun) awaitNext()
  })
  void gone.then((how) => refuse(`A worker ended ${how} before it answered.`))
  // Nobody may be waiting for them any more.
  for (const { promise } of [prepared, ready]) promise.catch(() => undefined)

  return {
    pid: child.pid,
    channel: line.channel,
    onWaiting: (listener) => void waitingListeners.add(listener),
    prepared: prepared.promise,
    begin: () => {
      if (!employed) return
      begun = true
      awaitNext()
      tell({ say: 'begin' })
    },
    ready: ready.promise,
    gone,
    get employed() {
      return employed
    },
    stop: async () => {
      employed = false
      // At once, for as long as it holds the socket, others come and wait for nobody.
      if (!begun) child.kill('SIGKILL')
      tell({ say: 'stop' })
      const timer = setTimeout(() => child.kill('SIGKILL'), parts.stopMs)
      await gone
      clearTimeout(timer)
    },
    kill: () => {
      employed = false
      child.kill('SIGKILL')
    },
  }
}
