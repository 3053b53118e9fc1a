import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Config, type Environment, readConfig, releaseOf } from '#config'
import { createConsole } from '#console'
import { catalog } from '#contract'
import {
  checkDatabaseUrl,
  type Database,
  DatabaseUnreachableError,
  keyFileOf,
  openDatabase,
  openKeyDatabase,
  sqliteFileOf,
} from '#database'
import type { AppParts } from '#http'
import { checkImagesUrl, type Images, openImages } from '#images'
import { installedFile } from '#installation'
import { createKeys, type Keys, type KeyVerifier, moveKeys, openKeyVerifier } from '#keys'
import type { Consents } from '#oauth'
import {
  type AccessLog,
  batchedAccessLog,
  type Log,
  type Metrics,
  openLog,
  openMetrics,
  readableAccessLog,
} from '#observability'
import {
  checkRedisUrl,
  createFallbackLimiter,
  createMemoryLimiter,
  createRedisLimiter,
  type RateLimiter,
} from '#rate-limit'
import { type ChangeTracker, createStore, type Store } from '#store'
import { convertInThread } from './convert-thread.ts'
import { closeServer, createDraining } from './draining.ts'
import { type MetricsServer, openMetricsServer, urlAt } from './metrics-server.ts'
import { createSourceMonitor } from './source-monitor.ts'
import { logUnreachable } from './waiting.ts'

/** Reads the configuration, with the checks that belong to the parts. */
export const readServiceConfig = (environment?: Environment): Config =>
  readConfig(environment, {
    databaseUrl: checkDatabaseUrl,
    imagesUrl: checkImagesUrl,
    redisUrl: (url) => (url === null ? undefined : checkRedisUrl(url)),
  })

/** What of a configuration the records depend on. */
export interface RecordsConfig extends Pick<Config, 'databaseUrl'> {
  readonly changeFeed?: Config['changeFeed']
  /** Whether a database that is not there is created; it is by default. */
  readonly creates?: boolean
  /** Whether row-level security is repaired, which waits for an import; it is by default. */
  readonly repairsSecurity?: boolean
  readonly requiresRowSecurity?: Config['requiresRowSecurity']
}

/** A server would serve without row-level security, which its settings forbid. */
export class RowSecurityRefused extends Error {
  constructor(missing: string) {
    super(
      `Row-level security is missing, so that nothing but the condition in every statement would keep brands apart. ${missing} To serve without it, set ROW_SECURITY=optional.`,
    )
  }
}

/** What commands and the server share: the records and the keys. */
export interface Records {
  readonly database: Database
  /** Where the keys are. */
  readonly keyDatabase: Database
  readonly store: Store
  readonly keys: Keys
  /** Of the database; what cursors, tags and links are made with. */
  readonly secret: string
  close(): Promise<void>
}

/**
 * Called before the database is converted to another storage layout, which takes long. This process
 * then responds to clients meanwhile.
 */
export type OnConverting = () => void | Promise<void>

export const openRecords = async (
  { databaseUrl, changeFeed = false, creates = true, repairsSecurity = true }: RecordsConfig,
  log?: (sentence: string) => void,
  onConverting?: OnConverting,
): Promise<Records> => {
  const database = openDatabase(databaseUrl, { creates })
  try {
    const store = await createStore(catalog, database, {
      ...(log && { log }),
      recordsChanges: changeFeed,
      creates,
      repairsSecurity,
      ...(onConverting && {
        convert: async () => {
          await onConverting()
          await convertInThread(databaseUrl, log ?? (() => undefined))
        },
      }),
    })
    const secret = await store.setting('secret', () => randomBytes(32).toString('base64url'))
    const opened = await openKeysOf(databaseUrl, { database, store }, log)
    const close = async () => {
      await opened.keyDatabase.close()
      await database.close()
    }
    return { database, store, secret, ...opened, close }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens the keys, with those that an earlier version stored among the records. */
const openKeysOf = async (
  url: string,
  { database, store }: Pick<Records, 'database' | 'store'>,
  log: (sentence: string) => void = () => undefined,
): Promise<Pick<Records, 'keyDatabase' | 'keys'>> => {
  const keyDatabase = openKeyDatabase(url, database)
  const openAll = () => createKeys({ database: keyDatabase, now: Date.now, random: randomBytes })
  try {
    if (!url.startsWith('sqlite:')) return { keyDatabase, keys: await openAll() }
    // Read first: from the moment it is set, the file is there.
    const madeAt = await store.findSetting(keysMadeAt)
    const isNew = (await keyDatabase.tables()).size === 0
    const file = keyFileOf(sqliteFileOf(url))
    const moved = await moveKeys(database, keyDatabase)
    if (moved > 0) log(`Migration: moved the keys to ${file}.`)
    if (isNew && moved === 0 && madeAt !== undefined) {
      log(
        `The keys of this database are missing: there was no ${file}. Restore it from a backup, or issue new keys: selvedge keys issue`,
      )
    }
    const keys = await openAll()
    if (madeAt === undefined) await store.setting(keysMadeAt, () => new Date().toISOString())
    return { keyDatabase, keys }
  } catch (error) {
    await keyDatabase.close()
    throw error
  }
}

/** The setting that tells since when the keys have a file of their own. */
const keysMadeAt = 'key file made at'

/** The same, to be served: without row-level security where it is required, they are refused. */
export const openRecordsToServe = async (
  config: RecordsConfig,
  log?: (sentence: string) => void,
  onConverting?: OnConverting,
): Promise<Records> => {
  const records = await openRecords(config, log, onConverting)
  const { missingSecurity } = records.store
  if (!missingSecurity || !config.requiresRowSecurity) return records
  await records.close()
  throw new RowSecurityRefused(missingSecurity)
}

/** Called whenever the database was found to be away. */
export type OnUnreachable = (error: DatabaseUnreachableError) => void | Promise<void>

/**
 * Opens what needs the database, however long it is away. What will not get better by itself, such
 * as a wrong password, is thrown at once.
 */
export const whenReachable = async <T>(
  open: () => Promise<T>,
  onUnreachable: OnUnreachable,
): Promise<T> => {
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof DatabaseUnreachableError)) throw error
      await onUnreachable(error)
      await wait(againMs)
    }
  }
}

