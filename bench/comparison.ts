/** Servers measured in turn by the same load generator, so that noise affects all of them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from './product.ts'
import { requireWrk, runWrk } from './wrk.ts'

/** Requests to one server. Each path is used once before any is repeated. */
export interface RequestSet {
  readonly file: string
  readonly count: number
  readonly headers: { readonly [name: string]: string }
  readonly status: number
  /** The number of paths used so far. */
  consumed: number
}

/** The result of one round. */
export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the server per request, in microseconds. */
  readonly cpuUs: number | null
}

export interface Comparison {
  requests(
    name: string,
    paths: readonly string[],
    headers?: { readonly [name: string]: string },
    status?: number,
  ): RequestSet
  measure(
    server: Pick<Server, 'port' | 'cpuMs'>,
    requestSet: RequestSet,
    seconds: number,
  ): Promise<Measured>
}

export const createComparison = (folder: string, connections: number): Comparison => {
  requireWrk()
  return {
    requests: (name, paths, headers = {}, status = 200) => {
      const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.paths`)
      writeFileSync(file, `${paths.join('\n')}\n`)
      return { file, count: paths.length, headers, status, consumed: 0 }
    },
    measure: async (server, requestSet, seconds) => {
      const { file, headers, status } = requestSet
      const { port } = server
      // A cold server on a busy machine may send no response in a short round.
      for (let length = seconds; length < seconds * 16; length *= 2) {
        const cpuBefore = server.cpuMs()
        const from = requestSet.consumed
        const loaded = await runWrk(folder, {
          port,
          file,
          from,
          headers,
          seconds: length,
          connections,
        })
        const cpuAfter = server.cpuMs()
        requestSet.consumed += loaded.sent
        const { requests, refused } = loaded
        if (requests === 0) continue
        if (status >= 400 ? refused < requests * 0.9 : refused > 0) {
          throw new Error(`${refused} of ${requests} answers were refusals, not all ${status}.`)
        }
        const cpuMs = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore
        return {
          perSecond: requests / loaded.seconds,
          p50Ms: loaded.p50Ms,
          p99Ms: loaded.p99Ms,
          cpuUs: cpuMs === null ? null : (cpuMs * 1_000) / requests,
        }
      }
      throw new Error(`The server at port ${port} does not respond in time.`)
    },
  }
}

/** The number of repeated requests, for cases that should not repeat any. */
export const askedAgain = ({ count, consumed }: RequestSet): number =>
  count === 1 ? 0 : Math.max(0, consumed - count)
