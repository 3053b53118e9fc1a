import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '#config'
import { catalog } from '#contract'
import type { DatabaseUnreachableError } from '#database'
import type { Log } from '#observability'

/** What is done while the database is away, before the service can be opened. */
export interface Waiting {
  /** Says why it is away, again from time to time, and answers clients from the first time on. */
  away(error: DatabaseUnreachableError): Promise<void>
  /** Stops answering. Gives the port that was listened on, if it was. */
  close(): Promise<number | undefined>
}

const sayEveryMs = 10_000

/** Says why the database is away: at once, and then every ten seconds. */
export const logUnreachable = (
  log: Pick<Log, 'warn'>,
): ((error: DatabaseUnreachableError) => void) => {
  let sayAt = Number.NEGATIVE_INFINITY
  return ({ message }) => {
    const now = performance.now()
    if (now < sayAt) return
    sayAt = now + sayEveryMs
    log.warn(`${message} Waiting for it.`)
  }
}

export interface WaitingParts {
  readonly config: Pick<Config, 'host' | 'port' | 'corsOrigins'>
  readonly log: Pick<Log, 'warn'>
  /** Of a bound socket to listen on, instead of the configuration's port. */
  readonly descriptor?: number
}

/** Listens as soon as the database is found to be away: then there is somebody to say so. */
export const openWaiting = ({ config, log, descriptor }: WaitingParts): Waiting => {
  const say = logUnreachable(log)
  let listening: Promise<Server> | undefined

  const listen = async (): Promise<Server> => {
    const { createStartingServer } = await import('#http')
    const server = createStartingServer({
      catalog,
      idPrefix: 'w',
      corsOrigins: config.corsOrigins,
      now: Date.now,
    })
    server.listen(
      descriptor === undefined ? { host: config.host, port: config.port } : { fd: descriptor },
    )
    await once(server, 'listening')
    return server
  }

  return {
    away: async (error) => {
      say(error)
      listening ??= listen()
      await listening
    },
    close: async () => {
      const server = await listening?.catch(() => undefined)
      listening = undefined
      if (!server?.listening) return undefined
      const { port } = server.address() as AddressInfo
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      return port
    },
  }
}