const againMs = 500

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

/** A server that has everything but clients. */
export interface PreparedService {
  readonly metrics: Metrics
  /** Begins to answer; on another port than the configuration's, if one is given. */
  listen(port?: number): Promise<Service>
  /** Closes what is open; once it answers, without losing a request. */
  close(): Promise<void>
}

/** A server that answers. */
export interface Service {
  /** Where it listens. */
  readonly url: string
  readonly metricsUrl: string | null
  readonly records: Records
  readonly images: Images
  readonly metrics: Metrics
  /** Stops without losing a request: first asks clients to go, then stops listening, then ends. */
  close(): Promise<void>
}

export interface ServiceOptions {
  readonly log?: Log
  /** How long each of the two steps of stopping lasts. */
  readonly drainMs?: number
  /** How long a line of the access log may wait for others. */
  readonly logWaitMs?: number
  /** Where connections have other limits than usual. */
  readonly connectionLimits?: AppParts['connectionLimits']
  /** Of a bound socket to listen on, instead of the configuration's port. */
  readonly descriptor?: number
  /** What all processes of the machine count limits in, where there are several. */
  readonly machineLimiter?: RateLimiter
  /** What is done while the database is away; unless given, the log says so. */
  readonly onUnreachable?: OnUnreachable
  readonly onConverting?: OnConverting
}

/** Failures of one address: enough for a misconfigured client to get the error, too few to guess a key. */
export const failurePolicy = { perSecond: 5, burst: 50 }

/** What of a server needs the database to be opened. */
interface ServedRecords {
  readonly records: Records
  readonly keyVerifier: KeyVerifier
  /** Null where responses are not cached. */
  readonly changes: ChangeTracker | null
  /** Null where assistants get no tokens. */
  readonly consents: Consents | null
}

const openServedRecords = async (
  config: Config,
  log: Log,
  hasCache: boolean,
  onConverting: OnConverting | undefined,
): Promise<ServedRecords> => {
  const records = await openRecordsToServe(config, (sentence) => log.info(sentence), onConverting)
  const { database, store } = records
  let keyVerifier: KeyVerifier | null = null
  try {
    await database.checkServing()
    keyVerifier = await openKeyVerifier({
      database: records.keyDatabase,
      now: Date.now,
      onError: (error) => log.warn({ error }, 'The keys could not be read or noted.'),
    })
    const { keyDatabase, secret } = records
    const parts = { database: keyDatabase, secret, now: Date.now, random: randomBytes }
    const consents = config.oauth ? await (await import('#oauth')).createConsents(parts) : null
    const changes = hasCache ? await store.trackChanges() : null
    return { records, keyVerifier, changes, consents }
  } catch (error) {
    await keyVerifier?.close()
    await records.close()
    throw error
  }
}

