import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '#config'
import { catalog } from '#contract'
import type { DatabaseUnreachableError } from '#database'
import type { Log } from '#observability'

/** Responds to clients while the database cannot be used, before the service can be opened. */
export interface StartupListener {
  /** Responds to clients from now on. */
  listen(): Promise<void>
  /** Logs why, again from time to time, and responds to clients from the first time on. */
  onUnreachable(error: DatabaseUnreachableError): Promise<void>
  /** Stops responding. Resolves with the port that was listened on, if it was. */
  close(): Promise<number | undefined>
}

const logEveryMs = 10_000

/** Logs why the database cannot be reached: at once, and then every ten seconds. */
export const logUnreachable = (
  log: Pick<Log, 'warn'>,
): ((error: DatabaseUnreachableError) => void) => {
  let logAt = Number.NEGATIVE_INFINITY
  return ({ message }) => {
    const now = performance.now()
    if (now < logAt) return
    logAt = now + logEveryMs
    log.warn(`${message} Waiting for it.`)
  }
}

export interface StartupListenerParts {
  readonly config: Pick<Config, 'host' | 'port' | 'corsOrigins'>
  readonly log: Pick<Log, 'warn'>
  /** Of a bound socket to listen on, instead of the configuration's port. */
  readonly descriptor?: number
}

/** Listens from the first time on that the database cannot be reached, or on request. */
export const createStartupListener = ({
  config,
  log,
  descriptor,
}: StartupListenerParts): StartupListener => {
  const logReason = logUnreachable(log)
  let listening: Promise<Server> | undefined

  const openServer = async (): Promise<Server> => {
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

  const listen = async (): Promise<void> => {
    listening ??= openServer()
    await listening
  }

  return {
    listen,
    onUnreachable: async (error) => {
      logReason(error)
      await listen()
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
