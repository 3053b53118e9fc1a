import type { Config } from '#config'
import {
  createStartupListener,
  followWithChecks,
  limitYoungGeneration,
  openServiceLog,
  prepareService,
  recordStart,
  recordsLogOf,
  uncheckedRules,
} from '#server'
import { type AdminProcess, startAdmin } from './admin-process.ts'
import { identity } from './identity.ts'
import { type Demo, prepareRecords } from './prepare-records.ts'

/** The running API, in this process or in its workers. */
export interface Serving {
  readonly url: string
  readonly metricsUrl: string | null
  /** The address of the ingest API; null if it is disabled. */
  readonly ingestUrl: string | null
  readonly workers: number
  readonly engine: string
  readonly demo: Demo | null
  /** Null if there is no operator page. */
  readonly admin: AdminProcess | null
  /** Stops without losing a request. */
  close(): Promise<void>
  /** Kills all worker processes. */
  kill(): void
  /** Replaces all workers without losing a request; absent in a single process. */
  replace?(): Promise<unknown>
}

export interface ServeOptions {
  readonly demo: boolean
}

export const serveAlone = async (
  config: Config,
  { demo: wantsDemo }: ServeOptions,
): Promise<Serving> => {
  limitYoungGeneration()
  const log = openServiceLog(config)
  const open = async (port: number) => {
    const waiting = createStartupListener({ config: { ...config, port }, log })
    try {
      const { onUnreachable, listen: onConverting } = waiting
      const whileStarting = { onUnreachable, onConverting }
      // Runs before the server opens, so that the server knows the printed key.
      const demo = wantsDemo ? await prepareRecords(config, { demo: true, ...whileStarting }) : null
      const prepared = await prepareService({ ...config, ...identity() }, { log, ...whileStarting })
      const service = await prepared.listen((await waiting.close()) ?? port)
      // Not awaited: a signal that comes now must find its handler.
      const recorded = recordStart(service.records, recordsLogOf(log))
      const checks = followWithChecks({
        database: service.records.database,
        config,
        onError: (error) => log.warn({ error }, uncheckedRules),
      })
      return { service, demo, checks, recorded }
    } finally {
      await waiting.close()
    }
  }
  const { service, demo, checks, recorded } = wantsDemo
    ? await onFreePort(config.port, open)
    : await open(config.port)
  // Not earlier: it takes CPU time from the start of the API.
  const admin = startAdmin(config, { log, url: service.url, isDemo: wantsDemo })
  return {
    url: service.url,
    metricsUrl: service.metricsUrl,
    ingestUrl: null,
    workers: 1,
    engine: engineOf(config),
    demo,
    admin,
    close: async () => {
      void admin?.stop()
      await checks.close()
      await recorded
      await service.close()
      admin?.kill()
    },
    kill: () => admin?.kill(),
  }
}

/** Tries the next ports if one is in use, and reports it: the demo should always start. */
export const onFreePort = async <T>(
  first: number,
  open: (port: number) => Promise<T>,
): Promise<T> => {
  for (let port = first; ; port += 1) {
    try {
      return await open(port)
    } catch (error) {
      if (!isPortTaken(error) || port >= first + 20) throw error
      process.stderr.write(`Port ${port} is in use; trying ${port + 1}.\n`)
    }
  }
}

export const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

export const engineOf = ({ databaseUrl }: Config): string =>
  databaseUrl.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL'