/** Everything that takes time before a server can answer. */
export const prepareService = async (
  config: Config,
  options: ServiceOptions = {},
): Promise<PreparedService> => {
  const { log = openServiceLog(config), drainMs = 400, descriptor } = options
  const hasCache = config.responseCacheMegabytes > 0
  const { onUnreachable = logUnreachable(log), onConverting } = options
  const open = () => openServedRecords(config, log, hasCache, onConverting)
  // Commands share this module and serve nothing, so they do not load the HTTP server.
  const [{ records, keyVerifier, changes, consents }, { createApp, createResponseCache }] =
    await Promise.all([whenReachable(open, onUnreachable), import('#http')])
  const { store, secret } = records
  const draining = createDraining(drainMs)
  let url = ''
  const ownUrl = () => config.publicUrl ?? url
  const images = openServiceImages(config, secret, ownUrl)
  const access = openAccessLog(config, log, options.logWaitMs)
  const metrics = await openMetrics()
  if (store.missingSecurity !== null) {
    metrics.rowSecurityMissing()
    log.warn(`Row-level security is missing. ${store.missingSecurity}`)
  }
  const sources = createSourceMonitor({
    read: store.sources.list,
    now: Date.now,
    onError: (error) => log.warn({ error }, 'The states of the sources could not be read.'),
  })
  metrics.watchSources(sources.figures)
  const { machineLimiter } = options
  const limiter = await createLimiter(config, { log, metrics, machineLimiter })
  const server = createApp({
    store,
    keyVerifier,
    limiter,
    images,
    console: await createConsole({ imageOrigin: images.origin }),
    log,
    metrics,
    policy: { perSecond: config.ratePerSecond, burst: config.rateBurst },
    failurePolicy,
    publicPolicy: { perSecond: config.publicRatePerSecond, burst: config.publicRateBurst },
    keyConcurrency: config.keyConcurrency,
    secret,
    release: await releaseOf(),
    idPrefix: idPrefix(),
    openApi: await installedFile('openapi.json'),
    queryOpenApi: await installedFile('connectors/openapi.query.json'),
    guide: await installedFile('connectors/llms.txt'),
    feedOpenApi: config.changeFeed ? await installedFile('connectors/openapi.feed.json') : null,
    ingestOpenApi:
      config.ingestPort === null ? null : await installedFile('connectors/openapi.ingest.json'),
    draining: draining.isDraining,
    paused: draining.paused,
    changes,
    cache: hasCache
      ? createResponseCache(config.responseCacheMegabytes * 2 ** 20, changes?.isStale)
      : null,
    sources: sources.summary,
    now: Date.now,
    access,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    mcp: config.mcp,
    authorizationServer:
      consents &&
      (await import('#oauth')).createAuthorizationServer({
        ...{ consents, keyVerifier, secret, issuer: ownUrl },
        ...{ now: Date.now, random: randomBytes },
      }),
    publicUrl: config.publicUrl,
    ownUrl,
    sendTimeoutSeconds: config.sendTimeoutSeconds,
    downloadLimits: {
      recordsMax: config.downloadRecords,
      seconds: config.downloadSeconds,
      perKey: config.keyDownloads,
      total: config.downloads,
    },
    connectionLimits: options.connectionLimits,
  })
  const closeParts = async () => {
    await closeServer(server)
    access.flush()
    await changes?.close()
    await keyVerifier.close()
    await limiter.close()
    await images.close()
    await records.close()
  }
  let metricsServer: MetricsServer | null = null
  const listen = async (port = config.port) => {
    try {
      if (config.metricsPort !== null) {
        const at = { host: config.host, port: config.metricsPort }
        metricsServer = await openMetricsServer(metrics, at)
      }
      const at = descriptor === undefined ? { port, host: config.host } : { fd: descriptor }
      await once(server.listen(at), 'listening')
    } catch (error) {
      metricsServer?.close()
      await closeParts()
      throw error
    }
    url = urlAt(config.host, (server.address() as AddressInfo).port)
  }
  let listening: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= (async () => {
      if (listening) {
        await listening
        await draining.drain(server)
        metricsServer?.close()
      }
      await closeParts()
    })()
    return closing
  }
  return {
    metrics,
    listen: async (port) => {
      listening = listen(port)
      await listening
      return { url, metricsUrl: metricsServer?.url ?? null, records, images, metrics, close }
    },
    close,
  }
}

interface LimiterParts {
  readonly log: Log
  readonly metrics: Metrics
  readonly machineLimiter: RateLimiter | undefined
}

/** Limits are counted together with other processes; alone while those cannot be reached. */
export const createLimiter = async (
  { redisUrl }: Config,
  { log, metrics, machineLimiter }: LimiterParts,
): Promise<RateLimiter> => {
  const local = createMemoryLimiter({ now: () => performance.now() })
  const shared = redisUrl === null ? machineLimiter : await createRedisLimiter({ url: redisUrl })
  if (!shared) return local
  return createFallbackLimiter(shared, local, {
    // A supervisor that is gone is noticed at once; one that is merely busy is worth the wait.
    ...(redisUrl === null && { timeoutMs: 500 }),
    onUnreachable: (error) => {
      metrics.rateLimitsLocal(true)
      log.warn({ error }, 'Limits cannot be counted together; this process counts for itself.')
    },
    onRecovered: () => {
      metrics.rateLimitsLocal(false)
      log.info('Limits are counted together again.')
    },
  })
}

/** JSON for machines in production and in pipes, lines for people at a terminal. */
export const openServiceLog = (config: Config): Log =>
  openLog({ level: config.logLevel, readable: isReadable(config) })

const isReadable = ({ production }: Config): boolean => !production && Boolean(process.stdout.isTTY)

export const openAccessLog = (config: Config, log: Log, waitMs: number | undefined): AccessLog => {
  if (isReadable(config)) return readableAccessLog(log)
  return batchedAccessLog(log, Date.now, waitMs)
}

/** Begins the ids of a process's requests. */
export const idPrefix = (): string =>
  randomBytes(6)
    .toString('base64url')
    .replaceAll(/[^A-Za-z0-9]/g, 'x')
