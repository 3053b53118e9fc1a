/** Servers asked in turn by the same generator, so that what disturbs one disturbs all. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadGenerator } from './load.ts'
import type { Server } from './product.ts'

/** Requests to one server, each path taken once before any is taken twice. */
export interface Questions {
  readonly file: string
  readonly count: number
  readonly headers: { readonly [name: string]: string }
  readonly status: number
  /** How many were taken so far. */
  taken: number
}

/** What one round said. */
export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the server for one request, in microseconds. */
  readonly cpuUs: number | null
}

export interface Contest {
  questions(
    name: string,
    paths: readonly string[],
    headers?: { readonly [name: string]: string },
    status?: number,
  ): Questions
  ask(
    server: Pick<Server, 'port' | 'cpuMs'>,
    questions: Questions,
    seconds: number,
  ): Promise<Measured>
}

export const openContest = (
  folder: string,
  generator: LoadGenerator,
  connections: number,
): Contest => ({
  questions: (name, paths, headers = {}, status = 200) => {
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.paths`)
    writeFileSync(file, `${paths.join('\n')}\n`)
    return { file, count: paths.length, headers, status, taken: 0 }
  },
  ask: async (server, questions, seconds) => {
    const { file, headers, status } = questions
    const { port } = server
    // A cold server on a busy machine may not answer once in a short round.
    for (let length = seconds; length < seconds * 16; length *= 2) {
      const cpuBefore = server.cpuMs()
      const from = questions.taken
      const loaded = await generator({ port, file, from, headers, seconds: length, connections })
      const cpuAfter = server.cpuMs()
      questions.taken += loaded.asked
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
    throw new Error(`The server at port ${port} does not answer in time.`)
  },
})

/** How many requests were for something that was asked for before, in cases that mean not to. */
export const askedAgain = ({ count, taken }: Questions): number =>
  count === 1 ? 0 : Math.max(0, taken - count)
