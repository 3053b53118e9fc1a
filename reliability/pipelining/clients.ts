import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** Requests for one target, all sent at once. */
export interface Flood {
  /** The request line and its headers but `Host` and `X-Forwarded-For`, without line ends. */
  readonly lines: readonly string[]
  readonly count: number
  /** On one connection, or each on its own. */
  readonly way: 'pipelined' | 'parallel'
  /** Whether responses are read. Those that are not are left for `unreadMs`. */
  readonly reads: boolean
  readonly unreadMs: number
}

export interface FloodOutcome {
  /** How many responses were read, by status. */
  readonly statuses: { readonly [status: string]: number }
  /** Connections that ended before all their responses had come. */
  readonly broken: number
}

/** Something that sends requests from a process of its own, so that it delays nothing here. */
export interface Client<Task, Result> {
  run(task: Task): Promise<Result>
  close(): Promise<void>
}

export const openClient = <Task extends object, Result>(
  file: URL,
  ...words: readonly (string | number)[]
): Client<Task, Result> => {
  const child = fork(file, words.map(String))
  return {
    run: async (task) => {
      child.send(task)
      return (await nextMessage(child)) as Result
    },
    close: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

const nextMessage = async (child: ChildProcess): Promise<unknown> => {
  const end = new AbortController()
  const { signal } = end
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('A process of clients ended by itself.')
  })
  ended.catch(() => undefined)
  try {
    return (await Promise.race([once(child, 'message', { signal }), ended]))[0]
  } finally {
    end.abort()
  }
}

export const openFloods = (port: string): Client<Flood, FloodOutcome> =>
  openClient(new URL('flood-process.ts', import.meta.url), port)

/** Asks for /healthz every few milliseconds until the next task. */
export interface ProbeOutcome {
  readonly times: number
  readonly slowestMs: number
}

export interface Probe {
  /** Runs something, and tells how long /healthz took meanwhile. */
  during<T>(action: () => Promise<T>): Promise<readonly [T, ProbeOutcome]>
  close(): Promise<void>
}

export const openProbe = async (port: string): Promise<Probe> => {
  const client = openClient<object, ProbeOutcome>(
    new URL('probe-process.ts', import.meta.url),
    port,
  )
  await client.run({})
  return {
    during: async (action) => {
      await client.run({})
      const result = await action()
      return [result, await client.run({})]
    },
    close: client.close,
  }
}
