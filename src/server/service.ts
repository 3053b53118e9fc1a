import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { type Config, type Environment, readConfig, releaseOf } from '#config'
import { createConsole } from '#console'
import { checkDatabaseUrl, DatabaseUnreachableError, openQueueDatabase } from '#database'
import type { AppParts } from '#http'
import { checkImagesUrl, type Images, openImages } from '#images'
import { installedFile } from '#installation'
import { openSourceReader } from '#intake'
import { findLink, type KeyVerifier, openKeyVerifier } from '#keys'
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
  createFallbackLimiter,
  createMemoryLimiter,
  createRedisLimiter,
  createSlots,
  type RateLimiter,
  type SlotLimits,
  type Slots,
} from '#rate-limit'
import { checkRedisUrl } from '#redis'
import type { ChangeTracker } from '#store'
import { createBackupMonitor } from './backup-monitor.ts'
import { databaseFigures } from './database-figures.ts'
import { closeServer, createDraining } from './draining.ts'
import { type MetricsServer, openMetricsServer, urlAt } from './metrics-server.ts'
import {
  type OnConverting,
  openRecordsToServe,
  type Records,
  recordsLogOf,
} from './service-records.ts'
import { openServiceUsage } from './service-usage.ts'
import { createSnapshotSchedule } from './snapshot-schedule.ts'
import { createSourceMonitor } from './source-monitor.ts'
import { logUnreachable } from './waiting.ts'

/** Reads the configuration, with the checks of other modules. */
export const readServiceConfig = (environment?: Environment): Config =>
  readConfig(environment, {
    databaseUrl: checkDatabaseUrl,
    imagesUrl: checkImagesUrl,
    redisUrl: (url) => (url === null ? undefined : checkRedisUrl(url)),
  })

/** Called whenever the database is found to be unreachable. */
export type OnUnreachable = (error: DatabaseUnreachableError) => void | Promise<void>

/**
 * Opens everything that needs the database, and retries while it is unreachable. Throws permanent
 * errors, such as a wrong password, at once.
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

/** The configured images. Local links begin with `baseUrl`. */
export const openServiceImages = (config: Config, secret: string, baseUrl: () => string): Images =>
  openImages(config.imagesUrl, {
    secret: `images ${secret}`,
    baseUrl,
    linkSeconds: config.imageLinkMinutes * 60,
    now: Date.now,
    timeoutMs: 2_000,
    ...(config.s3Credentials && { credentials: config.s3Credentials }),
  })

/** A server that is ready but not listening. */
export interface PreparedService {
  readonly metrics: Metrics
  /** Starts to listen, on `port` instead of the configured port if given. */
  listen(port?: number): Promise<Service>
  /** Closes everything; if it listens, without losing a request. */
  close(): Promise<void>
}

/** A listening server. */
export interface Service {
  readonly url: string
  readonly metricsUrl: string | null
  readonly records: Records
  readonly images: Images
  readonly metrics: Metrics
  /** Stops without losing a request: asks clients to disconnect, stops listening, then closes. */
  close(): Promise<void>
}

export interface ServiceOptions {
  readonly log?: Log
  /** Duration of each of the two draining steps. */
  readonly drainMs?: number
  /** How long an access log line may be buffered. */
  readonly logWaitMs?: number
  /** How long usage may wait to be written. */
  readonly usageWaitMs?: number
  /** Overrides of the usual connection limits. */
  readonly connectionLimits?: AppParts['connectionLimits']
  /** Descriptor of a bound socket to listen on, instead of the configured port. */
  readonly descriptor?: number
  /** The rate limiter shared by all processes of the machine, if there are several. */
  readonly machineLimiter?: RateLimiter
  /** Slots that count for all processes of this machine; `local` if those are unreachable. */
  readonly machineSlots?: (local: Slots) => Slots
  /** Called while the database is unreachable; by default, logs the reason. */
  readonly onUnreachable?: OnUnreachable
  readonly onConverting?: OnConverting
  /** The clock that days are read from. */
  readonly now?: () => number
}

/**
 * Failures per address: enough for a misconfigured client to see the error, too few to guess a key.
 */
export const failurePolicy = { perSecond: 5, burst: 50 }

/** The parts of a server that need the database. */
interface ServedRecords {
  readonly records: Records
  readonly keyVerifier: KeyVerifier
  /** Null if responses are not cached. */
  readonly changes: ChangeTracker | null
  /** Null if assistants get no tokens. */
  readonly consents: Consents | null
}

