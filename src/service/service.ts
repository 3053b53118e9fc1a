import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Config, type Environment, readConfig } from '#config'
import { catalog } from '#contract'
import { checkDatabaseUrl, type Database, openDatabase } from '#database'
import { buildApp } from '#http'
import { checkImagesUrl, type Images, openImages } from '#images'
import { type Keys, openKeyRing, openKeys } from '#keys'
import { type Log, type Metrics, openLog, openMetrics } from '#observe'
import { memoryQuota } from '#quota'
import { openStore, type Store } from '#store'

/** Reads the configuration, with the checks that belong to the parts. */
export const readServiceConfig = (environment?: Environment): Config =>
  readConfig(environment, { databaseUrl: checkDatabaseUrl, imagesUrl: checkImagesUrl })

/** What commands and the server share: the records and the keys. */
export interface Records {
  readonly database: Database
  readonly store: Store
  readonly keys: Keys
  /** Of the database; what cursors, tags and links are made with. */
  readonly secret: string
  close(): Promise<void>
}

export const openRecords = async (
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  say?: (sentence: string) => void,
): Promise<Records> => {
  const database = openDatabase(databaseUrl)
  try {
    const store = await openStore(catalog, database, say ? { say } : {})
    const keys = await openKeys({ database, now: Date.now, chance: randomBytes })
    const secret = await store.setting('secret', () => randomBytes(32).toString('base64url'))
    return { database, store, keys, secret, close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The images of a configuration. Local links begin with `baseUrl`. */
export const openServiceImages = (config: Config, secret: string, baseUrl: () => string): Images =>
  openImages(config.imagesUrl, {
    secret: `images ${secret}`,
    baseUrl,
    linkSeconds: config.imageLinkMinutes * 60,
    now: Date.now,
    timeoutMs: 2_000,
    ...(config.s3Credentials && { credentials: config.s3Credentials }),
  })

/** A server that answers. */
export interface Service {
  /** Where it listens. */
  readonly url: string
  readonly metricsUrl: string | null
  readonly records: Records
  readonly images: Images
  /** Stops without losing a request: first asks clients to go, then stops listening, then ends. */
  close(): Promise<void>
}

export interface ServiceOptions {
  readonly log?: Log
  /** How long each of the two steps of stopping lasts. */
  readonly drainMs?: number
}

/** Failures of one address: enough for a misconfigured client to be told, too few to guess a key. */
const failurePolicy = { perSecond: 5, burst: 50 }

export const openService = async (
  config: Config,
  { log = openServiceLog(config), drainMs = 400 }: ServiceOptions = {},
): Promise<Service> => {
  const records = await openRecords(config, (sentence) => log.info(sentence))
  const { database, store, secret } = records
  let draining = false
  let url = ''
  const images = openServiceImages(config, secret, () => config.publicUrl ?? url)
  const keyRing = await openKeyRing({
    database,
    now: Date.now,
    onError: (error) => log.warn({ error }, 'The keys could not be read or noted.'),
  })
  const metrics = openMetrics()
  const quota = memoryQuota({ now: () => performance.now() })
  const app = await buildApp({
    store,
    keyRing,
    quota,
    images,
    log,
    metrics,
    policy: { perSecond: config.ratePerSecond, burst: config.rateBurst },
    failurePolicy,
    secret,
    release: await releaseOf(),
    idPrefix: randomBytes(6)
      .toString('base64url')
      .replaceAll(/[^A-Za-z0-9]/g, 'x'),
    document: await readFile(new URL('../../openapi.json', import.meta.url)),
    draining: () => draining,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
  })
  const closeParts = async () => {
    await app.close()
    await keyRing.close()
    await quota.close()
    await images.close()
    await records.close()
  }
  try {
    await app.listen({ port: config.port, host: config.host })
  } catch (error) {
    await closeParts()
    throw error
  }
  url = urlOf(app.server, config.host)
  const metricsServer =
    config.metricsPort === null
      ? null
      : await serveMetrics(metrics, config.metricsPort, config.host)

  let closing: Promise<void> | undefined
  return {
    url,
    metricsUrl: metricsServer && `${urlOf(metricsServer, config.host)}/metrics`,
    records,
    images,
    close: () => {
      closing ??= (async () => {
        draining = true
        await wait(drainMs)
        // The http server's own close would cut sockets that were accepted but have not asked yet.
        NetServer.prototype.close.call(app.server)
        await wait(drainMs)
        metricsServer?.close()
        await closeParts()
      })()
      return closing
    },
  }
}

/** JSON for machines in production and in pipes, lines for people at a terminal. */
export const openServiceLog = ({ logLevel, production }: Config): Log =>
  openLog({ level: logLevel, readable: !production && Boolean(process.stdout.isTTY) })

/** The program's own version. */
export const releaseOf = async (): Promise<string> => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

const urlOf = (server: Server, host: string): string => {
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const serveMetrics = async (metrics: Metrics, port: number, host: string): Promise<Server> => {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.text().then(
      ({ body, contentType }) => response.writeHead(200, { 'content-type': contentType }).end(body),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server
}
