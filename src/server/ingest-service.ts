import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Config } from '#config'
import { loadIngestApp } from '#http'
import { installedFile, memoryLimit } from '#installation'
import type { BatchQueue, QueueLimits } from '#intake'
import { type KeyVerifier, openKeyVerifier } from '#keys'
import { type Log, type Metrics, openMetrics } from '#observability'
import { databaseFigures } from './database-figures.ts'
import { closeServer, createDraining } from './draining.ts'
import { urlAt } from './metrics-server.ts'
import { openQueueThread } from './queue-thread.ts'
import {
  createLimiter,
  failurePolicy,
  idPrefix,
  openAccessLog,
  openServiceLog,
  type ServiceOptions,
  warningsOf,
  whenReachable,
} from './service.ts'
import { followAudit } from './service-audit.ts'
import { openRecordsToServe, type Records, recordsLogOf } from './service-records.ts'
import { openServiceUsage } from './service-usage.ts'
import { logUnreachable } from './waiting.ts'

/** The ingest server, ready but not listening. */
export interface PreparedIngest {
  readonly metrics: Metrics
  readonly records: Records
  /** Starts to listen; resolves with its address. */
  listen(): Promise<string>
  /** Stops without losing an answered request. */
  close(): Promise<void>
}

export interface IngestOptions
  extends Pick<
    ServiceOptions,
    'log' | 'drainMs' | 'logWaitMs' | 'descriptor' | 'onUnreachable' | 'connectionLimits'
  > {
  /** Limits of the batch queue. */
  readonly queueLimits?: Partial<QueueLimits>
  /** Called when the queue has failed and another process should take over. */
  readonly onFailure: (error: Error) => void
}

/** Concurrent requests per key: most of them wait for their batch. */
const keyConcurrency = 256

interface IngestParts {
  readonly records: Records
  readonly keyVerifier: KeyVerifier
  readonly queue: BatchQueue
  close(): Promise<void>
}

const openParts = async (
  config: Config,
  log: Log,
  options: Pick<IngestOptions, 'onFailure' | 'queueLimits'>,
): Promise<IngestParts> => {
  const records = await openRecordsToServe(config, recordsLogOf(log))
  const closers: (() => Promise<void>)[] = [records.close]
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    const keyVerifier = await openKeyVerifier({
      database: records.keyDatabase,
      kind: 'ingest',
      now: Date.now,
      onError: (error) => log.warn({ error }, 'The keys could not be read or noted.'),
    })
    closers.push(keyVerifier.close)
    const queue = await openQueueThread({
      config,
      mapsFolder: config.ingestMaps,
      log: (level, sentence) => log[level](sentence),
      limits: options.queueLimits ?? {},
      onExit: options.onFailure,
    })
    const stopFollowing = await followAudit(config, records, (error) =>
      log.warn({ error }, 'The audit log could not be written. Its entries are added later.'),
    )
    closers.push(stopFollowing, queue.close)
    return { records, keyVerifier, queue, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Prepares everything slow before the server can receive records. */
export const prepareIngest = async (
  config: Config,
  options: IngestOptions,
): Promise<PreparedIngest> => {
  const { log = openServiceLog(config), drainMs = 400, descriptor } = options
  const { onUnreachable = logUnreachable(log) } = options
  const [{ records, keyVerifier, queue, close: closeParts }, createIngestApp] = await Promise.all([
    whenReachable(() => openParts(config, log, options), onUnreachable),
    loadIngestApp(),
  ])
  const draining = createDraining(drainMs)
  const access = openAccessLog(config, log, options.logWaitMs)
  const metrics = await openMetrics()
  metrics.watchDatabase(databaseFigures(config, records.database))
  const limiter = await createLimiter(config, { log, metrics, machineLimiter: undefined })
  const usage = await openServiceUsage(config, records, { log, metrics })
  const server = createIngestApp({
    store: records.store,
    keyVerifier,
    queue,
    limiter,
    log,
    metrics,
    policy: { perSecond: config.ingestRatePerSecond, burst: config.ingestRateBurst },
    failurePolicy,
    publicPolicy: { perSecond: config.publicRatePerSecond, burst: config.publicRateBurst },
    keyConcurrency,
    secret: records.secret,
    idPrefix: idPrefix(),
    openApi: await installedFile('connectors/openapi.ingest.json'),
    bodyLimits: {
      bytesMax: config.ingestBodyMegabytes * 2 ** 20,
      concurrent: config.ingestBodies,
      seconds: config.ingestBodySeconds,
      memoryBytes: memoryLimit(),
    },
    draining: draining.isDraining,
    paused: draining.paused,
    onDraining: draining.onDraining,
    warnings: () => warningsOf(records),
    now: Date.now,
    access,
    usage,
    trustedProxies: config.trustedProxies,
    sendTimeoutSeconds: config.sendTimeoutSeconds,
    connectionLimits: options.connectionLimits,
  })
  let closing: Promise<void> | undefined
  return {
    metrics,
    records,
    listen: async () => {
      const { host } = config
      const port = config.ingestPort ?? 0
      server.listen(descriptor === undefined ? { host, port } : { fd: descriptor })
      await once(server, 'listening')
      return urlAt(host, (server.address() as AddressInfo).port)
    },
    close: () => {
      closing ??= (async () => {
        if (server.listening) await draining.drain(server)
        await closeServer(server)
        access.flush()
        await usage.close()
        await limiter.close()
        await closeParts()
      })()
      return closing
    },
  }
}