const openServedRecords = async (
  config: Config,
  log: Log,
  hasCache: boolean,
  onConverting: OnConverting | undefined,
): Promise<ServedRecords> => {
  const records = await openRecordsToServe(config, recordsLogOf(log), onConverting)
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

/** Prepares everything slow before a server can respond. */
export const prepareService = async (
  config: Config,
  options: ServiceOptions = {},
): Promise<PreparedService> => {
  const { log = openServiceLog(config), drainMs = 400, descriptor, now = Date.now } = options
  const hasCache = config.responseCacheMegabytes > 0
  const { onUnreachable = logUnreachable(log), onConverting } = options
  const open = () => openServedRecords(config, log, hasCache, onConverting)
  const [{ records, keyVerifier, changes, consents }, { createApp, createResponseCache }] =
    await Promise.all([whenReachable(open, onUnreachable), loadHttp(config.mcp)])
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
  const readUnits = { creates: false, readOnly: true }
  const sourceReader = openSourceReader(store.sources, () =>
    openQueueDatabase(config.databaseUrl, records.database, readUnits),
  )
  const sources = createSourceMonitor({
    read: () => sourceReader.list(),
    now: Date.now,
    onError: (error) => log.warn({ error }, 'The states of the sources could not be read.'),
  })
  const backups = createBackupMonitor({
    keyDatabase: records.keyDatabase,
    now,
    onError: (error) => log.warn({ error }, 'The last backup could not be read.'),
  })
  metrics.watchSources(sources.figures)
  metrics.watchBackup(backups.figures)
  metrics.watchDatabase(databaseFigures(config, records.database))
  const usage = await openServiceUsage(config, records, {
    log,
    metrics,
    waitMs: options.usageWaitMs,
  })
  const snapshots = createSnapshotSchedule({
    store,
    holder: `${hostname()} process ${process.pid} ${idPrefix()}`,
    now,
    log: (sentence) => log.info(sentence),
    onError: (error) => log.warn({ error }, 'The figures of a day that ended were not kept.'),
  })
  const slotLimits = downloadSlotLimits(config)
  const local = createSlots(slotLimits, () => performance.now())
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
    warnings: () => warningsOf(records),
    sourceReader,
    sources: sources.summary,
    backup: backups.summary,
    now,
    access,
    usage,
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
      slots: slotLimits,
    },
    downloadSlots: options.machineSlots?.(local) ?? local,
    findLink: (token) => findLink(records.keyDatabase, token),
    connectionLimits: options.connectionLimits,
  })
  const closeParts = async () => {
    await closeServer(server)
    await snapshots.close()
    // Metrics are still read while a worker ends.
    await sources.close()
    await backups.close()
    await sourceReader.close()
    access.flush()
    await usage.close()
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
    snapshots.start()
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

/** Loads the HTTP server on demand: commands share this module but need none. */
const loadHttp = async (isMcpEnabled: boolean) => {
  const { createApp, createResponseCache, loadHandlerParts } = await import('#http')
  await loadHandlerParts(isMcpEnabled)
  return { createApp, createResponseCache }
}

/** The limits of downloads on one machine. */
export const downloadSlotLimits = (config: Config): SlotLimits => ({
  total: config.downloads,
  perOwner: config.keyDownloads,
  secondsPerHour: config.keyDownloadSeconds,
})

/** Problems for an operator to fix, without names: everybody may read them. */
export const warningsOf = ({ store, database }: Records): readonly string[] => [
  ...(store.missingSecurity === null ? [] : ['Row-level security is missing; see the log.']),
  ...(database.hosts?.states().some(({ leftOut }) => leftOut)
    ? ['A database server is left out, because it is not the one that was used last; see the log.']
    : []),
]

interface LimiterParts {
  readonly log: Log
  readonly metrics: Metrics
  readonly machineLimiter: RateLimiter | undefined
}

/** Counts limits together with other processes; alone while those are unreachable. */
export const createLimiter = async (
  { redisUrl }: Config,
  { log, metrics, machineLimiter }: LimiterParts,
): Promise<RateLimiter> => {
  const local = createMemoryLimiter({ now: () => performance.now() })
  const shared = redisUrl === null ? machineLimiter : await createRedisLimiter({ url: redisUrl })
  if (!shared) return local
  return createFallbackLimiter(shared, local, {
    // A supervisor that has exited is noticed at once; a busy one is worth the wait.
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

/** JSON in production and in pipes, readable lines at a terminal. */
export const openServiceLog = (config: Config): Log =>
  openLog({ level: config.logLevel, readable: isReadable(config) })

const isReadable = ({ production }: Config): boolean => !production && Boolean(process.stdout.isTTY)

export const openAccessLog = (config: Config, log: Log, waitMs: number | undefined): AccessLog => {
  if (isReadable(config)) return readableAccessLog(log)
  return batchedAccessLog(log, Date.now, waitMs)
}

/** Prefix of a process's request ids. */
export const idPrefix = (): string =>
  randomBytes(6)
    .toString('base64url')
    .replaceAll(/[^A-Za-z0-9]/g, 'x')
