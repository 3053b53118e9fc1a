import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '#config'
import { catalog } from '#contract'
import type { DatabaseUnreachableError } from '#database'
import type { Log } from '#observability'

/** Responds to clients while the database is unusable, before the service can open. */
export interface StartupListener {
  /** Starts to respond to clients. */
  listen(): Promise<void>
  /** Logs the reason, repeatedly, and starts to respond to clients. */
  onUnreachable(error: DatabaseUnreachableError): Promise<void>
  /** Stops responding. Resolves with the port, if it listened. */
  close(): Promise<number | undefined>
}

const logEveryMs = 10_000

/** Logs why the database is unreachable: at once, then every ten seconds. */
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
  /** Descriptor of a bound socket to listen on, instead of the configured port. */
  readonly descriptor?: number
}

/** Listens once the database is unreachable, or on request. */
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
