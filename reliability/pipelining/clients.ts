import { type Client, openClient } from '../client-process.ts'

/** Requests for one target, all sent at once. */
export interface Flood {
  /** The request line and headers without line ends, `Host` and `X-Forwarded-For`. */
  readonly lines: readonly string[]
  readonly count: number
  /** All on one connection, or each on a separate one. */
  readonly way: 'pipelined' | 'parallel'
  /** Whether the client reads the responses. If not, it leaves them for `unreadMs`. */
  readonly reads: boolean
  readonly unreadMs: number
}

export interface FloodOutcome {
  /** The number of responses by status. */
  readonly statuses: { readonly [status: string]: number }
  /** Connections that ended before all their responses arrived. */
  readonly broken: number
}

export const openFloods = (port: string): Client<Flood, FloodOutcome> =>
  openClient(new URL('flood-process.ts', import.meta.url), [port])

/** Response times of /healthz, requested every few milliseconds until the next task. */
export interface ProbeOutcome {
  readonly times: number
  readonly slowestMs: number
}

export interface Probe {
  /** Runs an action and measures /healthz meanwhile. */
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

/** A plain server that sends the same bytes, for comparison. */
export interface PlainServer {
  readonly pid: number
  run(flood: Flood): Promise<FloodOutcome>
  close(): Promise<void>
}

export const openPlainServer = async (file: string): Promise<PlainServer> => {
  const server = openClient(new URL('plain-process.ts', import.meta.url), [], {
    ...process.env,
    PLAIN_FILE: file,
  })
  const { port, pid } = (await server.next()) as { readonly port: number; readonly pid: number }
  const floods = openFloods(String(port))
  return {
    pid,
    run: floods.run,
    close: async () => {
      await floods.close()
      await server.close()
    },
  }
}
