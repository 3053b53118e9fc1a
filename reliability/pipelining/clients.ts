import { type Client, openClient } from '../client-process.ts'

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

export const openFloods = (port: string): Client<Flood, FloodOutcome> =>
  openClient(new URL('flood-process.ts', import.meta.url), [port])

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
  const client = openClient<object, ProbeOutcome>(new URL('probe-process.ts', import.meta.url), [
    port,
  ])
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
